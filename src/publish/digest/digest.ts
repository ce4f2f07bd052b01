import { htmlBlock, htmlText, listed, oneLine } from '../../text/foreign-text.js'
import {
  isGreen,
  worstFirst,
  type Leg,
  type LoadTestOutcome,
  type MergeOutcome,
} from '../../outcome/outcome.js'
import { addedTimeTitle, worseTable, slowest } from '../words/changes.js'
import { barCharts, timelineHtml } from './drawn-charts.js'
import { digestStyle } from './style.js'
import {
  codeFacts,
  documents,
  links,
  loadFacts,
  pagesOf,
  timeText,
  baselineFact,
  type Fact,
} from '../words/facts.js'
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
import { markedText, pairText, metricTitle, nowText } from '../words/figure-text.js'
import type { Table } from '../words/table.js'
import { otherReasons } from '../words/verdict-words.js'
import { listedReasons, whatToDo, suggestionText } from '../words/what-to-do.js'
import { unitOf } from '../../figures/metrics.js'
import { timerChart } from '../../report/reading/kept-charts.js'
import { withoutSecrets } from '../../text/redaction.js'

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
    tag: word,
    below: [`<p>${htmlText(verdictMeaning(outcome))}</p>`, linksHtml(outcome)],
    sections: outcome.kind === 'merge' ? legDigest(outcome) : sections(outcome, reportCharts),
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
    section('Load tests', tableHtml(legTable(outcome))),
    section('Load tests that did not pass', (red ?? []).join('\n')),
    listHtml('Notes', notes, []),
    section('Load tests that passed', (green ?? []).join('\n')),
  ]
}

function legHtml(leg: Leg): string {
  const { name, verdict, outcome } = leg
  const reasons = outcome ? otherReasons(outcome).map(({ text }) => `<p>${htmlText(text, 1000)}</p>`) : []
  const key = outcome && isGreen(verdict) ? [keyFigureTable(outcome)] : []
  const tables = [...legTables(leg), ...key].filter(({ rows }) => rows.length > 0)
  const titled = tables.map((table) => `<h3>${htmlText(table.title)}</h3>\n${tableHtml(table)}`)
  const title = `<bdi>${htmlText(name, 80)}</bdi> (${legWord(leg)}): ${htmlText(legHeadline(leg))}`
  return `<details${isGreen(verdict) ? '' : ' open'}><summary>${title}</summary>\n${[...reasons, ...titled].join('\n')}</details>`
}

/** Reads a file of this run's report, or of the baseline's; what it holds is hostile. Undefined if there is none. */
export type ChartReader = (which: 'now' | 'before', chart: string) => Promise<Buffer | undefined>

/** Bytes of a page; charts of the report have what its text leaves, but for their own words. */
const mostBytes = 2_000_000
const roomForWords = 8000

/** Where the charts belong: no text of a page has such a sign. */
const hole = '<!-- charts -->'

/** The digest with the charts that its report has, where they fit, in pieces: as one text it would take 16 MB more. */
export async function digestWithCharts(
  outcome: LoadTestOutcome | MergeOutcome,
  read: ChartReader,
): Promise<string[]> {
  if (outcome.kind === 'merge') return [renderDigest(outcome)]
  const page = renderDigest(outcome, hole)
  const [before = '', after = ''] = page.split(hole)
  const charts = await reportCharts(outcome, read, mostBytes - Buffer.byteLength(page) - roomForWords)
  return [before, ...charts, after]
}

/** Of each side; the engine's are 900 × 300. */
const mostPixels = 4000
const mostTimers = 100

/**
 * The engine's own charts, as far as they fit: of the whole run, then of what got slower, costliest first. In pieces; none
 * if the report has none.
 *
 * @param room bytes
 */
async function reportCharts(outcome: LoadTestOutcome, read: ChartReader, room: number): Promise<string[]> {
  const { comparison, step } = outcome
  const figures: string[] = []
  const left: string[] = []
  for (const { chart, title } of [...ofWholeRun, ...ofTimers(outcome)]) {
    const bytes = await read('now', chart)
    if (!bytes) continue
    const now = pictureOf(bytes)
    const earlier = now && comparison && (await read('before', chart))
    const figure = now ? figureHtml(title, now, earlier && pictureOf(earlier)) : ''
    room -= figure.length
    if (figure !== '' && room > 0) figures.push(figure)
    else left.push(oneLine(chart, 120))
  }
  if (figures.length + left.length === 0) return []
  const base = comparison && baselineFact(comparison.baseline, step)
  const note = `In the report, but too large for this page, or no WebP picture of at most ${mostPixels} × ${mostPixels} pixels: ${listed(left)}.`
  return [
    '<section><h2>Over time, as the report shows it</h2>',
    base ? `<p class="quiet">Compared with ${linkHtml(base.text, base.href)}.</p>` : '',
    '<div class="shots">',
    ...figures,
    '</div>',
    left.length === 0 ? '' : `<p class="quiet">${htmlText(note, 2000)}</p>`,
    '</section>',
  ]
}

function figureHtml(title: string, now: Picture, before: Picture | undefined): string {
  const image = ({ width, height, data }: Picture, which: string) =>
    `<img src="data:image/webp;base64,${data}" width="${width}" height="${height}" alt="${htmlText(`Chart over time${which}. ${title}`, 400)}">`
  const pictures = before
    ? `<div class="pair"><div><p class="quiet">before</p>${image(before, ', before')}</div><div><p class="quiet">now</p>${image(now, ', now')}</div></div>`
    : image(now, '')
  return `<figure class="card${before ? ' wide' : ''}"><figcaption>${htmlText(title, 300)}</figcaption>${pictures}</figure>`
}

/** Charts by their paths in the report. */
const ofWholeRun = [
  { chart: 'charts/RequestRuntime.webp', title: 'Request runtime' },
  { chart: 'charts/RequestsPerSecond.webp', title: 'Requests per second' },
  { chart: 'charts/ConcurrentUsers.webp', title: 'Concurrent users' },
  { chart: 'charts/Errors.webp', title: 'Errors' },
  { chart: 'charts/ResponseCodesPerSecond.webp', title: 'Response codes per second' },
  { chart: 'charts/agents/All Agents/CpuUsage.webp', title: 'CPU of the load generators' },
]

function ofTimers(outcome: LoadTestOutcome) {
  const shown = slowest(outcome).slice(0, mostTimers)
  return shown.map(({ kind, name, metric, figure }) => ({
    chart: timerChart(kind, name),
    title: `${name}: ${metricTitle(metric)} ${nowText(figure, unitOf(metric))}`,
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
