import { unitOf } from '../../figures/metrics.js'
import { quantity } from '../../figures/numbers.js'
import { compareFigure } from '../../comparison/comparison.js'
import type { LoadTestOutcome, MergeOutcome } from '../../outcome/outcome.js'
import { timerChart } from '../../report/reading/kept-charts.js'
import { htmlText, listed, oneLine } from '../../text/foreign-text.js'
import { withoutSecrets } from '../../text/redaction.js'
import { codeText, mostFrequent } from '../summary/report-tables.js'
import { slowest } from '../words/changes.js'
import { baselineFact, loadText } from '../words/facts.js'
import { metricTitle, nowText } from '../words/figure-text.js'
import { busiestCpu, mainMetric, summaryRow } from '../words/timer-rows.js'
import { renderDigest } from './digest.js'
import { linkHtml, section } from './html.js'

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
