import { createReadStream } from 'node:fs'
import { ReportError } from '../../errors.js'
import { readXml, type Element } from '../../report/xml.js'
import { formatBytes } from '../../text/size.js'
import { nodeKind, TreeStore } from './tree-store.js'
import { XmlTree } from './xml-tree.js'

interface TreeBounds {
  bytes: number
  nodes: number
}

/**
 * Reads testreport.xml into a tree of elements, attributes and texts. Blanks between elements, comments and
 * processing instructions are left out; the engine's reports have no namespaces, and no text next to elements.
 *
 * @throws ReportError for anything but a test report in XML, and beyond the bounds
 */
export async function readXmlTree(path: string, bounds: TreeBounds): Promise<XmlTree> {
  const store = new TreeStore(bounds.nodes)
  let open = 0
  let name = 'testreport'
  const element: Element = {
    // Called for a child before its start.
    child: (childName) => {
      name = childName
      return element
    },
    start: (attributes) => {
      open = store.add(nodeKind.element, open, name)
      store.addAttributes(open, Object.entries(attributes))
    },
    text: (text) => {
      const blankBetween = store.first[open] !== 0 && text.trim() === ''
      if (text !== '' && !blankBetween) store.addText(open, text)
    },
    end: () => {
      open = store.parent[open] ?? 0
    },
  }
  await readXml(bounded(path, bounds.bytes), { name: 'testreport.xml', root: 'testreport', element })
  return new XmlTree(store)
}

async function* bounded(path: string, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    if (!(chunk instanceof Uint8Array)) continue
    bytes += chunk.length
    if (bytes > most) {
      throw new ReportError(
        `The testreport.xml of the report has more than ${formatBytes(most)}, the limit for xpath gates.`,
      )
    }
    yield chunk
  }
}
