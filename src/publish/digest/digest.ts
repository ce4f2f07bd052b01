import { htmlBlock, htmlText, listed, oneLine } from '../../text/foreign-text.js'
import {
  isGreen,
  worstFirst,
  type Leg,
  type LoadTestOutcome,
  type MergeOutcome,
} from '../../outcome/outcome.js'
import { addedTimeTitle, worseTable, slowest } from '../words/changes.js'
import { barCharts, timelineHtml } from './charts.js'
import { digestStyle } from './style.js'
import {
  codeFacts,
  documents,
  links,
  loadFacts,
  pagesOf,
  timeText,
  baselineFact,
  loadText,
  type Fact,
} from '../words/facts.js'
import { differenceCell, keyFigures, legTable, legTables } from '../summary/figure-tables.js'
import { headline, legHeadline, legWord, verdictMeaning, wordsFor } from '../words/words.js'
import { openGateTables } from '../summary/gate-tables.js'
import { chartsAndSteady, htmlPage, linkHtml, listHtml, listOf, section, tableHtml } from './html.js'
import { measuredTables, trendTable, codeText, mostFrequent } from '../summary/report-tables.js'
import { markedText, pairText, metricTitle, nowText } from '../words/figure-text.js'
import type { Table, Tone } from '../words/table.js'
import { otherReasons, undecided, verdictWords } from '../words/verdict-words.js'
import { listedReasons, whatToDo, suggestionText } from '../words/what-to-do.js'
import { unitOf } from '../../figures/metrics.js'
import { quantity } from '../../figures/numbers.js'
import { compareFigure } from '../../comparison/comparison.js'
import { timerChart } from '../../report/reading/kept-charts.js'
import { withoutSecrets } from '../../text/redaction.js'
import { busiestCpu, mainMetric, summaryRow } from '../words/timer-rows.js'

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

function foldedTable(table: Table): string {
  const html = tableHtml(table)
  return html === '' ? '' : `<details><summary>${htmlText(table.title)}</summary>\n${html}</details>`
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
  const [red, green] = [false, true].map((wanted) =>
    ordered.filter(({ verdict }) => isGreen(verdict) === wanted).map(legHtml),
  )
  return [
    section('What to do', listOf(whatToDo(outcome), [])),
    section('Load tests', tableHtml(legTable(outcome, legs))),
    section('Load tests that did not pass', (red ?? []).join('\n')),
    listHtml('Notes', notes, []),
    section('Load tests that passed', (green ?? []).join('\n')),
  ]
}

function legHtml(leg: Leg): string {
  const { name, verdict, outcome } = leg
  const reasons = outcome ? otherReasons(outcome).map(({ text }) => `<p>${htmlText(text, 1000)}</p>`) : []
  const tables = legTables(leg).filter(({ rows }) => rows.length > 0)
  const titled = tables.map((table) => `<h3>${htmlText(table.title)}</h3>\n${tableHtml(table)}`)
  const title = `<bdi>${htmlText(name, 80)}</bdi> (${legWord(leg)}): ${htmlText(legHeadline(leg))}`
  return `<details${isGreen(verdict) ? '' : ' open'}><summary>${title}</summary>\n${[...reasons, ...titled].join('\n')}</details>`
}

/** Reads a file of this run's report, or of the baseline's; what it holds is hostile. Undefined if there is none. */
export type ChartReader = (which: 'now' | 'before', chart: string) => Promise<Buffer | undefined>

/** Bytes of a page; charts of the report have what its text leaves, but for notes. */
const mostBytes = 2_000_000
const roomForNotes = 8000

/** Where the charts belong: no text of a page has such a sign. */
const hole = '<!-- charts -->'

/** The digest with the charts that its report has, where they fit, in pieces: as one text it would take 16 MB more. */
export async function digestWithCharts(
  outcome: LoadTestOutcome | MergeOutcome,
  read: ChartReader,
): Promise<string[]> {
  if (outcome.kind === 'merge') return [renderDigest(outcome)]
  const page = renderDigest(outcome, hole)
  const room = mostBytes - Buffer.byteLength(page) - roomForNotes
  const { figures, html } = await reportCharts(outcome, read, room)
  const [before = '', after = ''] = page.split(hole)
  const [head = '', tail = ''] = html.split(hole)
  return [before, head, ...figures, tail, after]
}

/** Of each side; the engine's are 900 × 300. */
const mostPixels = 4000
const mostTimers = 100

/**
 * The engine's own charts, as far as they fit: of the whole run, then of what got slower, costliest first; and the section
 * around them, empty if the report has none.
 *
 * @param room bytes
 */
