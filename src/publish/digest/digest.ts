import { htmlBlock, htmlText } from '../../text/foreign-text.js'
import type { Leg, LoadTestOutcome, MergeOutcome } from '../../outcome/outcome.js'
import { isGreen, worstFirst } from '../../outcome/outcome.js'
import { addedTimeTitle, worseTable } from '../words/changes.js'
import { barCharts, timelineHtml } from './drawn-charts.js'
import { digestStyle } from './style.js'
import { codeFacts, documents, type Fact, links, loadFacts, pagesOf, timeText } from '../words/facts.js'
import { differenceCell, keyFigures, keyFigureTable, legTable, legTables } from '../summary/figure-tables.js'
import { headline, legHeadline, legWord, verdictMeaning, wordsFor } from '../words/words.js'
import { openGateTables } from '../summary/gate-tables.js'
import {
  chartsAndSteady,
  foldedTable,
  htmlPage,
  linkHtml,
  listHtml,
  listOf,
  section,
  tableHtml,
} from './html.js'
import { measuredTables, trendTable } from '../summary/report-tables.js'
import { markedText, pairText, withFirstLetter } from '../words/figure-text.js'
import type { Table, Tone } from '../words/table.js'
import { otherReasons, undecided, verdictWords } from '../words/verdict-words.js'
import { listedReasons, whatToDo, suggestionText } from '../words/what-to-do.js'

/**
 * The outcome as one HTML file without a script. The verdict comes first, then what failed, what changed, the figures,
 * and everything else folded.
 */
export function renderDigest(outcome: LoadTestOutcome | MergeOutcome, reportCharts = ''): string {
  const { icon, word, tone } = wordsFor(outcome)
  return htmlPage({
    title: headline(outcome),
    icon,
    style: digestStyle,
    tone,
    tag: `${verdictSvg(tone, icon)}${word}`,
    below: [`<p>${htmlText(verdictMeaning(outcome))}</p>`, linksHtml(outcome)],
    sections: outcome.kind === 'merge' ? legDigest(outcome) : sections(outcome, reportCharts),
    hasPictures: reportCharts !== '',
  })
}

function sections(outcome: LoadTestOutcome, reportCharts: string): string[] {
  const pages = pagesOf(outcome)
  const open = (table: Table, note = '') => section(table.title, tableHtml(table), note)
  const folded = measuredTables(outcome).map(foldedTable)
  const reasons = listHtml('Reasons', listedReasons(outcome), pages)
  return [
    outcome.verdict === 'failed' ? '' : reasons,
    section('What to do', listOf(whatToDo(outcome), pages)),
    ...openGateTables(outcome.gates).map((table) => open(table)),
    open(worseTable(outcome)),
    listHtml(addedTimeTitle, outcome.comparison?.addedTime ?? [], pages),
    outcome.verdict === 'failed' ? reasons : '',
    listHtml('Notes', outcome.notes, pages),
    keyFiguresHtml(outcome),
    section('Trend', tableHtml(trendTable(outcome))),
    timelineHtml(outcome),
    reportCharts,
    section('Charts', chartsAndSteady(barCharts(outcome))),
    section('Everything that was measured', folded.filter((html) => html !== '').join('\n')),
    section('Gates that these figures support', suggestionHtml(outcome)),
    section('About this run', factsHtml(outcome)),
  ]
}

// Drawn, since not every machine has a font with these signs in it.
function verdictSvg(tone: Tone, icon: string): string {
  const drawn: Record<string, string> = {
    [verdictWords.started.icon]: 'M10 5.5V10l3 2',
    [verdictWords.failed.icon]: 'M7 7l6 6M13 7l-6 6',
    [verdictWords.error.icon]: 'M10 5.5v5.5M10 14v.4',
    [undecided.icon]: 'M10 9v5.5M10 5.6v.4',
  }
  const sign = drawn[icon] ?? 'M6 10.4l2.8 2.8L14 7.4'
  return `<svg class="sign ${tone}" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="9"/><path d="${sign}"/></svg>`
}

