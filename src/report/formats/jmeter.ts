import { ReportError } from '../../errors.js'
import { fieldsOf, textOf } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { Format, FileHead, ReportPart } from '../format.js'
import { leaf, numberOf, parent, readXml, type Element } from '../xml.js'
import { addTimer, figureOf, figuresOf, lengthFrom, reportBy, timerOf, unambiguous } from './timers.js'
import { Samples, type Sampled } from './samples.js'
import { begun, headerOf, jsonOfPart, readTable, type Row } from './text-rows.js'

const hint =
  'Give samplers that differ only by an id one name, in place of a name with a variable such as "Product ${id}".'
const known = new Set(
  ['timeStamp', 'elapsed', 'label', 'responseCode', 'responseMessage', 'threadName', 'dataType'].concat([
    'success',
    'failureMessage',
    'bytes',
    'sentBytes',
    'grpThreads',
    'allThreads',
    'Latency',
    'Connect',
  ]),
)
/** What the usual columns begin with where no line says their names. */
const withoutHeader = /^\d{13}([,;\t|])\d{1,9}\1[^\n]{1,400}\1(?:true|false)\1/

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
  async read(parts, _, { percentiles }) {
    const samples = new Samples('JMeter', hint, percentiles)
    const run = { samples, isDated: true }
    await samples.takeAll(parts, (part) => readPart(part, run))
    return { report: { ...samples.report(run.isDated), timeStep: 1 } }
  },
}

interface RunSoFar {
  samples: Samples
  /** Whether all times say which moment they mean. */
  isDated: boolean
}

function isXml({ text }: FileHead): boolean {
  return /^\s*<(?:\?xml[^>]*>\s*<)?testResults[\s>]/.test(text)
}

function isCsv(head: FileHead): boolean {
  const names = headerOf(head, separatorOf(head)).filter((name) => known.has(name))
  return names.length >= 3 && names.some((name) => ['elapsed', 'label', 'success'].includes(name))
}

