import { ReportError } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import type { Format, FileHead } from '../format.js'
import { readXml, type Element } from '../../xml/xml.js'
import { leaf, numberOf, parent } from '../elements.js'
import { Samples, type Sampled } from './samples.js'
import {
  headerOf,
  momentOf,
  readTable,
  jsonOfPart,
  textOfPart,
  type OpenPart,
  type Row,
} from './text-rows.js'
import { defined, fieldsOf } from '../../text/fields.js'
import { formatDuration } from '../../text/duration.js'
import {
  addRow,
  figureOf,
  figuresOf,
  percentilesAmong,
  reportBy,
  severalRuns,
  timerOf,
  unambiguous,
} from './timers.js'

const hint =
  'Give samplers that differ only by an id one name, in place of a name with a variable such as "Product ${id}".'
const known = new Set(
  'timeStamp elapsed label responseCode responseMessage threadName dataType success failureMessage bytes sentBytes grpThreads allThreads Latency Connect'.split(
    ' ',
  ),
)
/** What the usual columns begin with where no line says their names. */
const withoutHeader =
  /^(?:\d{13}|\d{1,4}[/.-][\d/: .TZ+-]{4,25})([,;\t|])\d{1,9}\1[^\n]{1,400}\1(?:true|false)\1/

/** JMeter's samples. A transaction controller's row follows those of its samples, or has them nested in XML. */
export const jmeterSamples: Format = {
  tool: 'JMeter',
  name: "JMeter's samples (.jtl, as CSV with a header or as XML)",
  files: /\.(?:jtl|csv|xml)(?:\.gz)?$/i,
  usualName: 'results.jtl',
  mostBytes: 64_000_000_000,
  isRaw: true,
  has: /^(?:requests|transactions) (?!apdex)/,
  recognises: (head) => isXml(head) || isCsv(head) || withoutHeader.test(head.text),
  unless: [
    [/^\w+ err/, 'the run has jmeter.save.saveservice.successful=true'],
    [/ throughput$/, 'the run has jmeter.save.saveservice.timestamp_format=ms'],
  ],
  async read(parts, _, { percentiles }) {
    const samples = new Samples('JMeter', hint, percentiles)
    await samples.takeAll(parts, (file) => readPart(file, samples))
    return { report: { ...samples.report(), timeStep: 1 } }
  },
}

function isXml({ text }: FileHead): boolean {
  return /^\s*<(?:\?xml[^>]*>\s*<)?testResults[\s>]/.test(text)
}

function isCsv(head: FileHead): boolean {
  const names = headerOf(head).filter((name) => known.has(name))
  const own = names.filter((name) => ['elapsed', 'label', 'success'].includes(name))
  return (own.length > 1 && own.includes('label')) || (own.length > 0 && names.length > 2)
}

/** @returns its form */
async function readPart(file: OpenPart, samples: Samples): Promise<string> {
  if (isXml(file.head)) {
    const name = oneLine(file.head.name, 120)
    const sample = sampleElement(samples)
    const child = (element: string) => sample(element) ?? notRead(element)
    // Responses that it saves may have characters that XML cannot have.
    const advice = 'Judge a run that went to its end, or have JMeter write CSV.'
    await readXml(file.bytes, { name, root: 'testResults', element: { child }, advice })
    return 'XML'
  }
  if (!isCsv(file.head)) throw switchedOff('no line with the names of its columns', 'print_field_names')
  await readTable(file, (row) => take(samples, row))
  return 'CSV'
}

function switchedOff(what: string, setting: string): ReportError {
  return new ReportError(`It has ${what}. Run JMeter with -Jjmeter.save.saveservice.${setting}=true.`)
}

/** How XML names what CSV has in columns. */
const attributeNames: Readonly<Record<string, string>> = {
  timeStamp: 'ts',
  elapsed: 't',
  label: 'lb',
  success: 's',
  responseCode: 'rc',
  responseMessage: 'rm',
  dataType: 'dt',
  bytes: 'by',
  allThreads: 'na',
  Latency: 'lt',
  Connect: 'ct',
  SampleCount: 'sc',
}

