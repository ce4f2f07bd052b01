import {
  markdownBlock,
  markdownLine,
  markdownLink,
  markdownText,
  markdownName,
} from '../../text/foreign-text.js'
import type { LoadTestOutcome, Outcome, History, Leg, MergeOutcome } from '../../outcome/outcome.js'
import { isGreen, worstFirst } from '../../outcome/outcome.js'
import { changeChart, runChart, trendCharts } from './change-chart.js'
import { codeFacts, documents, type Fact, loadFacts, links, pagesOf } from '../words/facts.js'
import { markedText } from '../words/figure-text.js'
import { keyFigureTable, legTable, legTables } from '../summary/figure-tables.js'
import type { Page, Section } from './markdown.js'
import { blockSection, fit, inARow, listSection, paragraphs, tableBlock, tableSection } from './markdown.js'
import { measuredTables, trendTable } from '../summary/report-tables.js'
import { unitOf } from '../../figures/metrics.js'
import { changePointTable, runTable, slowdownNote, trialTable } from '../history/tables.js'
import { figureTitle, keySeries } from '../words/history-words.js'
import { addedTimeTitle, worseTable } from '../words/changes.js'
import { excusedGateTable, mostGates, openGateTables } from '../summary/gate-tables.js'
import { checkTexts, headline, legHeadline, verdictMeaning, wordsFor } from '../words/words.js'
import { otherReasons, verdictWords } from '../words/verdict-words.js'
import { listedReasons, whatToDo, suggestionText } from '../words/what-to-do.js'

/** GitHub takes 1 MiB for the summary of a step; the rest is for whatever else the step writes. */
export const summaryLimit = 1024 * 1024 - 16 * 1024

/** Rows of a table that the summary shows of each leg of a matrix. */
const rowsOfLeg = 50

/** The outcome as Markdown for the job summary, smaller than `limitBytes` bytes of UTF-8. */
export function renderSummary(outcome: Outcome, limitBytes = summaryLimit): string {
  return fit(facePage(outcome, rowsOfLeg, details), limitBytes)
}

