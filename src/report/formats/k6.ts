import { ReportError } from '../../errors.js'
import { defined, fieldsOf, heldIn, isFields, textOf, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { kept, numberOf, pushBounded } from '../elements.js'
import type { Format, FileHead } from '../format.js'
import { isMeasurable, webVitalNames, withoutRest } from '../report.js'
import type { Report, RequestParts, Timer, TimerKind, WebVitalName, WebVitals } from '../report.js'
import { Samples, spread } from './samples.js'
import { headerOf, jsonOfPart, momentOf, readRecords, readTable } from './text-rows.js'
import type { OpenPart, Row } from './text-rows.js'
import {
  addRow,
  figureOf,
  figuresOf,
  hasFigure,
  percentilesAmong,
  reportBy,
  setPeriod,
  timerOf,
  unambiguous,
} from './timers.js'

const hint = "Give requests that differ only by an id one name: http.get(url, { tags: { name: 'Product' } })."

/** Else some may have failed, and the others are not all. */
const areJudged =
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
  if (type === 'Metric') run.types.set(name, textOf(kind) ?? '')
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
const vital = 'browser_web_vital_'

/** The samples of one web vital of a page, and how often each rating was given. */
interface VitalSamples {
  name: WebVitalName
  page: string
  scores: number[]
  ratings: Map<string, number>
}

class Run {
  /** Of metrics that say their type. */
  readonly types = new Map<string, string>()
  readonly #vitals = new Map<string, VitalSamples>()

  constructor(private readonly samples: Samples) {}

  take(metric: string, time: number, value: number, tag: Tag): void {
    const samples = this.samples
    if (!Number.isNaN(time)) samples.span(time, time)
    const part = requestParts.get(metric)
    if (requestTimes.has(metric)) this.#request(time, value, tag)
    else if (part !== undefined) samples.of('requests', requestName(tag)).part(part, value)
    else if (metric === 'http_req_failed') this.#failed(value !== 0, tag)
    else if (metric === 'group_duration') samples.of('transactions', groupName(tag('group'))).add(value)
    else if (metric === 'checks') this.#check(tag('check'), value)
    else if (metric === 'vus') {
      samples.users(value)
      samples.steps.other(time, 'users', value)
    } else if (metric.startsWith(vital)) this.#vital(metric.slice(vital.length), value, tag)
    else if (!others.test(metric)) samples.of('customTimers', metric).add(value)
  }

  report(): Report {
    const report = this.samples.report()
    const { timers } = report.timers.customTimers
    const isTime = ({ name, min = 0, max = 2 }: Timer) => {
      const type = this.types.get(name)
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
function vitalsOf({ webVitals }: Report, name: string): WebVitals['vitals'] {
  const shown = kept(name)
  let row = webVitals.find((one) => one.name === shown)
  if (!row) pushBounded(webVitals, (row = { name: shown, vitals: {} }), 10_000, 'rows of web vitals')
  return row.vitals
}

function requestName(tag: Tag): string {
  return tag('name') || tag('url')
}

/** Checks are timers without times, so that gates on requests don't see them. */
function checkName(name: string): string {
  return `check: ${name}`
}

/** `Visit::Buy` for `::Visit::Buy` */
function groupName(path: string): string {
  return path.replace(/^::/, '')
}

/**
 * A summary of k6 in one of its three layouts: what handleSummary gets, what --summary-export writes, and the
 * machine-readable one. A request or group has figures where a threshold on its tag made a metric of its own.
 */
export const k6Summary: Format = {
  tool: 'k6',
  name: "k6's summary (handleSummary or --summary-export)",
  files: /\.json(?:\.gz)?$/i,
  usualName: 'summary.json',
  mostBytes: 64_000_000,
  isRaw: false,
  has: /^(?:web-vitals |(?:requests|customTimers) (?!apdex|deviation)|transactions (?!apdex|deviation|err))/,
  unless: [
    [/^web-vitals /, 'summaryTrendStats has "p(75)"'],
    [/^\w+ p\d/, 'summaryTrendStats has it; a single request or group also needs a threshold on its tag'],
    [/^requests err/, `${areJudged}; a single one also needs a threshold on its tag "name"`],
    [/^requests /, 'the request has a threshold on its tag "name"'],
    [/^transactions /, 'the group has a threshold on its tag'],
  ],
  // The metrics may be far behind many checks, the data of setup(), or the whole script.
  recognises: ({ text }) =>
    /^\s*\{/.test(text) &&
    (/"(?:root_group"\s*:\s*\{|(?:setup_data|k6_version)"\s*:)/.test(text) ||
      /"config"\s*:\s*\{\s*"duration"\s*:[^,]{1,40},\s*"execution"/.test(text) ||
      (/"metrics"\s*:\s*\{/.test(text) &&
        /"(?:http_req\w*|iteration(?:s|_duration)|vus(?:_max)?|data_(?:sent|received))(?:\{[^"]*\})?"\s*:\s*\{/.test(
          text,
        ))),
  async read([part]) {
    return { report: summary(await jsonOfPart(part)) }
  },
}

type Metrics = ReadonlyMap<string, Fields>

/** The figures of each metric by its name, such as `http_req_duration{name:Home}`; a threshold may have blanks and quotes. */
function metricsOf(file: Fields): Metrics {
  const { metrics } = isFields(file['results']) ? file['results'] : file
  const all: [string, unknown][] = Array.isArray(metrics)
    ? metrics.map((metric) => [textOf(fieldsOf(metric)['name']) ?? '', metric])
    : Object.entries(fieldsOf(metrics))
  return new Map(
    all.map(([name, metric]) => {
      const fields = fieldsOf(metric)
      const plain = name.replace(/\{[\s"']*(\w+)[\s"']*:[\s"']*(.*?)[\s"']*\}$/s, '{$1:$2}')
      return [plain, isFields(fields['values']) ? fields['values'] : fields]
    }),
  )
}

function summary(file: Fields): Report {
  const metrics = metricsOf(file)
  const report = reportBy('k6')
  setGeneral(report, file, metrics)
  for (const [metric, values] of metrics) {
    if (metric.startsWith(vital)) addShownVital(report, metric, values)
    const { base, tags, name } = named(metric)
    if (name === undefined) continue
    const isFirst = requestMetrics.find((one) => metrics.has(one + tags)) === base
    if (isFirst) put(report, 'requests', name, requestOf(metrics, tags))
    if (!isTrend(values) || /^(?:http_req|browser)_/.test(base)) continue
    if (base === 'group_duration') put(report, 'transactions', name, trend(values))
    else if (name === '') put(report, 'customTimers', base, trend(values))
  }
  const ofNewest = { checks: fieldsOf(fieldsOf(file['results'])['checks'])['results'] }
  for (const [name, figures] of checksIn([fieldsOf(file['root_group']), ofNewest]))
    put(report, 'customTimers', checkName(name), figures)
  return unambiguous(report)
}

/** Of the pages that a threshold on `name` or `url` shows, and of all together. */
function addShownVital(report: Report, metric: string, values: Fields): void {
  const [, word, tags, page = 'all pages'] =
    /^browser_web_vital_(\w+)(\{(?:name|url):(.+)\})?$/s.exec(metric) ?? []
  const name = webVitalNames.find((one) => one === word)
  const score = figureOf(values['p(75)'])
  const isPage = tags === undefined || !/, ?\w+:[^/]/.test(page)
  // As below; only a layout may not have shifted at all.
  const isMeasured = name === 'cls' ? values['count'] !== 0 : figureOf(values['max'] ?? score) !== 0
  if (name && isPage && isMeasured && score !== undefined) vitalsOf(report, page)[name] ??= { score }
}

function setGeneral(report: Report, file: Fields, metrics: Metrics): void {
  const seconds = secondsOf(file, metrics)
  const written = Date.parse(textOf(fieldsOf(file['metadata'])['generated_at']) ?? '')
  if (seconds !== undefined) {
    const end = Number.isNaN(written) ? 0 : written
    setPeriod(report, end - seconds * 1000, end, end !== 0)
  }
  // Of vus_max some may never have been used; a run of less than a second has no vus.
  const { max, value } = metrics.get('vus') ?? metrics.get('vus_max') ?? {}
  const users = figureOf(max ?? value)
  if (users !== undefined) report.general.users = users
}

/** A threshold on the tag of any of them shows that request. */
const requestMetrics = ['http_req_duration', 'http_req_failed', 'http_reqs']

/** Checks of one name in several groups are one. Groups may be in each other thousands of times. */
function checksIn(groups: Fields[]): Map<string, { count: number; errors: number }> {
  const all = new Map<string, { count: number; errors: number }>()
  for (const { checks, groups: inner } of groups) {
    for (const { name, passes, fails } of Object.values(checks ?? {}).map(fieldsOf)) {
      const key = textOf(name) ?? ''
      const [passed, errors] = [figureOf(passes), figureOf(fails)]
      if (passed === undefined || errors === undefined) continue
      const known = heldIn(all, key, () => ({ count: 0, errors: 0 }))
      known.count += passed + errors
      known.errors += errors
    }
    for (const group of Object.values(inner ?? {})) groups.push(fieldsOf(group))
  }
  return all
}

/** @param name '' for all of the kind */
function put(report: Report, kind: TimerKind, name: string, figures: Partial<Timer>): void {
  const timer = timerOf(name, figures, report.general.duration)
  // A name is told of even if a threshold alone has it.
  if (name !== '' || hasFigure(timer)) addRow(report, kind, name === '', timer)
}

/** A metric and the request or group that its tag names; '' for all of them, undefined for other tags. */
function named(metric: string): { base: string; tags: string; name?: string } {
  const [, base = metric, tags = ''] = /^([^{]+)(\{.*\})$/s.exec(metric) ?? []
  if (tags === '') return { base, tags, name: '' }
  const [, tag, value = ''] = /^\{(name|group):((?:(?!, ?\w+:).)+)\}$/s.exec(tags) ?? []
  if (base === 'group_duration') return { base, tags, ...(tag === 'group' ? { name: groupName(value) } : {}) }
  return { base, tags, ...(tag === 'name' ? { name: value } : {}) }
}

/** What is known of a request is in metrics with the same tag. */
function requestOf(metrics: Metrics, tags: string): Partial<Timer> {
  const figure = (base: string, name: string) => figureOf(metrics.get(base + tags)?.[name])
  const failed = (name: string) => figure('http_req_failed', name)
  const parts: RequestParts = defined({
    connectTime: figure('http_req_blocked', 'avg'),
    serverBusyTime: figure('http_req_waiting', 'avg'),
    receiveTime: figure('http_req_receiving', 'avg'),
  })
  const [errors, fine] = [failed('passes') ?? failed('matches'), failed('fails')]
  const total = errors !== undefined && fine !== undefined ? errors + fine : failed('total')
  const count = figure('http_reqs', 'count') ?? total
  const isEachJudged = total === undefined || total === count
  return {
    ...trend(metrics.get(`http_req_duration${tags}`) ?? {}),
    ...defined({ count, errors: isEachJudged ? errors : undefined }),
    ...(Object.keys(parts).length > 0 ? { parts } : {}),
  }
}

/** Of whatever summaryTrendStats asks for. A gauge has a minimum and a maximum, too, but also a value. */
function isTrend(values: Fields): boolean {
  return !('value' in values) && Object.keys(values).some((name) => /^(?:avg|min|med|max|p\W?\d)/.test(name))
}

/** The figures of times; which there are says the run's summaryTrendStats. */
function trend(values: Fields): Partial<Timer> {
  const shown = Object.keys(values)
  const words = shown.map((name) => name.replace(/^p\((.+)\)$/, 'p$1'))
  const percentiles = percentilesAmong(words, (_, at) => figureOf(values[shown[at] ?? '']))
  const names = { count: 'count', mean: 'avg', min: 'min', median: 'med', max: 'max' }
  const figures = figuresOf(names, (name) => figureOf(values[name]))
  // A threshold makes a metric of zeros of what was never measured.
  if (Object.values({ ...figures, ...percentiles }).every((figure) => figure === 0)) return {}
  return { ...defined({ median: percentiles['p50'] }), ...figures, percentiles }
}

/** Seconds that the run took; older summaries only say how much and how much a second. */
function secondsOf(file: Fields, metrics: Metrics): number | undefined {
  const milliseconds = figureOf(fieldsOf(file['state'])['testRunDurationMs'])
  if (milliseconds !== undefined) return milliseconds / 1000
  const { count, rate } = metrics.get('http_reqs') ?? metrics.get('iterations') ?? {}
  const [all, aSecond] = [figureOf(count), figureOf(rate)]
  return figureOf(fieldsOf(file['config'])['duration']) ?? (all && aSecond ? all / aSecond : undefined)
}
