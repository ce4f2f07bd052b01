import type { Bucket, IDomFacade, Node } from 'fontoxpath'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ReportError } from '../errors.js'
import { readXml, type Element } from './xml.js'
import { formatBytes } from '../text/size.js'

/** A node as the XPath engine sees it. Small, because there can be millions. */
class TreeNode {
  constructor(
    readonly nodeType: number,
    /** An attribute has the index of its element. */
    readonly index: number,
    readonly localName: string,
  ) {}

  get nodeName(): string {
    return this.localName
  }

  get prefix(): null {
    return null
  }

  get namespaceURI(): null {
    return null
  }
}

class TreeAttribute extends TreeNode {
  constructor(
    readonly owner: TreeNode,
    readonly name: string,
    readonly value: string,
  ) {
    super(nodeKind.attribute, owner.index, name)
  }
}

export const nodeKind = { element: 1, attribute: 2, text: 3, document: 9 } as const

/**
 * What the XPath engine walks on: an XML document in typed arrays, some 30 bytes a node besides its text, since a test
 * report of 50 MB has millions of nodes, for which an ordinary document object model takes more than a gigabyte. A
 * node's object is created when the node is first reached, and is the only one for it. Node 0 is the document; the
 * others follow in document order. 0 also means "none" where a node points to a child or sibling.
 */
export class XmlTree implements IDomFacade {
  private kind = new Uint8Array(1024)
  private parent = new Int32Array(1024)
  /** First and last child; for a text, where it begins and ends in `text`. */
  private first = new Int32Array(1024)
  private last = new Int32Array(1024)
  private next = new Int32Array(1024)
  private previous = new Int32Array(1024)
  private name = new Int32Array(1024)
  private readonly names: string[] = []
  private readonly nameIndex = new Map<string, number>()
  private text = Buffer.allocUnsafe(1 << 16)
  private textEnd = 0
  private count = 0
  private readonly nodes: (TreeNode | undefined)[] = []
  private readonly attributes = new Map<number, TreeAttribute[]>()

  constructor(private readonly maxNodes: number) {
    this.add(nodeKind.document, 0)
  }

  get document(): TreeNode {
    return this.node(0)
  }

  getAllAttributes(node: TreeNode): TreeAttribute[] {
    return node.nodeType === nodeKind.element ? (this.attributes.get(node.index) ?? []) : []
  }

  getAttribute(node: TreeNode, name: string): string | null {
    return this.getAllAttributes(node).find((one) => one.name === name)?.value ?? null
  }

  getChildNodes(node: TreeNode, bucket?: Bucket | null): TreeNode[] {
    const children: TreeNode[] = []
    let child = this.getFirstChild(node, bucket)
    for (; child; child = this.getNextSibling(child, bucket)) children.push(child)
    return children
  }

  getData(node: Node): string {
    if (node instanceof TreeAttribute) return node.value
    if (!(node instanceof TreeNode)) return ''
    return this.text.toString('utf8', this.first[node.index], this.last[node.index])
  }

  getFirstChild(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    return hasChildren(node) ? this.along(this.next, this.first[node.index], bucket) : null
  }

  getLastChild(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    return hasChildren(node) ? this.along(this.previous, this.last[node.index], bucket) : null
  }

  getNextSibling(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    if (node instanceof TreeAttribute) return null
    return this.along(this.next, this.next[node.index], bucket)
  }

  getPreviousSibling(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    if (node instanceof TreeAttribute) return null
    return this.along(this.previous, this.previous[node.index], bucket)
  }

  getParentNode(node: TreeNode): TreeNode | null {
    if (node instanceof TreeAttribute) return node.owner
    return node.index === 0 ? null : this.node(this.parent[node.index] ?? 0)
  }

  /**
   * The first sibling that the engine asks for. If it names a bucket, it would skip all other nodes anyway; leaving
   * them out here avoids creating them. Buckets other than these two are ignored, as they may be.
   */
  private along(
    way: Int32Array,
    from: number | undefined,
    bucket: Bucket | null | undefined,
  ): TreeNode | null {
    const name = bucket?.startsWith('name-') ? bucket.slice(5) : undefined
    const elements = name !== undefined || bucket === 'type-1'
    for (let at = from; at; at = way[at]) {
      if (elements && this.kind[at] !== nodeKind.element) continue
      if (name !== undefined && this.nameOf(at) !== name) continue
      return this.node(at)
    }
    return null
  }

  private node(index: number): TreeNode {
    const known = this.nodes[index]
    if (known) return known
    const made = new TreeNode(this.kind[index] ?? nodeKind.document, index, this.nameOf(index))
    // Filled without holes, or the array would turn into a slow dictionary.
    while (this.nodes.length <= index) this.nodes.push(undefined)
    this.nodes[index] = made
    return made
  }

  private nameOf(element: number): string {
    return this.names[this.name[element] ?? 0] ?? ''
  }

  /** The way to read a document into this tree. */
  reader(): Element {
    let open = 0
    let name = 'testreport'
    const element: Element = {
      // Called for a child before its start.
      child: (childName) => {
        name = childName
        return element
      },
      start: (attributes) => {
        open = this.add(nodeKind.element, open, name)
        const all = Object.entries(attributes)
        if (all.length === 0) return
        const owner = this.node(open)
        const made = all.map(([one, value]) => new TreeAttribute(owner, one, value))
        this.attributes.set(open, made)
      },
      text: (text) => {
        const blankBetween = this.first[open] !== 0 && text.trim() === ''
        if (text !== '' && !blankBetween) this.addText(open, text)
      },
      end: () => {
        open = this.parent[open] ?? 0
      },
    }
    return element
  }

  private add(kind: number, parent: number, name = ''): number {
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

  private addText(parent: number, text: string): void {
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
    for (const name of ['name', 'parent', 'first', 'last', 'next', 'previous'] as const)
      this[name] = wider(this[name])
  }
}

function hasChildren(node: TreeNode): boolean {
  return node.nodeType === nodeKind.element || node.nodeType === nodeKind.document
}

/**
 * Reads testreport.xml into a tree of elements, attributes and texts. Blanks between elements, comments and
 * processing instructions are left out; the engine's reports have no namespaces, and no text next to elements.
 *
 * @throws ReportError for anything but a test report in XML, and beyond the bounds
 */
export async function readXmlTree(path: string, bounds: { bytes: number; nodes: number }): Promise<XmlTree> {
  if ((await stat(path)).size > bounds.bytes) {
    throw new ReportError(
      `The testreport.xml of the report has more than ${formatBytes(bounds.bytes)}, the limit for xpath gates.`,
    )
  }
  const tree = new XmlTree(bounds.nodes)
  await readXml(createReadStream(path), {
    name: 'testreport.xml',
    root: 'testreport',
    element: tree.reader(),
  })
  return tree
}
