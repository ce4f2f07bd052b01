import { markdownLine, markdownLink, markdownText } from '../../text/foreign-text.js'
import type { Outcome } from '../../outcome/outcome.js'
import { addedTimeLines, addedTimeTitle, worseTable } from '../words/changes.js'
import { checkTable } from '../words/check.js'
import { documents, links, pagesOf } from '../words/facts.js'
import { excusedGateTable, failedGateTables, unknownGateTables } from '../summary/gate-tables.js'
import { headline, verdictMeaning } from '../words/words.js'
import { blockSection, inARow, listSection, tableSection, type Section } from './markdown.js'
import { otherReasons } from '../words/other-reasons.js'
import { wordsFor } from '../words/verdict-words.js'
import { todoItem, whatToDo } from '../words/what-to-do.js'

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
  return [
    ...meaningSection(outcome),
    ...(outcome.kind === 'check' ? tableSection(checkTable(outcome.checks ?? []), 'heading', 2) : []),
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
    ...listSection(
      'Reasons',
      'heading',
      3,
      listedReasons(outcome).map((text) => markdownLine(text, 1000, pages)),
    ),
    ...listSection('What to do', 'heading', 4, todo),
    ...tableSection(failed.others, 'folded', 2),
    ...other.flat(),
    ...listSection(
      'Notes',
      'heading',
      5,
      outcome.notes.map((text) => markdownLine(text, 1000, pages)),
    ),
    ...linkSection(outcome),
  ]
}

/** The sentence below the headline. */
export function meaningSection(outcome: Outcome): Section[] {
  const { text, href } = documents.verdicts
  const meaning = `${markdownText(verdictMeaning(outcome))} ${markdownLink(text, href)}`
  return blockSection('Meaning of the verdict', 0, meaning)
}

/** What a reader can open. */
export function linkSection(outcome: Outcome): Section[] {
  const toOpen = links(outcome).map(({ text, href }) => markdownLink(text, href))
  return blockSection('Links', 1, inARow(toOpen))
}

/** The reasons that the page does not show already, without what headline and meaning say. */
export function listedReasons(outcome: Outcome): string[] {
  const above = `${headline(outcome)}. ${verdictMeaning(outcome)}`.toLowerCase()
  return otherReasons(outcome).flatMap(({ text }) => (above.includes(text.toLowerCase()) ? [] : [text]))
}
