import { ReportError } from '../../errors.js'
import { defined, fieldsOf, heldIn, textOf, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { kept, numberOf, pushBounded } from '../elements.js'
import type { Format, FileHead } from '../format.js'
import {
  isMeasurable,
  webVitalNames,
  withoutRest,
  type Report,
  type RequestParts,
  type Timer,
  type WebVitalName,
  type WebVitals,
} from '../report.js'
import { Samples, spread } from './samples.js'
import { headerOf, momentOf, readRecords, readTable, type OpenPart, type Row } from './text-rows.js'

const hint = "Give requests that differ only by an id one name: http.get(url, { tags: { name: 'Product' } })."

/** Else some may have failed, and the others are not all. */
export const areJudged =
  'all requests say whether they failed: gRPC calls and those with responseCallback null do not'

/** k6's samples, each of them one metric's. */
export const k6Samples: Format = {
  tool: 'k6',
  name: "k6's samples (--out csv or --out json)",
  files: /\.(?:csv|json|ndjson|jsonl)(?:\.gz)?$/i,
  usualName: 'k6.csv',
  mostBytes: 64_000_000_000,
  isRaw: true,
  has: /^(?:(?:requests|customTimers) (?!apdex)|web-vitals |transactions (?!apdex|err))/,
  unless: [[/^requests err/, areJudged]],
  recognises: (head) => isCsv(head) || isJson(head),
  async read(parts, _, { percentiles }) {
    const samples = new Samples('k6', hint, percentiles)
    const run = new Run(samples)
    await samples.takeAll(parts, (file) => readPart(file, run))
    return { report: run.report() }
  },
}

function isCsv(head: FileHead): boolean {
  const names = headerOf(head)
  return names.includes('metric_name') && names.includes('metric_value')
}

function isJson({ text }: FileHead): boolean {
  return (
    /^\s*\{/.test(text) &&
    /^[^\n]*"type" ?: ?"(?:Metric|Point)"/.test(text.trimStart()) &&
    // Many thresholds on the first metric stand before its name.
    /"(?:metric|submetrics)"/.test(text)
  )
}

/** @returns its form */
async function readPart(file: OpenPart, run: Run): Promise<string> {
  if (isCsv(file.head)) {
    await readTable(file, (row) => takeRow(row, run))
    return 'CSV'
  }
  await readRecords(file, (record) => point(record, run))
  return 'JSON'
}

/** Tags by name; empty where there is none. */
type Tag = (name: string) => string

function takeRow(row: Row, run: Run): void {
  const [metric = '', value = ''] = [row('metric_name'), row('metric_value')]
  // Tags without a column are together in one, as they are.
  const tag: Tag = (name) =>
    row(name) ?? `&${row('extra_tags') ?? ''}`.split(`&${name}=`)[1]?.split('&')[0] ?? ''
  run.take(metric, momentOf(row('timestamp') ?? '').time, valueOf(metric, numberOf(value), value), tag)
}

function point({ type, metric, data }: Fields, run: Run): void {
  const name = textOf(metric) ?? ''
  const { type: kind, time, value, tags } = fieldsOf(data)
  if (type === 'Metric') run.declare(name, textOf(kind) ?? '')
  if (type !== 'Point') return
  const all = fieldsOf(tags)
  const number = valueOf(name, typeof value === 'number' ? value : undefined, value)
  run.take(name, momentOf(textOf(time) ?? '').time, number, (tag) => textOf(all[tag]) ?? '')
}

/** @throws ReportError if it is no number */
function valueOf(metric: string, given: number | undefined, written: unknown): number {
  const number = given === undefined ? undefined : withoutRest(given)
  const isTime = requestTimes.has(metric) || metric === 'group_duration'
  if (number !== undefined && isMeasurable(number) && (number >= 0 || !isTime)) return number
  const word = number === undefined ? written : String(number)
  const shown = typeof word === 'string' ? `"${oneLine(word, 40)}"` : 'a list, a record or null'
  throw new ReportError(
    `A sample of ${oneLine(metric, 60)} is ${shown}, which is no measurement. Judge the file as k6 wrote it, or another run.`,
  )
}

const requestTimes = new Set(['http_req_duration', 'grpc_req_duration'])
/** What http_req_duration has no part of, the wait for a connection with its handshakes, and what it has. */
const requestParts = new Map<string, keyof RequestParts>([
  ['http_req_blocked', 'connectTime'],
  ['http_req_waiting', 'serverBusyTime'],
  ['http_req_receiving', 'receiveTime'],
])
/** Metrics of k6 itself that are no times, or parts of others. */
const others =
  /^(?:http_reqs|http_req_(?:connecting|sending|tls_handshaking)|iterations|dropped_iterations|data_(?:sent|received)|vus_max|browser_.*|(?:ws|grpc)_(?:msgs|sessions|streams).*)$/

/** What the names of metrics of web vitals begin with. */
export const vital = 'browser_web_vital_'

/** The samples of one web vital of a page, and how often each rating was given. */
interface VitalSamples {
  name: WebVitalName
  page: string
  scores: number[]
  ratings: Map<string, number>
}

class Run {
  /** Of metrics that say their type. */
  readonly #types = new Map<string, string>()
  readonly #vitals = new Map<string, VitalSamples>()

  constructor(private readonly samples: Samples) {}

  declare(metric: string, type: string): void {
    this.#types.set(metric, type)
  }

  take(metric: string, time: number, value: number, tag: Tag): void {
    const samples = this.samples
    if (!Number.isNaN(time)) samples.span(time, time)
    const part = requestParts.get(metric)
    if (requestTimes.has(metric)) this.#request(time, value, tag)
    else if (part !== undefined) samples.of('requests', requestName(tag)).part(part, value)
    else if (metric === 'http_req_failed') this.#failed(value !== 0, tag)
    else if (metric === 'group_duration') samples.of('transactions', groupName(tag('group'))).add(value)
    else if (metric === 'checks') this.#check(tag('check'), value)
    else if (metric === 'vus') this.#users(time, value)
    else if (metric.startsWith(vital)) this.#vital(metric.slice(vital.length), value, tag)
    else if (!others.test(metric)) samples.of('customTimers', metric).add(value)
  }

  report(): Report {
    const report = this.samples.report()
    const { timers } = report.timers.customTimers
    const isTime = ({ name, min = 0, max = 2 }: Timer) => {
      const type = this.#types.get(name)
      return type === undefined
        ? min >= 0 && !([0, 1].includes(min) && [0, 1].includes(max))
        : type === 'trend'
    }
    // All of them together would be nothing that somebody measured.
    report.timers.customTimers = { timers: timers.filter(isTime) }
    const values = timers.filter((timer) => !isTime(timer))
    if (values.length > 0) {
      report.customValues = values.map(({ name, count, min, mean, max }) => ({
        name,
        ...defined({ count, min, mean, max }),
      }))
    }
    for (const one of this.#vitals.values()) addVital(report, one)
    return report
  }

  /** The rows of one request have the same tags; where they say how it ended, that is counted once. */
  #request(time: number, value: number, tag: Tag): void {
    const sampled = this.samples.of('requests', requestName(tag))
    sampled.add(value)
    const expected = tag('expected_response')
    const isError = expected === '' ? undefined : expected === 'false'
    if (isError !== undefined) sampled.judge(isError)
    this.samples.steps.sample(time, value, isError)
    const status = tag('status')
    if (status !== '') this.samples.response(/^[1-9]\d{2}$/.test(status) ? Number(status) : 0, '')
  }

  #vital(word: string, score: number, tag: Tag): void {
    const name = webVitalNames.find((one) => one === word)
    if (name === undefined) return
    const page = requestName(tag)
    const made = (): VitalSamples => ({ name, page, scores: [], ratings: new Map() })
    const { scores, ratings } = heldIn(this.#vitals, `${name} ${page}`, made)
    scores.push(score)
    const rating = tag('rating')
    ratings.set(rating, (ratings.get(rating) ?? 0) + 1)
    this.samples.also()
  }

  #users(time: number, count: number): void {
    this.samples.users(count)
    this.samples.steps.other(time, 'users', count)
  }

  #failed(isError: boolean, tag: Tag): void {
    const name = requestName(tag)
    if (tag('expected_response') === '') this.samples.of('requests', name).judge(isError)
    if (isError) this.samples.error(tag('error') || `status ${tag('status') || 'unknown'}`, name)
  }

  #check(name: string, value: number): void {
    const sampled = this.samples.of('customTimers', checkName(name))
    sampled.add(undefined)
    sampled.judge(value === 0)
  }
}

function addVital(report: Report, { name, page, scores, ratings }: VitalSamples): void {
  const score = spread(Float64Array.from(scores).sort()).percentiles?.['p75']
  const countOf = (rating: string) => ratings.get(rating) ?? 0
  const [goodCount, improveCount, poorCount] = ['good', 'needs-improvement', 'poor'].map(countOf)
  const counts = ratings.has('') ? {} : defined({ goodCount, improveCount, poorCount })
  if (score !== undefined) vitalsOf(report, page)[name] ??= { score, ...counts }
}

/** The web vitals of a page, as the report keeps them. */
export function vitalsOf({ webVitals }: Report, name: string): WebVitals['vitals'] {
  const shown = kept(name)
  let row = webVitals.find((one) => one.name === shown)
  if (!row) pushBounded(webVitals, (row = { name: shown, vitals: {} }), 10_000, 'rows of web vitals')
  return row.vitals
}

function requestName(tag: Tag): string {
  return tag('name') || tag('url')
}

/** Checks are timers without times, so that gates on requests don't see them. */
export function checkName(name: string): string {
  return `check: ${name}`
}

/** `Visit::Buy` for `::Visit::Buy` */
export function groupName(path: string): string {
  return path.replace(/^::/, '')
}
