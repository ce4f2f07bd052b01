import type { History } from '../history/history.js'
import type { Outcome } from '../outcome.js'
import { runTable, stepTable } from './history-tables.js'
import { figureTitle, keySeries } from './history-words.js'
import { blockSection, tableSection, type Section } from './markdown.js'

const mostRuns = 10
const mostSteps = 10
/** Runs of the chart; more are too close to be distinguished. */
const mostPoints = 30

/** The small form of the page: the latest steps and runs, and the first key figure as a chart that GitHub draws. */
export function historySections(outcome: Outcome, history: History): Section[] {
  return [
    ...tableSection(stepTable(outcome, history, mostSteps), 'heading', 6),
    ...blockSection('Chart', 8, chart(history)),
    ...tableSection(runTable(outcome, history, mostRuns), 'heading', 7),
  ]
}

/** Empty for fewer than two runs that measured it. */
function chart(history: History): string {
  const [series] = keySeries(history)
  const values = (series?.values ?? []).filter((value) => value !== null).slice(-mostPoints)
  if (!series || values.length < 2) return ''
  const most = Math.ceil(Math.max(1, ...values))
  return [
    '```mermaid',
    'xychart-beta',
    `    title "${figureTitle(series)}"`,
    `    x-axis "the ${values.length} latest runs that measured it" 1 --> ${values.length}`,
    `    y-axis "ms" 0 --> ${most}`,
    `    line [${values.map((value) => String(Number(value.toFixed(2)))).join(', ')}]`,
    '```',
  ].join('\n')
}
