import { nodeKind } from './tree-store.js'
import type { XmlTree } from './xml-tree.js'

/** Strings and comments of an expression: what looks like a path in them is not one. */
const quoted = /"[^"]*"|'[^']*'|\(:[\s\S]*?:\)/g
const step = String.raw`\s*/\s*(?:child\s*::\s*)?([A-Za-z_][\w.-]*)(?!\s*(?:\(|::|[\w.-]))`
/** `/testreport/errors`, `testreport/summary/requests` or a star for the root. */
const section = new RegExp(
  String.raw`(?:(?<![\w.:$-])testreport|(?<![\w\])*./]\s*)/\s*\*)${step}(?:${step})?`,
  'g',
)

/**
 * A section of the report that an expression asks for by its whole path and that the report does not have, such as
 * `errors` or `summary/requests`: counting or adding up what is missing would give 0.
 */
export function missingSection(expression: string, tree: XmlTree): string | undefined {
  const [root] = elements(tree, tree.document)
  for (const [, first = '', second] of expression.replace(quoted, ' ').matchAll(section)) {
    const found = root && elements(tree, root).find(({ localName }) => localName === first)
    if (!found) return first
    if (first !== 'summary' || second === undefined) continue
    if (!elements(tree, found).some(({ localName }) => localName === second)) return `${first}/${second}`
  }
  return undefined
}

function elements(tree: XmlTree, node: Parameters<XmlTree['getChildNodes']>[0]) {
  return tree.getChildNodes(node, 'type-1').filter(({ nodeType }) => nodeType === nodeKind.element)
}