/** What is nested in a transaction are its samples; what is nested in a sample are parts of it, such as redirects. */
function sampleElement(samples: Samples): (name: string) => Element | undefined {
  let sample: Readonly<Record<string, string>> = {}
  let failure = ''
  // XML has it in an element; what is no HTTP sample mostly has none, as CSV says it.
  let url: 'null' | undefined
  // One for each depth: those of the same depth come one after the other.
  let inner: ReturnType<typeof sampleElement> | undefined
  const field: Row = (column) => {
    if (column === 'failureMessage') return failure
    return column === 'URL' ? url : sample[attributeNames[column] ?? '']
  }
  const assertion = parent({ failureMessage: leaf((text) => (failure ||= text)) })
  const element: Element = {
    start(attributes) {
      sample = attributes
      failure = ''
    },
    child(name) {
      if (name === 'assertionResult') return assertion
      return isTransaction(field) ? (inner ??= sampleElement(samples))(name) : undefined
    },
    end: () => take(samples, field),
  }
  // A plugin's samples may have the name of their class.
  return (name) => {
    url = name === 'sample' ? 'null' : undefined
    return /^(?:httpSample|sample|[\w.]+\.\w*Sample\w*)$/.test(name) ? element : undefined
  }
}

function notRead(element: string): never {
  throw new ReportError(
    `It has <${oneLine(element, 40)}>, where JMeter since 2.1 writes <sample> or <httpSample>. Judge what a newer JMeter writes, or CSV.`,
  )
}

function isTransaction(field: Row): boolean {
  const [message, type] = [field('responseMessage'), field('dataType')]
  if (message === undefined) return type === '' && field('URL') === 'null'
  // A server may say that, too; its answers have a type.
  return !type && /^Number of samples in transaction : \d/.test(message)
}

function take(samples: Samples, field: Row): void {
  const label = field('label')
  if (label === undefined) throw switchedOff('no labels, so its requests have no names', 'label')
  const isWhole = isTransaction(field)
  // Of no samples, so nothing was measured, as JMeter's dashboard has it.
  if (isWhole && field('responseMessage')?.startsWith('Number of samples in transaction : 0,')) return
  const sampled = samples.of(isWhole ? 'transactions' : 'requests', label)
  const elapsed = elapsedOf(field('elapsed'), label)
  if (isOfMany(field)) {
    throw new ReportError(
      `A row of "${oneLine(label, 60)}" stands for several samples, so it has no time of any. Run JMeter with -Jmode=StrippedBatch.`,
    )
  }
  sampled.add(elapsed)
  const end = span(samples, field('timeStamp'), elapsed ?? 0)
  const users = numberOf(field('allThreads') ?? '')
  if (users !== undefined) samples.users(users)
  const isError = isErrorIn(field('success'), label)
  if (isError !== undefined) sampled.judge(isError)
  if (isWhole) return
  samples.steps.sample(end, elapsed, isError)
  samples.steps.other(end, 'users', users)
  answer(samples, field, isError)
  const bytes = numberOf(field('bytes') ?? '')
  if (bytes !== undefined) sampled.part('bytesReceived', bytes)
  if (elapsed !== undefined) parts(sampled, field, elapsed)
}

/** A row that JMeter adds up in its mode Statistical; without a count of its own, it is of no thread and has no answer. */
function isOfMany(field: Row): boolean {
  const isOfNone = field('allThreads') === '0' && !field('responseCode') && field('responseMessage') === ''
  return isOfNone || Number(field('SampleCount') ?? 1) > 1
}

/** What the server said, or why it did not. */
function answer(samples: Samples, field: Row, isError: boolean | undefined): void {
  const [code = '', message = ''] = [field('responseCode'), field('responseMessage')]
  if (isError) samples.error(field('failureMessage') || `${code} ${message}`, field('label') ?? '')
  if (code !== '') samples.response(/^[1-9]\d{2}$/.test(code) ? Number(code) : 0, message)
}

/** @throws ReportError if it is no time */
function elapsedOf(text: string | undefined, label: string): number | undefined {
  if (text === undefined) return undefined
  const time = numberOf(text)
  if (time !== undefined && time >= 0) return time
  throw new ReportError(
    `A sample of "${oneLine(label, 60)}" took "${oneLine(text, 40)}", which is no time in milliseconds. Judge the file as JMeter wrote it, or another run.`,
  )
}

/** @throws ReportError if that is unclear */
function isErrorIn(success: string | undefined, label: string): boolean | undefined {
  const word = success?.trim().toLowerCase()
  if (word === undefined) return undefined
  if (word === 'true' || word === 'false') return word === 'false'
  throw new ReportError(
    `A sample of "${oneLine(label, 60)}" has "${oneLine(word, 40)}" as its success, which is neither true nor false. Judge the file as JMeter wrote it.`,
  )
}

