import { ReportError } from '../../errors.js'

export const nodeKind = { element: 1, attribute: 2, text: 3, document: 9 } as const

/**
 * An XML document in typed arrays, some 30 bytes a node besides its text: a test report of 50 MB has millions of
 * nodes, for which an ordinary document object model takes more than a gigabyte. Node 0 is the document; the others
 * follow in document order. 0 also means "none" where a node points to a child or sibling.
 */
export class TreeStore {
  kind = new Uint8Array(1024)
  parent = new Int32Array(1024)
  /** First and last child; for a text, where it begins and ends in `text`. */
  first = new Int32Array(1024)
  last = new Int32Array(1024)
  next = new Int32Array(1024)
  previous = new Int32Array(1024)
  private readonly attributes = new Map<number, [name: string, value: string][]>()
  private count = 0
  private name = new Int32Array(1024)
  private readonly names: string[] = []
  private readonly nameIndex = new Map<string, number>()
  private text = Buffer.allocUnsafe(1 << 16)
  private textEnd = 0

  constructor(private readonly maxNodes: number) {
    this.add(nodeKind.document, 0)
  }

  /** The name of an element. */
  nameOf(node: number): string {
    return this.names[this.name[node] ?? 0] ?? ''
  }

  textOf(node: number): string {
    return this.text.toString('utf8', this.first[node], this.last[node])
  }

  attributesOf(node: number): readonly [name: string, value: string][] {
    return this.attributes.get(node) ?? []
  }

  add(kind: number, parent: number, name = ''): number {
    const node = this.count++
    if (node >= this.maxNodes) {
      throw new ReportError(
        `The testreport.xml of the report has more than ${this.maxNodes} nodes, the limit for xpath gates.`,
      )
    }
    if (node >= this.kind.length) this.grow()
    this.kind[node] = kind
    this.name[node] = this.intern(name)
    this.parent[node] = parent
    if (node === 0) return node
    const before = this.last[parent] ?? 0
    this.previous[node] = before
    if (before === 0) this.first[parent] = node
    else this.next[before] = node
    this.last[parent] = node
    return node
  }

  addText(parent: number, text: string): void {
    const bytes = Buffer.from(text)
    const end = this.textEnd + bytes.length
    if (end > this.text.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.text.length * 2, end))
      this.text.copy(larger, 0, 0, this.textEnd)
      this.text = larger
    }
    bytes.copy(this.text, this.textEnd)
    const node = this.add(nodeKind.text, parent)
    this.first[node] = this.textEnd
    this.last[node] = end
    this.textEnd = end
  }

  addAttributes(node: number, attributes: [name: string, value: string][]): void {
    if (attributes.length > 0) this.attributes.set(node, attributes)
  }

  private intern(name: string): number {
    const known = this.nameIndex.get(name)
    if (known !== undefined) return known
    const index = this.names.push(name) - 1
    this.nameIndex.set(name, index)
    return index
  }

  private grow(): void {
    const size = this.kind.length * 2
    const wider = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(size)
      copy.set(array)
      return copy
    }
    const kind = new Uint8Array(size)
    kind.set(this.kind)
    this.kind = kind
    this.name = wider(this.name)
    this.parent = wider(this.parent)
    this.first = wider(this.first)
    this.last = wider(this.last)
    this.next = wider(this.next)
    this.previous = wider(this.previous)
  }
}