/** A page that begins as summary and comment do, with the sections of its own below. */
export function facePage(
  outcome: Outcome,
  mostOfLeg: number,
  own: (outcome: Outcome) => Section[],
): Omit<Page, 'tail'> {
  return {
    head: `## ${wordsFor(outcome).icon} ${markdownText(headline(outcome), 250)}`,
    sections:
      outcome.kind === 'merge' && outcome.legs
        ? legSections(outcome, outcome.legs, mostOfLeg)
        : [...firstScreen(outcome), ...own(outcome)],
  }
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

export function factSection(facts: readonly Fact[], shown: 'folded' | 'no'): Section[] {
  const texts = facts.map(({ label, text, href }) => `${label}:\u00a0${markdownLink(text, href)}`)
  return blockSection('Load and versions', 7, inARow(texts), shown)
}

/** A table of more figures is wider than the page. */
const mostInTable = { runs: 10, figures: 3 }
/** Runs on the chart; more would be too close to be distinguished. */
const mostPoints = 30

/** The small form of the page: the latest changes and runs, and the first key figure as a chart that GitHub draws. */
function historySections(outcome: Outcome, history: History): Section[] {
  const { trial } = history
  return [
    ...(trial && history.runs.length > 0
      ? tableSection(trialTable(trial), 'heading', 5, [slowdownNote, ''])
      : []),
    ...tableSection(changePointTable(outcome, history, 10), 'heading', 6),
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

/** The beginning of summary and comment: what happened, what got worse, what to do. */
function firstScreen(outcome: Outcome): Section[] {
  const pages = pagesOf(outcome)
  const isOfRun = outcome.kind === 'load-test'
  const gates = isOfRun ? outcome.gates : []
  const checked = checkTexts((outcome.kind === 'check' && outcome.checks) || [])
  const [first, others, ...unknown] = openGateTables(gates, mostGates)
  const shown = outcome.verdict === 'passed' ? 'folded' : 'heading'
  const reasons = listSection('Reasons', 'heading', 3, sentences(listedReasons(outcome), pages))
  const todo = todoSection(outcome)
  return [
    ...meaningSections(outcome),
    ...(outcome.verdict === 'failed' ? [...todo, ...reasons] : [...reasons, ...todo]),
    ...listSection('What was checked', 'heading', 2, sentences(checked)),
    ...tableSection(first, 'heading', 2),
    ...tableSection(others, 'folded', 2),
    ...unknown.flatMap((table) => tableSection(table, 'heading', 2)),
    ...tableSection(excusedGateTable(gates), 'heading', 3),
    ...(isOfRun
      ? [
          ...tableSection(worseTable(outcome), shown, 3),
          ...listSection(addedTimeTitle, shown, 3, sentences(outcome.comparison?.addedTime ?? [])),
        ]
      : []),
    ...listSection('Notes', 'heading', 5, sentences(outcome.notes, pages)),
  ]
}

function todoSection(outcome: Outcome): Section[] {
  const pages = pagesOf(outcome)
  const items = whatToDo(outcome).map(({ text, links }) => {
    const linked = inARow(links.map((link) => markdownLink(link.text, link.href)))
    return `${markdownLine(text, 1000, pages)} ${linked}`.trimEnd()
  })
  return listSection('What to do', 'heading', 2, items)
}

function sentences(texts: readonly string[], pages?: readonly string[]): string[] {
  return texts.map((text) => markdownLine(text, 1000, pages))
}

/** Below the headline: its meaning, and what a reader can open. */
function meaningSections(outcome: Outcome): Section[] {
  const { text, href } = documents.verdicts
  const meaning = `${markdownText(verdictMeaning(outcome))} ${markdownLink(text, href)}`
  const toOpen = links(outcome).map((link) => markdownLink(link.text, link.href))
  return [...blockSection('Meaning of the verdict', 0, meaning), ...blockSection('Links', 1, inARow(toOpen))]
}

/** The sections of a page about the legs of a matrix: a row for each, those that are red open below, the others folded. */
function legSections(outcome: MergeOutcome, legs: readonly Leg[], most: number): Section[] {
  const ordered = worstFirst(legs)
  // Of one without an outcome, the table has said all.
  const red = ordered
    .filter(({ verdict, outcome: of }) => of && !isGreen(verdict))
    .map((leg) => legBlock(leg, most))
  const green = ordered.filter(({ verdict }) => isGreen(verdict)).map((leg) => legBlock(leg, most))
  return [
    ...meaningSections(outcome),
    ...todoSection(outcome),
    ...tableSection(legTable(outcome, legs), 'heading', 2),
    ...blocks('Load tests that did not pass', 3, red),
    ...listSection('Notes', 'heading', 4, sentences(outcome.notes)),
    ...blocks('Load tests that passed', 5, green),
  ]
}

function blocks(title: string, priority: number, rows: string[]): Section[] {
  return rows.length === 0 ? [] : [{ title, shown: 'no', priority, head: [], rows, noun: 'load test' }]
}

/** Reasons of a leg; its own comment has them all. */
const mostReasons = 5

function legBlock(leg: Leg, most: number): string {
  const { name, verdict, outcome } = leg
  const reasons = outcome ? otherReasons(outcome).slice(0, mostReasons) : []
  const list = reasons.map(({ text }) => `- ${markdownLine(text, 400)}`).join('\n')
  const body = paragraphs([list, ...legTables(leg).map((table) => tableBlock(table, most))])
  const title = `${verdictWords[verdict].icon} ${markdownName(name)}: ${markdownText(legHeadline(leg), 400)}`
  return `<details${isGreen(verdict) ? '' : ' open'}>\n<summary>${title}</summary>\n\n${body}\n\n</details>\n`
}
