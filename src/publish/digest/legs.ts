import { htmlText } from '../../text/foreign-text.js'
import { isGreen, worstFirst, type Leg, type MergeOutcome } from '../../outcome/outcome.js'
import { keyFigureTable } from '../summary/figure-tables.js'
import { otherReasons } from '../words/other-reasons.js'
import { foldedTable, listHtml, tableHtml } from './html.js'
import { section } from './page.js'
import { legHeadline, legTable, legTables } from '../summary/legs.js'
import type { Table } from '../words/table.js'
import { verdictWords } from '../words/verdict-words.js'

const elsewhere = 'The outcome file has them all.'

/** The digest of a matrix: a row for each leg, those that are red open below, the others folded. */
export function legDigest({ legs = [], notes }: MergeOutcome): string[] {
  const ordered = worstFirst(legs)
  const folded = ordered.filter(({ verdict }) => isGreen(verdict)).map(foldedLeg)
  return [
    section('Load tests', tableHtml(legTable(legs), elsewhere)),
    ...ordered.filter(({ verdict }) => !isGreen(verdict)).map(openLeg),
    listHtml('Notes', notes, []),
    section('Load tests that passed', folded.join('\n')),
  ]
}

function openLeg(leg: Leg): string {
  return `<section><h2>${titleOf(leg)}</h2>\n<p class="quiet">${htmlText(legHeadline(leg))}</p>\n${tables(leg)}</section>`
}

function foldedLeg(leg: Leg): string {
  const key = leg.outcome ? foldedTable(keyFigureTable(leg.outcome), elsewhere) : ''
  return `<details><summary>${titleOf(leg)}: ${htmlText(legHeadline(leg))}</summary>\n${tables(leg)}${key}</details>`
}

function titleOf({ name, verdict }: Leg): string {
  return `<bdi>${htmlText(name, 80)}</bdi>: ${verdictWords[verdict].word}`
}

function tables(leg: Leg): string {
  const reasons = leg.outcome ? otherReasons(leg.outcome) : []
  return [...reasons.map(({ text }) => `<p>${htmlText(text, 1000)}</p>`), ...legTables(leg).map(titled)].join(
    '\n',
  )
}

function titled(table: Table): string {
  const html = tableHtml(table, elsewhere)
  return html === '' ? '' : `<h3>${htmlText(table.title)}</h3>\n${html}`
}
