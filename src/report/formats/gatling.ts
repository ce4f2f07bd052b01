import { ReportError } from '../../errors.js'
import { defined, fieldsOf, isFields, parsedJson, textOf, type Fields } from '../../text/fields.js'
import type { Format } from '../format.js'
import type { Report, Timer } from '../report.js'
import { addTimer, reportBy, figureOf, figuresOf, lengthFrom, timerOf, unambiguous } from './rows.js'
import { textOfPart } from './text-rows.js'

/** js/stats.js in the folder of Gatling's HTML report: a program, of which only the one object is read, as data. */
export const gatling: Format = {
  name: "Gatling's report (the folder with js/stats.js)",
  files: /(?:^|\/)js\/stats\.js$/,
  usualName: 'js/stats.js',
  mostBytes: 256_000_000,
  isRaw: false,
  recognises: ({ name, text }) =>
    name === 'stats.js' || /^\s*(?:var|const) stats = \{\s*"?type"?: ?"GROUP"/.test(text),
  async read([part]) {
    const report = reportBy('Gatling', 1)
    if (part) readGroup(objectIn(await textOfPart(part)), report)
    return { report: unambiguous(report) }
  },
}

const deepest = 64
/** The name of a field, or what JSON has: a text, a number, a sign or a word. Anything else is a program. */
const token = /\s*(?:([A-Za-z_]\w*)(?=\s*:)|"(?:[^"\\\n\r]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null)/y

/** @throws ReportError if there is no object, or more than data in it */
function objectIn(text: string): Fields {
  token.lastIndex = /^\s*(?:var|const|let)\s+stats\s*=\s*(?=\{)/.exec(text)?.[0].length ?? text.length
  const json: string[] = []
  let depth = 0
  do {
    const [piece, name] = token.exec(text) ?? []
    if (piece === undefined) throw noData()
    const sign = piece.trimStart()
    if (sign === '{' || sign === '[') depth++
    if (sign === '}' || sign === ']') depth--
    if (depth > deepest) throw noData()
    // A program's text may escape what JSON does not.
    json.push(name === undefined ? sign.replace(/\\([^"\\/bfnrtu])/g, '$1') : `"${name}"`)
  } while (depth > 0)
  const value = parsedJson(json.join(''))
  if (!isFields(value)) throw noData()
  return value
}

function noData(): ReportError {
  return new ReportError(
    'It is not the statistics of a Gatling report: "var stats = {…}" with nothing but data in it. It may be cut, or of another tool; it is never run.',
  )
}

const figureNames = {
  count: 'numberOfRequests',
  min: 'minResponseTime',
  max: 'maxResponseTime',
  mean: 'meanResponseTime',
  deviation: 'standardDeviation',
  countPerSecond: 'meanNumberOfRequestsPerSecond',
}
/** The file does not say which ones it has: these are Gatling's own. */
const percentileNames = { p50: 'percentiles1', p75: 'percentiles2', p95: 'percentiles3', p99: 'percentiles4' }

/** A group is a transaction, but for the outermost, which is all requests. */
function readGroup(group: Fields, report: Report, isAll = true): void {
  const timer = timerOfRow(group, isAll)
  if (isAll) {
    report.timers.requests.summary = timer
    lengthFrom(report, timer)
  } else addTimer(report, 'transactions', timer)
  for (const row of Object.values(fieldsOf(group['contents'])).map(fieldsOf)) {
    if (row['type'] === 'GROUP') readGroup(row, report, false)
    else addTimer(report, 'requests', timerOfRow(row))
  }
}

/** Two requests of one name may be in different groups: `Visit / Home` */
function timerOfRow({ name, path, stats }: Fields, isAll = false): Timer {
  const all = fieldsOf(stats)
  const figure = (of: string, outcome = 'total') => figureOf(fieldsOf(all[of])[outcome])
  const found = figuresOf(figureNames, (of) => figure(of))
  const percentiles = figuresOf(percentileNames, (of) => figure(of))
  const others = defined({ errors: figure('numberOfRequests', 'ko'), median: percentiles.p50 })
  const shown = isAll ? '' : (textOf(path) ?? textOf(name) ?? '').replaceAll('&quot;', '"')
  return timerOf(shown, { ...found, ...others, percentiles })
}