function linksHtml(outcome: LoadTestOutcome | MergeOutcome): string {
  const all = links(outcome)
    .filter(({ href }) => href === undefined || href !== outcome.digest?.url)
    .map(({ text, href }) => `<span>${linkHtml(text, href)}</span>`)
  return all.length === 0 ? '' : `<p class="links">${all.join(' ')}</p>`
}

function keyFiguresHtml(outcome: LoadTestOutcome): string {
  const tiles = keyFigures(outcome).map(tile)
  if (tiles.length === 0) return ''
  const note = outcome.comparison ? markedText : ''
  return section('Key figures', `<ul class="tiles">${tiles.join('')}</ul>`, note)
}

function tile(figure: ReturnType<typeof keyFigures>[number]): string {
  const { text, tone } = differenceCell(figure, figure.unit)
  const { before, now } = pairText(figure, figure.unit)
  const look = tone === undefined ? '' : ` class="${tone}"`
  const compared =
    figure.baseline === undefined
      ? ''
      : `<span>before ${htmlText(before)}</span><span${look}>${htmlText(text)}</span>`
  return `<li class="tile"><span>${htmlText(figure.title)}</span><b>${htmlText(now)}</b>${compared}</li>`
}

function suggestionHtml(outcome: LoadTestOutcome): string {
  const suggested = suggestionText(outcome)
  if (!suggested) return ''
  const { title, lead, block, notes } = suggested
  const notesHtml = notes.map((text) => ({ text, links: [] }))
  const { text, href } = documents.limits
  const body = `<p>${htmlText(lead)} ${linkHtml(text, href)}</p>\n<pre class="card">${htmlBlock(block)}</pre>\n${listOf(notesHtml, [])}`
  return `<details><summary>${title}</summary>\n${body}</details>`
}

function factsHtml(outcome: LoadTestOutcome): string {
  const { step } = outcome
  const all: Fact[] = [
    ...loadFacts(outcome),
    ...codeFacts(outcome),
    { label: 'Action version', text: step.actionVersion },
    { label: 'Step started', text: timeText(step.startedAt) },
  ]
  const entries = all.map(
    ({ label, text, href }) => `<div><dt>${label}</dt><dd>${linkHtml(text, href)}</dd></div>`,
  )
  return `<dl class="card">${entries.join('')}</dl>`
}

/** The digest of a matrix: a row for each leg, those that are red open below, the others folded. */
function legDigest(outcome: MergeOutcome): string[] {
  const { legs = [], notes } = outcome
  const ordered = worstFirst(legs)
  const folded = ordered.filter(({ verdict }) => isGreen(verdict)).map(foldedLeg)
  return [
    section('What to do', listOf(whatToDo(outcome), [])),
    section('Load tests', tableHtml(legTable(outcome))),
    ...ordered.filter(({ verdict }) => !isGreen(verdict)).map(openLeg),
    listHtml('Notes', notes, []),
    section('Load tests that passed', folded.join('\n')),
  ]
}

function openLeg(leg: Leg): string {
  return `<section><h2>${titleOf(leg)}</h2>\n<p class="quiet">${htmlText(legHeadline(leg))}</p>\n${tables(leg)}</section>`
}

function foldedLeg(leg: Leg): string {
  const key = leg.outcome ? foldedTable(keyFigureTable(leg.outcome)) : ''
  return `<details><summary>${titleOf(leg)}: ${htmlText(legHeadline(leg))}</summary>\n${tables(leg)}${key}</details>`
}

function titleOf(leg: Leg): string {
  return `<bdi>${htmlText(leg.name, 80)}</bdi>: ${withFirstLetter(legWord(leg))}`
}

function tables(leg: Leg): string {
  const reasons = (leg.outcome ? otherReasons(leg.outcome) : []).map(
    ({ text }) => `<p>${htmlText(text, 1000)}</p>`,
  )
  return [...reasons, ...legTables(leg).map(titled)].join('\n')
}

function titled(table: Table): string {
  const html = tableHtml(table)
  return html === '' ? '' : `<h3>${htmlText(table.title)}</h3>\n${html}`
}
