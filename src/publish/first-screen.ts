import { markdownLink, markdownText } from '../text/foreign-text.js'
import type { Outcome } from '../outcome.js'
import { changeTable, changeText } from './changes.js'
import { checkTable } from './check-table.js'
import { links, pagesOf } from './facts.js'
import { openGateTables } from './gate-tables.js'
import { headline } from './headline.js'
import { blockSection, inARow, listSection, tableSection, type Section } from './markdown.js'
import { otherReasons } from './other-reasons.js'
import { verdictMeaning, wordsFor } from './verdict-words.js'
import { whatToDo } from './what-to-do.js'

/** The first line of summary and comment. */
export function headLine(outcome: Outcome): string {
  return `## ${wordsFor(outcome).icon} ${markdownText(headline(outcome), 250)}`
}

/** The beginning of summary and comment: what happened, what changed most, what to do. */
export function firstScreen(outcome: Outcome): Section[] {
  const toOpen = links(outcome).map(({ text, href }) => markdownLink(text, href))
  const pages = pagesOf(outcome)
  return [
    ...blockSection('Meaning of the verdict', 0, markdownText(verdictMeaning(outcome))),
    ...blockSection('Links', 1, inARow(toOpen)),
    ...tableSection(checkTable(outcome.checks ?? []), 'heading', 2),
    ...openGateTables(outcome.gates).flatMap((table) => tableSection(table, 'heading', 2)),
    ...tableSection(changeTable(outcome), 'heading', 3, changeLead(outcome)),
    ...listSection('Reasons', 'heading', 3, listedReasons(outcome), pages),
    ...listSection('What to do', 'heading', 4, whatToDo(outcome), pages),
    ...listSection('Notes', 'heading', 5, outcome.notes, pages),
  ]
}

/** Those that the page does not show already, without what headline and meaning say. */
export function listedReasons(outcome: Outcome): string[] {
  const above = `${headline(outcome)}. ${verdictMeaning(outcome)}`.toLowerCase()
  return otherReasons(outcome).filter((reason) => !above.includes(reason.toLowerCase()))
}

/** Unless it already follows the headline. */
function changeLead(outcome: Outcome): string[] {
  return outcome.verdict === 'passed' ? [] : [markdownText(changeText(outcome)), '']
}