function separatorOf({ text }: FileHead): string {
  return /^"?[A-Za-z]+"?([^A-Za-z"\r\n])/.exec(text)?.[1] ?? ','
}

async function readPart(part: ReportPart, run: RunSoFar): Promise<void> {
  const { head, bytes } = await begun(part)
  if (isXml(head)) {
    const name = oneLine(part.name, 120)
    const sample = sampleElement(run)
    const child = (element: string) => sample(element) ?? notRead(element)
    await readXml(bytes, { name, root: 'testResults', element: { child } })
  } else if (isCsv(head)) {
    await readTable(bytes, separatorOf(head), (names) => {
      if (names.includes('label')) return (row) => take(run, row)
      throw new ReportError(
        'It has no column "label", so its requests have no names. Run JMeter with -Jjmeter.save.saveservice.label=true.',
      )
    })
  } else {
    throw new ReportError(
      'It has no line with the names of its columns. Run JMeter with -Jjmeter.save.saveservice.print_field_names=true.',
    )
  }
}

/** How XML names what CSV has in columns. */
const attributeNames: Readonly<Record<string, string>> = {
  timeStamp: 'ts',
  elapsed: 't',
  label: 'lb',
  success: 's',
  responseCode: 'rc',
  responseMessage: 'rm',
  bytes: 'by',
  allThreads: 'na',
  Latency: 'lt',
  Connect: 'ct',
  SampleCount: 'sc',
}

/** What is nested in a transaction are its samples; what is nested in a sample are parts of it, such as redirects. */
function sampleElement(run: RunSoFar): (name: string) => Element | undefined {
  let sample: Readonly<Record<string, string>> = {}
  let failure = ''
  // One for each depth: those of the same depth come one after the other.
  let inner: ReturnType<typeof sampleElement> | undefined
  const field: Row = (column) =>
    column === 'failureMessage' ? failure : sample[attributeNames[column] ?? '']
  const assertion = parent({ failureMessage: leaf((text) => (failure ||= text)) })
  const element: Element = {
    start(attributes) {
      sample = attributes
      failure = ''
    },
    child(name) {
      if (name === 'assertionResult') return assertion
      return isTransaction(field) ? (inner ??= sampleElement(run))(name) : undefined
    },
    end: () => take(run, field),
  }
  // A plugin's samples may have the name of their class.
  return (name) => (/^(?:httpSample|sample|[\w.]+\.\w*Sample\w*)$/.test(name) ? element : undefined)
}

function notRead(element: string): never {
  throw new ReportError(
    `It has <${oneLine(element, 40)}>, where JMeter since 2.1 writes <sample> or <httpSample>. Judge what a newer JMeter writes, or CSV.`,
  )
}

function isTransaction(field: Row): boolean {
  const message = field('responseMessage')
  if (message !== undefined) return /^Number of samples in transaction : \d/.test(message)
  return field('dataType') === '' && field('URL') === 'null'
}

function take(run: RunSoFar, field: Row): void {
  const { samples } = run
  const label = field('label') ?? ''
  const isWhole = isTransaction(field)
  const sampled = samples.of(isWhole ? 'transactions' : 'requests', label)
  const elapsed = elapsedOf(field('elapsed'), label)
  if (Number(field('SampleCount') ?? 1) > 1) {
    throw new ReportError(
      `A row of "${oneLine(label, 60)}" stands for several samples (SampleCount), so it has no time of any. Run JMeter with -Jmode=StrippedBatch.`,
    )
  }
  sampled.add(elapsed)
  const end = span(run, field('timeStamp'), elapsed ?? 0)
  const users = numberIn(field('allThreads'))
  if (users !== undefined) samples.users(users)
  const success = field('success')
  const isError = success ? success.toLowerCase() !== 'true' : undefined
  if (isError !== undefined) sampled.judge(isError)
  if (isWhole) return
  samples.steps.sample(end, elapsed, isError)
  samples.steps.other(end, 'users', users)
  answer(run, field, isError)
  const bytes = numberIn(field('bytes'))
  if (bytes !== undefined) sampled.part('bytesReceived', bytes)
  if (elapsed !== undefined) parts(sampled, field, elapsed)
}

/** What the server said, or why it did not. */
function answer({ samples }: RunSoFar, field: Row, isError: boolean | undefined): void {
  const [code = '', message = ''] = [field('responseCode'), field('responseMessage')]
  if (isError) samples.error(field('failureMessage') || `${code} ${message}`, field('label') ?? '')
  if (code !== '') samples.response(/^[1-9]\d{2}$/.test(code) ? Number(code) : 0, message)
}

function numberIn(text: string | undefined): number | undefined {
  return text ? numberOf(text) : undefined
}

/** @throws ReportError if it is no time */
function elapsedOf(text: string | undefined, label: string): number | undefined {
  if (!text) return undefined
  const time = numberOf(text)
  if (time !== undefined && time >= 0) return time
  throw new ReportError(
    `A sample of "${oneLine(label, 60)}" took "${oneLine(text, 40)}", which is no time in milliseconds.`,
  )
}

/** Until the connection, until the first byte, until the last. A sampler that measures no latency writes 0. */
function parts(sampled: Sampled, field: Row, elapsed: number): void {
  const [latency, connect] = [numberIn(field('Latency')), numberIn(field('Connect'))]
  if (!latency) return
  if (connect !== undefined) {
    sampled.part('connectTime', connect)
    sampled.part('serverBusyTime', Math.max(0, latency - connect))
  }
  sampled.part('receiveTime', Math.max(0, elapsed - latency))
}

const date = /^(\d{4})[/-](\d{2})[/-](\d{2})[ T](\d{2}:\d{2}:\d{2}(?:[.,]\d{1,3})?)$/

/**
 * A time is milliseconds, or a date of whatever zone the machine was in: then only the run's length is known.
 *
 * @returns when the sample ended; NaN if that is not known
 */
function span(run: RunSoFar, text: string | undefined, elapsed: number): number {
  if (text === undefined || text === '') return Number.NaN
  let time = numberOf(text)
  const [, year, month, day, clock] = time === undefined ? (date.exec(text) ?? []) : []
  if (clock !== undefined) {
    run.isDated = false
    time = Date.parse(`${year}-${month}-${day}T${clock.replace(',', '.')}Z`)
  }
  if (time === undefined || Number.isNaN(time)) return Number.NaN
  run.samples.span(time, time + elapsed)
  return time + elapsed
}

const figureNames = {
  count: 'sampleCount',
  errors: 'errorCount',
  mean: 'meanResTime',
  median: 'medianResTime',
  min: 'minResTime',
  max: 'maxResTime',
  countPerSecond: 'throughput',
}
/** The file does not say which ones it has: these are JMeter's own. */
const percentileNames = { p90: 'pct1ResTime', p95: 'pct2ResTime', p99: 'pct3ResTime' }

/** The statistics of JMeter's dashboard, in which nothing tells a transaction controller from a sampler. */
export const jmeterDashboard: Format = {
  tool: 'JMeter',
  name: "JMeter's dashboard (statistics.json)",
  files: /(?:^|\/)statistics\.json$/i,
  usualName: 'statistics.json',
  mostBytes: 64_000_000,
  isRaw: false,
  has: /^requests (?:count|errors|error-rate|throughput|min|max|mean|median|p90|p95|p99)$/,
  recognises: ({ text }) =>
    /^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{[^{}]*"(?:sampleCount|meanResTime|pct1ResTime)"\s*:/.test(text),
  async read([part]) {
    const report = reportBy('JMeter', 1)
    for (const [label, value] of Object.entries(part ? await jsonOfPart(part) : {})) {
      const row = fieldsOf(value)
      const figure = (name: string) => figureOf(row[name])
      const percentiles = figuresOf(percentileNames, figure)
      const found = figuresOf(figureNames, figure)
      const isAll = label === 'Total'
      const timer = timerOf(isAll ? '' : (textOf(row['transaction']) ?? label), { ...found, percentiles })
      if (isAll) {
        report.timers.requests.summary = timer
        lengthFrom(report, timer)
      } else addTimer(report, 'requests', timer)
    }
    return { report: unambiguous(report) }
  },
}
