import { defined, fieldsOf, heldIn, isFields, textOf, type Fields } from '../../text/fields.js'
import type { Format } from '../format.js'
import {
  isPercentile,
  webVitalNames,
  type Report,
  type RequestParts,
  type Timer,
  type TimerKind,
} from '../report.js'
import { areJudged, checkName, groupName, vital, vitalsOf } from './k6.js'
import {
  addRow,
  hasFigure,
  reportBy,
  figureOf,
  figuresOf,
  setPeriod,
  timerOf,
  unambiguous,
} from './timers.js'
import { jsonOfPart } from './text-rows.js'

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
    if (metric.startsWith(vital)) addVital(report, metric, values)
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
function addVital(report: Report, metric: string, values: Fields): void {
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
  const percentiles: Record<string, number> = {}
  for (const [name, value] of Object.entries(values)) {
    const word = name.replace(/^p\((.+)\)$/, 'p$1')
    const figure = figureOf(value)
    if (isPercentile(word) && figure !== undefined) percentiles[word] = figure
  }
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
