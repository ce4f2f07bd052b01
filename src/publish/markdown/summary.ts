import { markdownBlock, markdownLine, markdownLink, markdownText } from '../../text/foreign-text.js'
import type { LoadTestOutcome, Outcome, History } from '../../outcome/outcome.js'
import { changeChart, runChart, trendCharts } from './change-chart.js'
import { codeFacts, documents, type Fact, loadFacts } from '../words/facts.js'
import { markedText } from '../words/figure-text.js'
import { keyFigureTable } from '../summary/figure-tables.js'
import { plural } from '../../text/plural.js'
import { firstScreen, headLine, legSections, legsElsewhere } from './first-screen.js'
import { blockSection, fit, inARow, type Section, tableSection } from './markdown.js'
import { measuredTables, trendTable } from '../summary/report-tables.js'
import { suggestionText } from '../words/suggestion-text.js'
import { unitOf } from '../../figures/metrics.js'
import { changePointTable, runTable, slowdownNote, trialTable } from '../history/tables.js'
import { figureTitle, keySeries } from '../words/history-words.js'

/** GitHub takes 1 MiB for the summary of a step; the rest is for whatever else the step writes. */
export const summaryLimit = 1024 * 1024 - 16 * 1024

/** How much the summary shows of each leg of a matrix. */
const legDetail = { gates: 50, changes: 5 }

/** The outcome as Markdown for the job summary, smaller than `limitBytes` bytes of UTF-8. */
export function renderSummary(outcome: Outcome, limitBytes = summaryLimit): string {
  const page = {
    head: headLine(outcome),
    ...(outcome.kind === 'merge' && outcome.legs
      ? { sections: legSections(outcome, outcome.legs, legDetail), elsewhere: legsElsewhere(outcome) }
      : { sections: [...firstScreen(outcome), ...details(outcome)], elsewhere: elsewhere(outcome) }),
    tail: '',
  }
  return fit(page, limitBytes)
}

function details(outcome: Outcome): Section[] {
  if (outcome.kind === 'load-test') return measured(outcome)
  return outcome.kind === 'history' && outcome.history
    ? historySections(outcome, outcome.history)
    : factSection(codeFacts(outcome), 'no')
}

function measured(outcome: LoadTestOutcome): Section[] {
  return [
    ...tableSection(keyFigureTable(outcome), 'heading', 6, outcome.comparison ? [markedText, ''] : []),
    ...tableSection(trendTable(outcome), 'heading', 7),
    ...blockSection('Chart', 9, changeChart(outcome)),
    ...blockSection('Trend as charts', 9, trendCharts(outcome), 'folded'),
    ...suggestionSection(outcome),
    ...measuredTables(outcome).flatMap((table, index) => tableSection(table, 'folded', 8 + index)),
    ...factSection([...loadFacts(outcome), ...codeFacts(outcome)], 'no'),
  ]
}

function suggestionSection(outcome: LoadTestOutcome): Section[] {
  const suggested = suggestionText(outcome)
  if (!suggested) return []
  const { title, lead, block, notes } = suggested
  const list = notes.map((note) => `- ${markdownLine(note, 1000)}`).join('\n')
  const { text, href } = documents.limits
  const parts = [
    `${markdownText(lead)} ${markdownLink(text, href)}`,
    markdownBlock(block),
    ...(list === '' ? [] : [list]),
  ]
  return blockSection(title, 8, parts.join('\n\n'), 'folded')
}

/** Facts in one paragraph. */
export function factSection(facts: readonly Fact[], shown: 'folded' | 'no'): Section[] {
  return blockSection('Load and versions', 7, inARow(facts.map(factText)), shown)
}

/** `Commit: abc1234`, linked where there is an address. */
function factText({ label, text, href }: Fact): string {
  return `${label}:\u00a0${markdownLink(text, href)}`
}

/** Where to find what does not fit on a page. */
export function elsewhere(outcome: Outcome): string {
  if (outcome.kind === 'history' && outcome.historyPage)
    return `The ${markdownLink('page', outcome.historyPage.artifact?.url)} has everything.`
  if (outcome.kind !== 'load-test') return 'The outcome file has everything.'
  const { report, run, gates } = outcome
  const all = gates.length > 0 ? ` The outcome file has all ${plural(gates.length, 'gate result')}.` : ''
  if (report?.artifact) return `The ${markdownLink('report', report.artifact.url)} has every figure.${all}`
  if (run?.url !== undefined) return `The ${markdownLink('load test', run.url)} has every figure.${all}`
  return `The outcome file has everything.${all}`
}

/** A table of more figures is wider than the page. */
const mostInTable = { runs: 10, figures: 3 }
const mostChanges = 10
/** Runs on the chart; more would be too close to be distinguished. */
const mostPoints = 30

/** The small form of the page: the latest changes and runs, and the first key figure as a chart that GitHub draws. */
function historySections(outcome: Outcome, history: History): Section[] {
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

/** Of the runs that measured it. */
function chart(history: History): string {
  const [series] = keySeries(history)
  if (!series) return ''
  const values = series.values.filter((value) => value !== null).slice(-mostPoints)
  return runChart(figureTitle(series), unitOf(series.metric), values)
}
