import fontoxpath from 'fontoxpath'
import { fieldsOf } from '../text/fields.js'
import { oneLine, shortWords } from '../text/foreign-text.js'
import { nodeKind, type XmlTree } from './xml-tree.js'

/**
 * Compiles an XPath 3.1 expression without evaluating it, so that unknown functions, prefixes and variables are found
 * before a run is paid for. Undefined if it is valid.
 */
export function checkXPath(expression: string): { offset: number; sentence: string } | undefined {
  if (!expression.trim()) return { offset: 0, sentence: 'The XPath expression is empty.' }
  try {
    // Parses only.
    fontoxpath.getBucketForSelector(expression)
  } catch (error) {
    if (error instanceof RangeError) return tooDeep
    return syntaxSlip(expression)
  }
  try {
    // The branch is compiled, never taken.
    fontoxpath.evaluateXPath(
      `if (false()) then (\n${expression}\n) else ()`,
      null,
      null,
      null,
      fontoxpath.ReturnType.ALL_RESULTS,
    )
  } catch (error) {
    if (error instanceof RangeError) return tooDeep
    return {
      offset: 0,
      sentence: shortWords(`The XPath expression cannot be used: ${engineText(error)}`, 300),
    }
  }
  return undefined
}

const tooDeep = { offset: 0, sentence: 'The XPath expression is nested too deeply.' }

/** The engine reports the place only when evaluating; what does not parse is never evaluated. */
function syntaxSlip(expression: string) {
  try {
    fontoxpath.evaluateXPath(expression, null)
  } catch (error) {
    const offset = Math.min(offsetOf(error), expression.length)
    const rest = expression.slice(offset)
    const near = rest.trim() ? `at "${oneLine(rest, 30)}"` : 'at its end'
    return { offset, sentence: `The XPath expression is not valid ${near}.` }
  }
  return { offset: 0, sentence: 'The XPath expression is not valid.' }
}

function offsetOf(error: unknown): number {
  if (!(error instanceof Error) || !('position' in error)) return 0
  const { offset } = fieldsOf(fieldsOf(error.position).start)
  return typeof offset === 'number' && offset >= 0 ? offset : 0
}

/** The engine's message, without the excerpt that it prints around it. */
export function engineText(error: unknown): string {
  const message = error instanceof Error ? error.message : 'unknown error'
  const tidy = message
    .replace(/^(?:position )?\d+: [\s\S]*?Error: (?=[A-Z]{4}\d{4})/, '')
    .replace(/Q\{http:\/\/www\.w3\.org\/2005\/xpath-functions\}/g, '')
    .replace(/\n\s*at <[\s\S]*$/, '')
  return tidy.replace(/[.\s]*$/, '.')
}

/** Strings and comments of an expression: what looks like a path in them is not one. */
const quoted = /"[^"]*"|'[^']*'|\(:[\s\S]*?:\)/g
const step = String.raw`\s*/\s*(?:child\s*::\s*)?([A-Za-z_][\w.-]*)(?!\s*(?:\(|::|[\w.-]))`
const chosen = String.raw`(?:\s*\[[^\]]*\])?`
/** `/testreport/errors`, `child::testreport/summary[1]/requests` or a star for the root. */
const section = new RegExp(
  String.raw`(?:(?<![\w.:$-])(?:child\s*::\s*)?testreport|(?<![\w\])*./]\s*)/\s*\*)${chosen}(?:\s*\))?${step}(?:${chosen}${step})?`,
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
