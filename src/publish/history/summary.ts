import { unitOf } from '../../figures/metrics.js'
import type { History } from '../../outcome/history.js'
import type { Outcome } from '../../outcome/outcome.js'
import { chartLook } from '../comment/change-chart.js'
import { runTable, changePointTable, slowdownNote, trialTable } from './tables.js'
import { figureTitle, keySeries } from './words.js'
import { blockSection, tableSection, type Section } from '../comment/markdown.js'

/** A table of more figures is wider than the page. */
const mostInTable = { runs: 10, figures: 3 }
const labels = { labelFontSize: 11, titleFontSize: 12 }
const mostChanges = 10
/** Runs on the chart; more would be too close to be distinguished. */
const mostPoints = 30

/** The small form of the page: the latest changes and runs, and the first key figure as a chart that GitHub draws. */
export function historySections(outcome: Outcome, history: History): Section[] {
  const { trial } = history
  return [
    ...(trial && history.runs.length > 0
      ? tableSection(trialTable(trial), 'heading', 5, [slowdownNote, ''])
      : []),
    ...tableSection(changePointTable(outcome, history, mostChanges), 'heading', 6),
    ...blockSection('Chart', 8, chart(history)),
    ...tableSection(runTable(outcome, history, mostInTable), 'heading', 7),
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
    chartLook({ width: 420, height: 240, titleFontSize: 14, xAxis: labels, yAxis: labels }),
    'xychart-beta',
    `    title "${figureTitle(series)}"`,
    `    x-axis "the ${values.length} latest runs that measured it" 1 --> ${values.length}`,
    `    y-axis "${unitOf(series.metric)}" 0 --> ${most}`,
    `    line [${values.map((value) => String(Number(value.toFixed(2)))).join(', ')}]`,
    '```',
  ].join('\n')
}
