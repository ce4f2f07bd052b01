import type { Bucket, IDomFacade, Node } from 'fontoxpath'
import { nodeKind, type TreeStore } from './tree-store.js'

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

/**
 * What the XPath engine walks on. A node's object is created when the node is first reached, and is the only one for
 * it.
 */
export class XmlTree implements IDomFacade {
  private readonly nodes: (TreeNode | undefined)[] = []
  private readonly attributes = new Map<number, TreeAttribute[]>()

  constructor(private readonly store: TreeStore) {}

  get document(): TreeNode {
    return this.node(0)
  }

  getAllAttributes(node: TreeNode): TreeAttribute[] {
    if (node.nodeType !== nodeKind.element) return []
    const known = this.attributes.get(node.index)
    if (known) return known
    const made = this.store
      .attributesOf(node.index)
      .map(([name, value]) => new TreeAttribute(node, name, value))
    if (made.length > 0) this.attributes.set(node.index, made)
    return made
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
    return node instanceof TreeNode ? this.store.textOf(node.index) : ''
  }

  getFirstChild(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    return hasChildren(node) ? this.along(this.store.next, this.store.first[node.index], bucket) : null
  }

  getLastChild(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    return hasChildren(node) ? this.along(this.store.previous, this.store.last[node.index], bucket) : null
  }

  getNextSibling(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    if (node instanceof TreeAttribute) return null
    return this.along(this.store.next, this.store.next[node.index], bucket)
  }

  getPreviousSibling(node: TreeNode, bucket?: Bucket | null): TreeNode | null {
    if (node instanceof TreeAttribute) return null
    return this.along(this.store.previous, this.store.previous[node.index], bucket)
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
      if (elements && this.store.kind[at] !== nodeKind.element) continue
      if (name !== undefined && this.store.nameOf(at) !== name) continue
      return this.node(at)
    }
    return null
  }

  getParentNode(node: TreeNode): TreeNode | null {
    if (node instanceof TreeAttribute) return node.owner
    return node.index === 0 ? null : this.node(this.store.parent[node.index] ?? 0)
  }

  private node(index: number): TreeNode {
    const known = this.nodes[index]
    if (known) return known
    const kind = this.store.kind[index] ?? nodeKind.document
    const made = new TreeNode(kind, index, this.store.nameOf(index))
    // Filled without holes, or the array would turn into a slow dictionary.
    while (this.nodes.length <= index) this.nodes.push(undefined)
    this.nodes[index] = made
    return made
  }
}

function hasChildren(node: TreeNode): boolean {
  return node.nodeType === nodeKind.element || node.nodeType === nodeKind.document
}
