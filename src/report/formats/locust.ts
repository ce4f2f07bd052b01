import { ReportError } from '../../errors.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { Format, ReportPart } from '../format.js'
import { type Report, type Timer, timelineFigures } from '../report.js'
import {
  addTimer,
  reportBy,
  ErrorGroups,
  figureOf,
  figuresOf,
  lengthFrom,
  percentilesAmong,
  setPeriod,
  timerOf,
  unambiguous,
} from './timers.js'
import { headerOf, opened, readTable, type Row } from './text-rows.js'
import { TimelineSteps } from '../timeline-steps.js'

/** Locust's `PREFIX_stats.csv`. Its percentiles have two digits, and there are no deviations. */
export const locust: Format = {
  tool: 'Locust',
  name: "Locust's statistics (PREFIX_stats.csv)",
  files: /_stats\.csv(?:\.gz)?$/i,
  beside: { below: '', names: /_(?:exceptions|failures|stats_history)\.csv(?:\.gz)?$/i },
  usualName: 'locust_stats.csv',
  // With --csv-full-history there is a row a second of each name.
  mostBytes: 64_000_000_000,
  isRaw: false,
  has: /^(?:requests|customTimers) (?:count|err.*|throughput|min|max|mean|median|p[\d.]+)$/,
  unless: [[/ p(?!(?:50|66|75|80|90|95|98|99(?:\.99?)?)$)/, 'PERCENTILES_TO_REPORT of locust.stats has it']],
  recognises(head) {
    const names = headerOf(head)
    return ['Type', 'Name', 'Request Count'].every((name) => names.includes(name))
  },
  async read([part], beside) {
    const report = reportBy('Locust', 1)
    const [history, ...faults] = ['_stats_history.csv', '_failures.csv', '_exceptions.csv'].map((ending) =>
      beside.find(({ name }) => baseName(name) === baseName(part.name).replace(/_stats\.csv$/i, ending)),
    )
    if (history) await readHistory(history, report)
    await readStatistics(part, report)
    // The row of all counts those events, too.
    if (report.timers.customTimers.timers.length > 0) delete report.timeline
    report.errors = await readErrors(faults)
    return { report: unambiguous(report) }
  },
}

function baseName(path: string): string {
  return path.replace(/^.*\//s, '').replace(/\.gz$/i, '')
}

const figureNames = {
  count: 'Request Count',
  errors: 'Failure Count',
  median: 'Median Response Time',
  mean: 'Average Response Time',
  min: 'Min Response Time',
  max: 'Max Response Time',
  countPerSecond: 'Requests/s',
}

/** Events of a type of their own count in the row of all, so that is not the one of all requests then. */
const method = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)?$/i

async function readStatistics(part: ReportPart, report: Report): Promise<void> {
  const { requests } = report.timers
  let all: Timer | undefined
  await rowsOf(part, (field, header) => {
    // Zeros alone stand for events without a time.
    const isTimed = figureOf(field(figureNames.max)) !== 0
    const figure = (name: string) => (isTimed || !/Time$|%$/.test(name) ? figureOf(field(name)) : undefined)
    const figures = figuresOf(figureNames, figure)
    const names = header.map((name) => name.replace(/^(\d{1,2}(?:\.\d{1,3})?)%$/, 'p$1'))
    const percentiles = percentilesAmong(names, (_, at) => figure(header[at] ?? ''))
    const bytesReceived = figureOf(field('Average Content Size'))
    const parts = bytesReceived === undefined ? undefined : { bytesReceived }
    // Old releases write None where there is none.
    const [type = '', name = ''] = [field('Type')?.replace(/^None$/, ''), field('Name')]
    const timer = timerOf(
      `${type} ${name}`.trim(),
      { ...figures, ...defined({ parts }), percentiles },
      report.general.duration,
    )
    if (type === '' && name === 'Aggregated') all = { ...timer, name: '' }
    else addTimer(report, method.test(type) ? 'requests' : 'customTimers', timer)
  })
  if (!all) {
    throw new ReportError(
      `${oneLine(part.name, 120)} is cut: it has no row "Aggregated", which comes last. Judge a run that went to its end.`,
    )
  }
  const summary = report.timers.customTimers.timers.length === 0 ? all : together(requests.timers)
  if (summary) requests.summary = summary
  lengthFrom(report, all)
}

async function rowsOf(part: ReportPart, take: (row: Row, header: readonly string[]) => void): Promise<void> {
  await opened(part, (file) => readTable(file, take))
}

/** What rows come to without their percentiles; undefined where one of them lacks a figure. */
function together(timers: readonly Timer[]): Timer | undefined {
  const used = timers.filter(({ count }) => count !== 0)
  const sum = (value: (timer: Timer) => number | undefined) =>
    used.reduce((all, timer) => all + (value(timer) ?? Number.NaN), 0)
  const [count, errors] = [sum((one) => one.count), sum((one) => one.errors)]
  if (!(count > 0) || Number.isNaN(errors)) return undefined
  const mean = sum((one) => (one.mean ?? Number.NaN) * (one.count ?? 0)) / count
  const rate = sum((one) => one.countPerSecond)
  const known = (value: number) => (Number.isNaN(value) ? undefined : value)
  return timerOf('', { count, errors, ...defined({ mean: known(mean), countPerSecond: known(rate) }) })
}

async function readHistory(part: ReportPart, report: Report): Promise<void> {
  const run = { start: Infinity, end: -Infinity, users: -Infinity }
  const steps = new TimelineSteps()
  await rowsOf(part, (field) => {
    const [time, users] = [figureOf(field('Timestamp')), figureOf(field('User Count'))]
    if (time !== undefined) {
      run.start = Math.min(run.start, time)
      run.end = Math.max(run.end, time)
    }
    if (users !== undefined) run.users = Math.max(run.users, users)
    if (time === undefined || field('Name') !== 'Aggregated') return
    const [rate, failures] = [figureOf(field('Requests/s')), figureOf(field('Failures/s'))]
    const figures = {
      ...{ throughput: rate, p50: figureOf(field('50%')), p95: figureOf(field('95%')), users },
      'error-rate': rate && failures !== undefined ? (failures * 100) / rate : undefined,
    }
    for (const name of timelineFigures) steps.other(time * 1000, name, figures[name])
  })
  const timeline = steps.timeline()
  if (timeline) report.timeline = timeline
  // Old releases write no row after the first.
  if (run.end > run.start) setPeriod(report, run.start * 1000, run.end * 1000)
  else if (run.end === run.start) report.general.startTime = run.start * 1000
  if (run.end > run.start && run.users > 0) report.general.users = run.users
}

/** Failed requests, and exceptions of tasks: what these would have requested next is in no figure. */
async function readErrors(parts: readonly (ReportPart | undefined)[]): Promise<Report['errors']> {
  const errors = new ErrorGroups()
  for (const part of parts) {
    if (!part) continue
    await rowsOf(part, (field) => {
      const place = `${field('Method') ?? ''} ${field('Name') ?? ''}`
      const count = figureOf(field('Occurrences') ?? field('Count'))
      errors.add(field('Error') ?? `exception: ${field('Message') ?? ''}`, count ?? 1, place)
    })
  }
  return errors.sorted()
}