async function reportCharts(outcome: LoadTestOutcome, read: ChartReader, room: number) {
  const figures: string[] = []
  const refused: string[] = []
  const left: string[] = []
  for (const one of [...ofWholeRun(outcome), ...ofTimers(outcome)]) {
    const bytes = await read('now', one.chart)
    if (!bytes) continue
    const now = pictureOf(bytes)
    if (!now) refused.push(one.chart)
    else {
      const earlier = outcome.comparison ? await read('before', one.chart) : undefined
      const before = earlier && pictureOf(earlier)
      const figure = figureHtml(one, now, before)
      room -= figure.length
      if (room > 0) figures.push(figure)
      else left.push(one.chart)
    }
  }
  const notes = [
    ...noteOf('Left out to keep this page small, and in the report', left),
    ...noteOf(
      `Not shown, since it is no WebP picture of at most ${mostPixels} × ${mostPixels} pixels`,
      refused,
    ),
  ]
  if (figures.length + notes.length === 0) return { figures, html: '' }
  const body = figures.length === 0 ? hole : `<div class="shots">${hole}</div>`
  const small = notes.map((note) => `<p class="quiet">${htmlText(note, 2000)}</p>`)
  const html = `${sourceHtml(outcome)}${body}${small.join('')}`
  return { figures, html: section('Over time, as the report shows it', html) }
}

function noteOf(why: string, charts: readonly string[]): string[] {
  return charts.length === 0 ? [] : [`${why}: ${listed(charts.map((chart) => oneLine(chart, 120)))}.`]
}

function sourceHtml({ comparison, step }: LoadTestOutcome): string {
  if (!comparison) return ''
  const { text, href } = baselineFact(comparison.baseline, step)
  return `<p class="quiet">Compared with ${linkHtml(text, href)}.</p>`
}

function figureHtml(
  { title, figure }: { title: string; figure: string },
  now: Picture,
  before: Picture | undefined,
): string {
  const text = figure === '' ? title : `${title}: ${figure}`
  const image = ({ width, height, data }: Picture, which: string) =>
    `<img src="data:image/webp;base64,${data}" width="${width}" height="${height}" alt="${htmlText(`Chart over time${which}. ${text}`, 400)}">`
  const pictures = before
    ? `<div class="pair"><div><p class="quiet">before</p>${image(before, ', before')}</div><div><p class="quiet">now</p>${image(now, ', now')}</div></div>`
    : image(now, '')
  return `<figure class="card${before ? ' wide' : ''}"><figcaption>${htmlText(text, 300)}</figcaption>${pictures}</figure>`
}

/** `chart` is a path in the report; `figure` is empty where it is not known. */
function ofWholeRun(outcome: LoadTestOutcome) {
  const { figures, comparison } = outcome
  const row = summaryRow(outcome, 'requests')
  const text = (metric: string) => {
    const figure = row?.figure(metric)
    return figure?.value === undefined ? '' : nowText(figure, unitOf(metric))
  }
  const main = row && mainMetric([row])
  const cpu = busiestCpu(outcome)
  const users = figures?.general.users
  const load = loadText(figures?.loadProfile ?? []) ?? (users ? `${users} at most` : '')
  const codes = mostFrequent(figures?.responseCodes)
    .slice(0, 3)
    .map(({ code, text: words, count }) => `${quantity(count, 'number')} × ${codeText(code, words)}`)
  const busiest = cpu === undefined ? '' : `busiest ${nowText(compareFigure(cpu, comparison?.cpu), '%')}`
  const wanted: [chart: string, title: string, figure: string][] = [
    ['RequestRuntime', 'Request runtime', main ? `${metricTitle(main)} ${text(main)}` : ''],
    ['RequestsPerSecond', 'Requests per second', text('throughput')],
    ['ConcurrentUsers', 'Concurrent users', load],
    ['Errors', 'Errors', row ? `error rate of requests ${text('error-rate')}` : ''],
    ['ResponseCodesPerSecond', 'Response codes per second', codes.join(', ')],
    ['agents/All Agents/CpuUsage', 'CPU of the load generators', busiest],
  ]
  return wanted.map(([chart, title, figure]) => ({ chart: `charts/${chart}.webp`, title, figure }))
}

function ofTimers(outcome: LoadTestOutcome) {
  return slowest(outcome)
    .slice(0, mostTimers)
    .map(({ kind, name, metric, figure }) => ({
      chart: timerChart(kind, name),
      title: name,
      figure: `${metricTitle(metric)} ${nowText(figure, unitOf(metric))}`,
    }))
}

type Picture = NonNullable<ReturnType<typeof pictureOf>>

/** Whatever its name says: a WebP picture that is not animated, of a size that a browser draws in no time. */
function pictureOf(bytes: Buffer) {
  const [riff, webp, kind] = [0, 8, 12].map((at) => bytes.toString('latin1', at, at + 4))
  if (bytes.length < 30 || riff !== 'RIFF' || webp !== 'WEBP' || bytes.readUInt32LE(4) + 8 !== bytes.length)
    return undefined
  const text = bytes.toString('latin1')
  const size = sizeOf(kind, bytes)
  if (withoutSecrets(text) !== text || !size || Math.max(...size) > mostPixels || Math.min(...size) < 1)
    return undefined
  const [width, height] = size
  return { width, height, data: bytes.toString('base64') }
}

/** As the header of its first part declares. */
function sizeOf(kind: string | undefined, bytes: Buffer): [width: number, height: number] | undefined {
  if (kind === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a)
    return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
  if (kind === 'VP8L' && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21)
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
  }
  const isAnimated = ((bytes[20] ?? 0) & 0x02) !== 0
  return kind === 'VP8X' && !isAnimated
    ? [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
    : undefined
}
