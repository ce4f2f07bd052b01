import { ReportError } from '../../errors.js'
import { fieldsOf, isFields, textOf, type Fields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { ReadOptions, Format } from '../format.js'
import {
  isMeasurable,
  isPercentile,
  withoutRest,
  type Percentile,
  type Report,
  type Timer,
  type TimerKind,
} from '../report.js'
import { spread } from './samples.js'
import { addTimer, reportBy, setPeriod, timerOf, unambiguous } from './timers.js'
import { jsonOfPart } from './text-rows.js'

const kinds: readonly TimerKind[] = ['requests', 'transactions', 'customTimers']
const figures = ['count', 'errors', 'mean', 'deviation', 'min', 'median', 'max', 'countPerSecond'] as const
const columns = ['name', 'samples', 'percentiles', ...figures]

/** What any tool's figures can be written as: docs/report.schema.json. */
export const own: Format = {
  name: 'a report by docs/report.schema.json of this action',
  files: /\.json(?:\.gz)?$/i,
  usualName: 'report.json',
  mostBytes: 256_000_000,
  isRaw: false,
  has: /^(?:requests|transactions|customTimers) /,
  recognises: ({ text }) =>
    /^\s*\{\s*"/.test(text) && /"(?:requests|transactions|customTimers)"\s*:\s*\[\s*(?:\{\s*"|\])/.test(text),
  async read([part], _, asked) {
    return { report: reportOf(await jsonOfPart(part), asked) }
  },
}

function reportOf(file: Fields, asked: ReadOptions): Report {
  mustKnow(['$schema', 'engine', 'start', 'duration', 'users', ...kinds], file, 'The report')
  const report = reportBy(textOf(file['engine']))
  const seconds = amount(file, 'duration', 'The report')
  const start = Date.parse(textOf(file['start']) ?? '')
  if (file['start'] !== undefined && Number.isNaN(start)) {
    throw new ReportError('Its "start" is no time such as "2026-01-17T10:15:00Z".')
  }
  if (seconds !== undefined) {
    const from = Number.isNaN(start) ? 0 : start
    setPeriod(report, from, from + seconds * 1000, from !== 0)
  } else if (!Number.isNaN(start)) report.general.startTime = start
  const users = amount(file, 'users', 'The report')
  if (users !== undefined) report.general.users = users
  for (const kind of kinds) readKind(report, kind, file[kind], asked)
  return unambiguous(report)
}

function readKind(report: Report, kind: TimerKind, rows: unknown, asked: ReadOptions): void {
  if (rows === undefined) return
  if (!Array.isArray(rows)) throw new ReportError(`Its "${kind}" are no list.`)
  const { duration } = report.general
  for (const row of rows) {
    const fields = fieldsOf(row)
    const name = textOf(fields['name'])
    if (name === undefined) throw new ReportError(`One of its ${kind} has no "name".`)
    addTimer(report, kind, timerOf(name, figuresOfRow(fields, `"${oneLine(name, 60)}"`, asked), duration))
  }
}

/** @throws ReportError for a field that is not in the schema: a word that is misspelt would be missing without a sign */
function mustKnow(names: readonly string[], fields: Fields, of: string): void {
  const other = Object.keys(fields).find((name) => !names.includes(name))
  if (other === undefined) return
  throw new ReportError(
    `${of} has "${oneLine(other, 40)}", which is none of ${names.join(', ')}. Times are milliseconds.`,
  )
}

/** @throws ReportError for what is not in the schema, or cannot be */
function figuresOfRow(row: Fields, of: string, { percentiles }: ReadOptions): Partial<Timer> {
  mustKnow(columns, row, of)
  const found: Partial<Timer> = row['samples'] === undefined ? {} : ofSamples(row['samples'], of, percentiles)
  for (const name of figures) {
    const value = amount(row, name, of)
    if (value !== undefined) found[name] = value
  }
  const { count, errors = 0 } = found
  if (errors > (count ?? 0))
    throw new ReportError(
      `${of} has ${errors} errors, but ${count === undefined ? 'no count' : `a count of ${count}`}.`,
    )
  const given = row['percentiles'] ?? {}
  if (!isFields(given)) throw new ReportError(`The percentiles of ${of} are no record such as {"p95": 20}.`)
  for (const [name, value] of Object.entries(given)) {
    if (!isPercentile(name))
      throw new ReportError(`${of} has the percentile "${oneLine(name, 40)}". Write p95 or p99.9.`)
    const figure = amount({ [name]: value }, name, of)
    if (figure !== undefined) found.percentiles = { ...found.percentiles, [name]: figure }
  }
  return found
}

function ofSamples(samples: unknown, of: string, asked: readonly Percentile[] | undefined): Partial<Timer> {
  const times: readonly unknown[] = Array.isArray(samples) ? samples : []
  const numbers = times.filter(
    (time): time is number => typeof time === 'number' && isMeasurable(time) && time >= 0,
  )
  if (!Array.isArray(samples) || numbers.length < times.length) {
    throw new ReportError(`The samples of ${of} are no list of times in milliseconds.`)
  }
  return { count: numbers.length, ...spread(Float64Array.from(numbers).sort(), asked) }
}

/** @throws ReportError for anything but a number from 0 on; null stands for what was not measured */
function amount(fields: Fields, name: string, of: string): number | undefined {
  const given = fields[name]
  const value = typeof given === 'number' ? withoutRest(given) : given
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && isMeasurable(value) && value >= 0) return value
  throw new ReportError(
    `${of} has ${typeof value === 'object' ? 'a list or record' : oneLine(JSON.stringify(value), 40)} as "${name}", which is no number from 0 on.`,
  )
}
