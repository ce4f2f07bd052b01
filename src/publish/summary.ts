import { markdownLink, markdownText } from '../text/foreign-text.js'
import { resultSentence, verdictOf } from '../gates/verdict.js'
import type { Outcome } from '../outcome.js'
import { checkTable } from './check-table.js'
import { factList, links, type Fact } from './facts.js'
import { keyFigureTable, timerTables } from './figure-tables.js'
import { plainNumber, plural, wholeRunText } from './figure-text.js'
import { fit, type Page } from './fit.js'
import { gateTable, openGates, passedGates } from './gate-tables.js'
import { headline } from './headline.js'
import { blockSection, listSection, tableSection, type Section } from './markdown.js'
import { slowestRequestsChart } from './mermaid.js'
import { agentTable, errorTable, responseCodeTable, scorecardTable, webVitalTable } from './report-tables.js'
import { trendTable } from './trend-table.js'
import { verdictMeaning, verdictWords } from './verdict-words.js'

/** GitHub takes 1 MiB for the summary of a step; the rest is left to whatever else the step writes. */
export const summaryLimit = 1024 * 1024 - 16 * 1024

/** The outcome as Markdown for the job summary, smaller than `limitBytes` bytes of UTF-8. */
export function renderSummary(outcome: Outcome, limitBytes = summaryLimit): string {
  return fit({ ...page(outcome), tail: '' }, limitBytes)
}

/** What summary and comment share. */
export function page(outcome: Outcome): Omit<Page, 'tail'> {
  return {
    head: `## ${verdictWords[outcome.verdict].icon} ${markdownText(headline(outcome), 250)}`,
    sections: sections(outcome),
    elsewhere: elsewhere(outcome),
  }
}

function sections(outcome: Outcome): Section[] {
  const open = openGates(outcome.gates)
  const passed = passedGates(outcome.gates)
  const compared = outcome.comparison !== undefined
  return [
    ...blockSection('Meaning of the verdict', 0, markdownText(verdictMeaning(outcome))),
    ...blockSection('Links', 1, links(outcome).map(linkText).join(' · ')),
    ...tableSection(checkTable(outcome.checks ?? []), 'heading', 2),
    ...tableSection(gateTable('Gates that did not hold', open), 'heading', 2),
    ...listSection('Reasons', 'heading', 3, otherReasons(outcome)),
    ...listSection('What to do', 'heading', 4, outcome.advice),
    ...listSection('Validity notes', 'heading', 5, outcome.notes),
    ...tableSection(keyFigureTable(outcome), 'heading', 6, compared ? [comparedText(outcome), ''] : []),
    ...tableSection(trendTable(outcome), 'heading', 7),
    ...blockSection('Chart of the slowest requests', 9, slowestRequestsChart(outcome)),
    ...tableSection(errorTable(outcome), 'folded', 8),
    ...timerTables(outcome).flatMap((table, index) => tableSection(table, 'folded', 10 + index)),
    ...tableSection(responseCodeTable(outcome), 'folded', 15),
    ...tableSection(webVitalTable(outcome), 'folded', 16),
    ...tableSection(agentTable(outcome), 'folded', 17),
    ...tableSection(scorecardTable(outcome), 'folded', 18),
    ...tableSection(gateTable(`Gates that held (${plainNumber(passed.length)})`, passed), 'folded', 19),
    ...blockSection('Facts', 7, factList(outcome).map(factText).join(' · ')),
  ]
}

/** What a reader should know of the differences. */
export function comparedText({ comparison }: Outcome): string {
  const run = wholeRunText(comparison?.noise)
  return `${run === '' ? '' : `${run} `}Only a difference that is more than noise is called better or worse.`
}

/** The reasons that the tables of gates and checks do not tell already. */
export function otherReasons({ reasons, gates, checks = [] }: Outcome): string[] {
  const told = new Set([
    ...gates.map(resultSentence),
    ...verdictOf(gates).reasons,
    ...checks.map(({ sentence }) => sentence),
  ])
  return reasons.filter((reason) => !told.has(reason))
}

/** `Commit abc1234`, linked where there is an address. */
export function factText({ label, text, href }: Fact): string {
  return `${label} ${markdownLink(text, href)}`
}

function linkText({ label, text, href }: Fact): string {
  return markdownLink(`${label} ${text}`, href)
}

function elsewhere({ report, run, gates }: Outcome): string {
  const all = gates.length > 0 ? ` The outcome file has all of ${plural(gates.length, 'gate result')}.` : ''
  if (report?.artifact) return `The ${markdownLink('report', report.artifact.url)} has every figure.${all}`
  if (run) return `The ${markdownLink('load test', run.url)} has every figure.${all}`
  return `The outcome file has everything.${all}`
}
