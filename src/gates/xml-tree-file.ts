import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'
import { nodeKind, TreeStore, XmlTreeError } from './tree-store.js'
import { XmlTree } from './xml-tree.js'

export interface TreeBounds {
  bytes: number
  nodes: number
  depth: number
}

/** Reads testreport.xml. Throws XmlTreeError for what is no XML and for a document beyond the bounds. */
export async function readXmlTree(path: string, bounds: TreeBounds): Promise<XmlTree> {
  const store = new TreeStore(1 << 20, bounds.nodes)
  const parser = parserInto(store, bounds.depth)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream = createReadStream(path)
  let bytes = 0
  stream.on('data', (chunk) => {
    try {
      bytes += chunk.length
      if (bytes > bounds.bytes) {
        const megabytes = Math.round((bounds.bytes / 1024 / 1024) * 10) / 10
        throw new XmlTreeError(`testreport.xml is larger than ${megabytes} MB, the most for xpath gates.`)
      }
      parser.write(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    } catch (error) {
      stream.destroy(
        error instanceof XmlTreeError ? error : new XmlTreeError('testreport.xml is not XML in UTF-8.'),
      )
    }
  })
  await once(stream, 'end')
  parser.write(decoder.decode())
  parser.close()
  return new XmlTree(store)
}

function parserInto(store: TreeStore, maxDepth: number): SaxesParser<{ xmlns: true }> {
  const parser = new SaxesParser({ xmlns: true })
  let open = 0
  let depth = 0
  const text = (data: string): void => {
    if (open !== 0 && data !== '') store.addText(open, data)
  }
  parser.on('error', (error) => {
    throw new XmlTreeError(`testreport.xml is not well-formed XML (${error.message.slice(0, 100)}).`)
  })
  parser.on('doctype', () => {
    throw new XmlTreeError('testreport.xml has a document type, which no report has.')
  })
  parser.on('opentag', (tag) => {
    if (++depth > maxDepth)
      throw new XmlTreeError(`testreport.xml is nested deeper than ${maxDepth} elements.`)
    open = store.add(nodeKind.element, open, tag)
    // Declarations of namespaces are no attributes for XPath.
    const attributes = Object.values(tag.attributes).filter(
      (one) => one.prefix !== 'xmlns' && one.name !== 'xmlns',
    )
    store.addAttributes(
      open,
      attributes.map((one) => ({ name: store.shared(one), value: one.value })),
    )
  })
  parser.on('closetag', () => {
    depth--
    open = store.parent[open] ?? 0
  })
  parser.on('text', text)
  parser.on('cdata', text)
  parser.on('comment', (data) => store.addData(nodeKind.comment, open, data))
  parser.on('processinginstruction', ({ target, body }) => {
    store.addData(nodeKind.instruction, open, body, { prefix: '', local: target, uri: '' })
  })
  return parser
}
