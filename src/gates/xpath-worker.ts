import { parentPort, workerData } from 'node:worker_threads'
import fontoxpath from 'fontoxpath'
import type { XPathAnswer, XPathMessage, XPathTask } from './xpath.js'
import { engineText } from './xpath-check.js'
import { XmlTreeError } from './tree-store.js'
import type { XmlTree } from './xml-tree.js'
import { readXmlTree } from './xml-tree-file.js'

/** The thread that runXPath starts; the only thing of gates/ that happens on import. */
const maxDepth = 100

async function answerAll(task: XPathTask, post: (message: XPathMessage) => void): Promise<void> {
  let tree: XmlTree
  try {
    tree = await readXmlTree(task.file, { bytes: task.bytes, nodes: task.nodes, depth: maxDepth })
  } catch (error) {
    const why = error instanceof XmlTreeError ? error.message : 'testreport.xml cannot be read.'
    post({ unreadable: why })
    return
  }
  for (const [index, expression] of task.expressions.entries()) {
    post({ index, answer: answerOf(expression, tree) })
  }
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
    return Number.isFinite(value) ? { value } : { missing: 'What the expression finds is no number.' }
  } catch (error) {
    if (error instanceof RangeError) return { missing: 'The expression is nested too deeply.' }
    return { missing: `The expression could not be evaluated: ${engineText(error)}` }
  }
}

const port = parentPort
if (port) {
  const task: XPathTask = workerData
  await answerAll(task, (message) => port.postMessage(message))
}
