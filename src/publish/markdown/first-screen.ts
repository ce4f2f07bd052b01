import { markdownLine, markdownLink, markdownName, markdownText } from '../../text/foreign-text.js'
import { isGreen, type Leg, type MergeOutcome, type Outcome, worstFirst } from '../../outcome/outcome.js'
import { addedTimeLines, addedTimeTitle, worseTable } from '../words/changes.js'
import { checkTable } from '../words/check-words.js'
import { documents, links, pagesOf } from '../words/facts.js'
import {
  excusedGateTable,
  failedGateTables,
  openGateTables,
  unknownGateTables,
} from '../summary/gate-tables.js'
import { headline, listedReasons, verdictMeaning, wordsFor } from '../words/words.js'
import { blockSection, inARow, listSection, type Section, tableBlock, tableSection } from './markdown.js'
import { otherReasons, verdictWords } from '../words/verdict-words.js'
import { todoItem, whatToDo } from '../words/what-to-do.js'
import { legHeadline, legTable } from '../summary/leg-tables.js'
import { keyFigureTable } from '../summary/figure-tables.js'

/** The first line of summary and comment. */
export function headLine(outcome: Outcome): string {
  return `## ${wordsFor(outcome).icon} ${markdownText(headline(outcome), 250)}`
}

/** The beginning of summary and comment: what happened, what got worse, what to do. */
export function firstScreen(outcome: Outcome): Section[] {
  const pages = pagesOf(outcome)
  const todo = whatToDo(outcome).map((one) => todoItem(one, outcome))
  const isOfRun = outcome.kind === 'load-test'
  const gates = isOfRun ? outcome.gates : []
  const failed = failedGateTables(gates)
  const [decisive, ...other] = [failed.first, ...unknownGateTables(gates)]
    .filter(({ rows }) => rows.length > 0)
    .map((table) => tableSection(table, 'heading', 2))
  const shown = outcome.verdict === 'passed' ? 'folded' : 'heading'
  const what = listSection('What to do', 'heading', 2, todo)
  const reasons = listSection(
    'Reasons',
    'heading',
    3,
    listedReasons(outcome).map((text) => markdownLine(text, 1000, pages)),
  )
  return [
    ...meaningSection(outcome),
    ...linkSection(outcome),
    ...(outcome.kind === 'check' ? tableSection(checkTable(outcome.checks ?? []), 'heading', 2) : []),
    ...(outcome.verdict === 'failed' ? [] : reasons),
    ...what,
    ...(decisive ?? []),
    ...tableSection(excusedGateTable(gates), 'heading', 3),
    ...(isOfRun
      ? [
          ...tableSection(worseTable(outcome), shown, 3),
          ...listSection(
            addedTimeTitle,
            shown,
            3,
            addedTimeLines(outcome).map((text) => markdownLine(text, 1000)),
          ),
        ]
      : []),
    ...(outcome.verdict === 'failed' ? reasons : []),
    ...tableSection(failed.others, 'folded', 2),
    ...other.flat(),
    ...listSection(
      'Notes',
      'heading',
      5,
      outcome.notes.map((text) => markdownLine(text, 1000, pages)),
    ),
  ]
}

/** The sentence below the headline. */
function meaningSection(outcome: Outcome): Section[] {
  const { text, href } = documents.verdicts
  const meaning = `${markdownText(verdictMeaning(outcome))} ${markdownLink(text, href)}`
  return blockSection('Meaning of the verdict', 0, meaning)
}

/** What a reader can open. */
function linkSection(outcome: Outcome): Section[] {
  const toOpen = links(outcome).map(({ text, href }) => markdownLink(text, href))
  return blockSection('Links', 1, inARow(toOpen))
}

/** How much of each leg a page shows. */
interface LegDetail {
  gates: number
  changes: number
}

/** The sections of a page about the legs of a matrix: a row for each, those that are red open below, the others folded. */
export function legSections(outcome: MergeOutcome, legs: readonly Leg[], detail: LegDetail): Section[] {
  const ordered = worstFirst(legs)
  return [
    ...meaningSection(outcome),
    ...linkSection(outcome),
    ...tableSection(legTable(outcome), 'heading', 2),
    ...blocks(
      'Load tests that did not pass',
      3,
      ordered.filter(({ verdict }) => !isGreen(verdict)).map((leg) => openBlock(leg, detail)),
    ),
    ...listSection(
      'Notes',
      'heading',
      4,
      outcome.notes.map((text) => markdownLine(text, 1000)),
    ),
    ...blocks(
      'Load tests that passed',
      5,
      ordered.filter(({ verdict }) => isGreen(verdict)).map((leg) => foldedBlock(leg, detail)),
    ),
  ]
}

/** Where a page without room for all legs refers its readers to. */
export function legsElsewhere({ digest }: MergeOutcome): string {
  return digest ? `The ${markdownLink('digest', digest.url)} has them all.` : 'The outcome file has them all.'
}

function blocks(title: string, priority: number, rows: string[]): Section[] {
  return rows.length === 0 ? [] : [{ title, shown: 'no', priority, head: [], rows, noun: 'load test' }]
}

function openBlock(leg: Leg, { gates, changes }: LegDetail): string {
  const { outcome, name, verdict } = leg
  const reasons = outcome ? otherReasons(outcome).slice(0, changes) : []
  const parts = [
    `### ${verdictWords[verdict].icon} ${markdownName(name)}: ${markdownText(legHeadline(leg), 400)}`,
    reasons.map(({ text }) => `- ${markdownLine(text, 400)}`).join('\n'),
    ...(outcome ? openGateTables(outcome.gates).map((table) => tableBlock(table, gates)) : []),
    outcome ? tableBlock(worseTable(outcome), changes) : '',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function foldedBlock(leg: Leg, { gates, changes }: LegDetail): string {
  const { outcome, name, verdict } = leg
  const parts = outcome
    ? [
        ...openGateTables(outcome.gates).map((table) => tableBlock(table, gates)),
        tableBlock(worseTable(outcome), changes),
        tableBlock(keyFigureTable(outcome), gates),
      ]
    : []
  const summary = `${verdictWords[verdict].icon} ${markdownName(name)}: ${markdownText(legHeadline(leg))}`
  const body = parts.filter((part) => part !== '').join('\n\n')
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>\n`
}
