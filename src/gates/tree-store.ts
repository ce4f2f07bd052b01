/** A name with its namespace; prefix and uri are empty where there is none. */
export interface QName {
  prefix: string
  local: string
  uri: string
}

export const nodeKind = {
  element: 1,
  attribute: 2,
  text: 3,
  instruction: 7,
  comment: 8,
  document: 9,
} as const

/** The file is not XML, or beyond a bound. The message is a sentence. */
export class XmlTreeError extends Error {
  override name = 'XmlTreeError'
}

/**
 * An XML document in typed arrays, some 30 bytes a node besides its text: a test report of 50 MB has millions of
 * nodes, for which a usual document object model takes more than a gigabyte. Node 0 is the document; the others
 * follow in document order. 0 also means "none" where a node points to a child or sibling.
 */
export class TreeStore {
  kind = new Uint8Array(1024)
  parent = new Int32Array(1024)
  /** First and last child; of a node that has text instead, where its text begins and ends. */
  first = new Int32Array(1024)
  last = new Int32Array(1024)
  next = new Int32Array(1024)
  previous = new Int32Array(1024)
  readonly attributes = new Map<number, { name: QName; value: string }[]>()
  private count = 0
  private name = new Int32Array(1024)
  private readonly names: QName[] = []
  private readonly nameIndex = new Map<string, number>()
  private text: Buffer
  private textEnd = 0

  constructor(
    textSize: number,
    private readonly maxNodes: number,
  ) {
    this.text = Buffer.allocUnsafe(textSize)
    this.add(nodeKind.document, 0)
  }

  /** The name of an element or of a processing instruction. */
  nameOf(node: number): QName | undefined {
    return this.names[this.name[node] ?? 0]
  }

  textOf(node: number): string {
    return this.text.toString('utf8', this.first[node], this.last[node])
  }

  add(kind: number, parent: number, name?: QName): number {
    const node = this.count++
    if (node >= this.maxNodes) throw new XmlTreeError(`testreport.xml has more than ${this.maxNodes} nodes.`)
    if (node >= this.kind.length) this.grow()
    this.kind[node] = kind
    this.name[node] = name ? this.intern(name) : 0
    this.parent[node] = parent
    if (node === 0) return node
    const before = this.last[parent] ?? 0
    this.previous[node] = before
    if (before === 0) this.first[parent] = node
    else this.next[before] = node
    this.last[parent] = node
    return node
  }

  addData(kind: number, parent: number, data: string, name?: QName): void {
    const node = this.add(kind, parent, name)
    this.first[node] = this.textEnd
    this.last[node] = this.append(data)
  }

  /** Texts side by side, such as a CDATA section in a text, are one node for XPath. */
  addText(parent: number, data: string): void {
    const before = this.last[parent] ?? 0
    if (before !== 0 && this.kind[before] === nodeKind.text) this.last[before] = this.append(data)
    else this.addData(nodeKind.text, parent, data)
  }

  addAttributes(node: number, attributes: { name: QName; value: string }[]): void {
    if (attributes.length > 0) this.attributes.set(node, attributes)
  }

  /** One and the same object for the same name. */
  shared(name: QName): QName {
    return this.names[this.intern(name)] ?? name
  }

  private intern({ prefix, local, uri }: QName): number {
    const key = `${prefix}:${local} ${uri}`
    const known = this.nameIndex.get(key)
    if (known !== undefined) return known
    const index = this.names.push({ prefix, local, uri }) - 1
    this.nameIndex.set(key, index)
    return index
  }

  private append(data: string): number {
    const end = this.textEnd + Buffer.byteLength(data)
    if (end > this.text.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.text.length * 2, end))
      this.text.copy(larger, 0, 0, this.textEnd)
      this.text = larger
    }
    this.textEnd += this.text.write(data, this.textEnd)
    return this.textEnd
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
