import fontoxpath from 'fontoxpath'
import { ReportError } from '../errors.js'
import type { XPathAnswer, XPathMessage, XPathTask } from './xpath.js'
import { engineText, missingSection } from './expression.js'
import { type XmlTree, readXmlTree } from './xml-tree.js'

async function answerAll(task: XPathTask): Promise<void> {
  let tree: XmlTree
  try {
    tree = await readXmlTree(task.file, { bytes: task.bytes, nodes: task.nodes })
  } catch (error) {
    const why =
      error instanceof ReportError ? error.message : 'The testreport.xml of the report cannot be read.'
    await say({ unreadable: why })
    return
  }
  await say({ read: true })
  for (const expression of task.expressions) {
    const missing = missingSection(expression, tree)
    const answer: XPathAnswer =
      missing === undefined
        ? answerOf(expression, tree)
        : { missing: `The report has no section "${missing}", which the expression asks for.` }
    await say({ answer })
  }
}

/** Returns when it has been sent: what follows may end this process. */
function say(message: XPathMessage): Promise<void> {
  return new Promise((sent) => process.send?.(message, undefined, undefined, () => sent()))
}

function answerOf(expression: string, tree: XmlTree): XPathAnswer {
  try {
    const items: unknown[] = fontoxpath.evaluateXPath(
      expression,
      tree.document,
      tree,
      null,
      fontoxpath.ReturnType.ALL_RESULTS,
      { logger: { trace: () => undefined } },
    )
    if (items.length === 0) return { missing: 'The expression finds nothing in the report.' }
    if (items.length > 1) {
      return {
        missing: `The expression finds ${items.length} items, not one number; use max(), sum() or count().`,
      }
    }
    const value = fontoxpath.evaluateXPathToNumber('number($item)', null, tree, { item: items[0] })
    return Number.isFinite(value) ? { value } : { missing: 'The result of the expression is not a number.' }
  } catch (error) {
    if (error instanceof RangeError) {
      const isDeep = error.message.includes('call stack')
      return {
        missing: isDeep ? 'The expression is nested too deeply.' : 'The expression builds too large a text.',
      }
    }
    return { missing: `The expression could not be evaluated: ${engineText(error)}` }
  }
}

// The process that runXPath starts: the only file of gates/ that runs code on import.
process.once('message', (task: XPathTask) => {
  void answerAll(task).then(() => process.disconnect())
})