/** Until the connection, until the first byte, until the last. A sampler that measures no latency writes 0. */
function parts(sampled: Sampled, field: Row, elapsed: number): void {
  const [latency, connect] = [numberOf(field('Latency') ?? ''), numberOf(field('Connect') ?? '')]
  if (!latency) return
  if (connect !== undefined) {
    sampled.part('connectTime', connect)
    sampled.part('serverBusyTime', Math.max(0, latency - connect))
  }
  sampled.part('receiveTime', Math.max(0, elapsed - latency))
}

/**
 * A time without a zone is of whatever zone the machine was in: then only the run's length is known.
 *
 * @returns when the sample ended; NaN if that is not known
 * @throws ReportError if other times have a zone
 */
function span(samples: Samples, text: string | undefined, elapsed: number): number {
  const { time, isDated } = momentOf(text ?? '')
  if (Number.isNaN(time)) return time
  if (isDated !== (samples.isDated ??= isDated)) {
    throw new ReportError(
      `Some of its times have no zone, such as "${oneLine(text ?? '', 40)}", and others have one, so how long the run took is unclear. Write all with one timestamp_format.`,
    )
  }
  samples.span(time, time + elapsed)
  return time + elapsed
}

const figureNames = {
  count: 'sampleCount',
  errors: 'errorCount',
  mean: 'meanResTime',
  min: 'minResTime',
  max: 'maxResTime',
  countPerSecond: 'throughput',
}
/** Of a row, JMeter takes percentiles of the last ones only, so many unless jmeter.reportgenerator.statistic_window is set. */
const mostSamples = 20_000
const isOfFew = `the row has at most ${mostSamples} samples: JMeter takes it of the last so many`
/** Seconds: hardly a load test takes a week, and runs that were put together do. */
const longest = 7 * 24 * 3600

/**
 * The statistics of JMeter's dashboard, in which nothing tells a transaction controller from a sampler. Which percentiles
 * they have says the script of its page alone.
 */
export const jmeterDashboard: Format = {
  tool: 'JMeter',
  name: "JMeter's dashboard (the folder with statistics.json)",
  files: /(?:^|\/)statistics\.json$/i,
  beside: { below: 'content/js/', names: /^dashboard\.js$/ },
  usualName: 'statistics.json',
  mostBytes: 64_000_000,
  isRaw: false,
  has: /^requests (?:count|errors|error-rate|throughput|min|max|mean|median|p[\d.]+)$/,
  unless: [
    [/^requests median/, isOfFew],
    [
      /^requests p/,
      `aggregate_rpt_pct1 to 3 have it, content/js/dashboard.js, which says so, is in the folder, and ${isOfFew}`,
    ],
  ],
  recognises: ({ text }) =>
    /^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{[^{}]*"(?:sampleCount|meanResTime|pct1ResTime)"\s*:/.test(text),
  async read([part], [script]) {
    const report = reportBy('JMeter', 1)
    const names = script ? percentilesIn(await textOfPart(script)) : []
    for (const [label, value] of Object.entries(await jsonOfPart(part))) {
      const row = fieldsOf(value)
      const figure = (name: string) => figureOf(row[name])
      const count = figure('sampleCount') ?? 1
      // A transaction that was always empty.
      if (count === 0) continue
      const isWhole = count <= mostSamples
      const median = isWhole ? figure('medianResTime') : undefined
      const percentiles = percentilesAmong(isWhole ? names : [], (_, at) => figure(`pct${at + 1}ResTime`))
      const figures = { ...figuresOf(figureNames, figure), ...defined({ median }), percentiles }
      const isAll = label === 'Total'
      addRow(report, 'requests', isAll, timerOf(isAll ? '' : label, figures))
    }
    const { duration = 0 } = report.general
    if (duration > longest) throw severalRuns(`it covers ${formatDuration(duration * 1000)}`)
    return { report: unambiguous(report) }
  },
}

/**
 * By the titles of its table, in any language: `90th pct`, `90% centile`.
 *
 * @throws ReportError if a label has taken the place of the row of all
 */
function percentilesIn(script: string): string[] {
  const [table = ''] = /"#statisticsTable"\), \{[^\n]*/.exec(script) ?? []
  if (table.split('"data": ["Total", ').length > 2) {
    throw new ReportError(
      'One of its labels is "Total", as JMeter calls the row of all, and the file has one of the two only. Give the label another name, or judge the samples (.jtl).',
    )
  }
  const [, titles = ''] = /"titles": \[([^\]]*)\]/.exec(table) ?? []
  const numbers = [...titles.matchAll(/"(\d{1,3}(?:\.\d{1,10})?)\D/g)].map(([, number]) => Number(number))
  return numbers.length === 3 ? numbers.map((number) => `p${number}`) : []
}
