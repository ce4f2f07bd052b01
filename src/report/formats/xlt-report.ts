import { defined } from '../../text/fields.js'
import type { Format } from '../format.js'
import {
  emptyReport,
  webVitalNames,
  type AgentCpu,
  type LoadProfileEntry,
  type Report,
  type WebVitalName,
  type WebVitals,
} from '../report.js'
import { readXml, type Element } from '../../xml/xml.js'
import { figure, kept, leaf, numberOf, parent, pushBounded, put, record, row, words } from '../elements.js'
import { ErrorGroups, namesOnce } from './timers.js'
import { errorsIn, parseScorecard } from './xlt-scorecard.js'
import { errorsElement, timerSections } from './xlt-timers.js'

const maxRows = 10_000
const maxSettings = 200

/** The charts of XLT's report: those of the whole run, and one of the times of each timer. */
const chartFiles =
  /(?:^|\/)charts\/(?:[A-Z][A-Za-z]+|agents\/All Agents\/CpuUsage|(?:transactions|actions|requests|pageLoadTimings|custom)\/[^/]+(?<!_(?:Average|CountPerSecond|Histogram|ResponseSize|ArrivalRate|ConcurrentUsers)))\.webp$/

/** The report of XLT: testreport.xml, with the scorecard.xml beside it. */
export const xlt: Format = {
  tool: 'XLT',
  name: "XLT's report (testreport.xml)",
  files: /(?:^|\/)testreport\.xml$/,
  beside: { below: '', names: /^scorecard\.xml$/ },
  charts: chartFiles,
  usualName: 'testreport.xml',
  // It has some 10 MB.
  mostBytes: 256_000_000,
  isRaw: false,
  has: /^/,
  recognises: ({ name, text }) =>
    name === 'testreport.xml' || (/^\s*</.test(text) && /<testreport[\s/>]/.test(text)),
  async read([part], [beside], { label }) {
    const report = await parseTestReport(part.bytes(), label)
    const scorecard = beside && (await parseScorecard(beside.bytes()))
    const xml = part.file === undefined ? undefined : { file: part.file, errorsIn }
    return { report, ...defined({ scorecard, xml }) }
  },
}

/**
 * Reads testreport.xml of engines 5 to 10 as it streams by, within memory that grows only with the figures
 * themselves. Missing parts stay absent, unknown parts are skipped, and whole paths count: `slowestRequests/request`
 * is not a request. A timer with count 0 keeps only its count and errors.
 *
 * @param source the file's bytes in any portions, or all of them
 * @param name what the service calls the report
 * @throws ReportError if it is truncated, foreign or hostile, or two timers have the same name
 */
export async function parseTestReport(
  source: AsyncIterable<Uint8Array> | Uint8Array,
  name = '',
): Promise<Report> {
  const report: Report = { ...emptyReport(), timeStep: 10 }
  const errors = new ErrorGroups()
  const { general } = report
  const timers = timerSections(report)
  const element = parent({
    configuration: configurationElement(report),
    general: parent({
      startTime: leaf((text) => put(general, 'startTime', dateOf(text))),
      endTime: leaf((text) => put(general, 'endTime', dateOf(text))),
      duration: figure((value) => (general.duration ??= value)),
      hits: figure((value) => (general.hits ??= value)),
      bytesSent: figure((value) => (general.bytesSent ??= value)),
      bytesReceived: figure((value) => (general.bytesReceived ??= value)),
    }),
    ...timers.lists,
    summary: parent({
      ...timers.summaries,
      agents: agentElement(({ name: _, transactions: __, ...cpu }) => (report.agentSummary ??= cpu)),
    }),
    webVitalsList: webVitalsElement(report.webVitals),
    agents: parent({
      agent: agentElement((agent) => pushBounded(report.agents, agent, maxRows, 'load generators')),
    }),
    errors: errorsElement(errors),
    responseCodes: parent({
      responseCode: row(['statusText'], ['code', 'count'], ({ statusText = '' }, { code, count }) => {
        if (code === undefined || count === undefined) return
        const one = { code, text: kept(statusText, 200), count }
        pushBounded(report.responseCodes, one, maxRows, 'response codes')
      }),
    }),
    ...customElements(report),
  })
  await readXml(source, { name: 'testreport.xml', root: 'testreport', element })
  namesOnce(report)
  report.errors = errors.sorted()
  const partial = [name, report.projectName, ...report.comments].find((text) => text && isPartial(text))
  if (partial !== undefined) report.partial = partial
  return report
}

/** Whether a name or comment of a report says that a load generator's results are missing from it. */
export function isPartial(text: string): boolean {
  return /Download from \d{1,9} of \d{1,9} agent controllers? failed/i.test(text)
}

/** How many milliseconds the load test ran: the engine appends it to the settings of the run. */
const elapsedProperty = 'com.xceptance.xlt.loadtest.elapsed'

/** What the suite counted and measured itself. */
function customElements(report: Report): Record<string, Element> {
  return {
    events: parent({
      event: row(
        ['name', 'testCaseName'],
        ['totalCount'],
        ({ name, testCaseName }, { totalCount: count }) => {
          if (name === undefined || count === undefined) return
          pushFirst((report.events ??= []), { name, count, ...defined({ transaction: testCaseName }) })
        },
      ),
    }),
    customValues: parent({
      customValue: row(['name'], ['count', 'min', 'mean', 'max'], ({ name }, { count, ...rest }) => {
        if (name === undefined) return
        // The zeros of a value that was never reported are no measurements.
        const value = count === 0 ? { name, count } : { name, ...defined({ count }), ...rest }
        pushFirst((report.customValues ??= []), value)
      }),
    }),
  }
}

/** Its `properties` contain every setting of the run, including secrets: none but the elapsed time is ever read. */
function configurationElement(report: Report): Element {
  let profile: { name?: string; className?: string; settings: Record<string, string> } = { settings: {} }
  return parent({
    properties: parent({
      property: {
        start: ({ name, value = '' }) => {
          const elapsed = name === elapsedProperty ? numberOf(value) : undefined
          if (elapsed !== undefined) put(report.general, 'elapsed', elapsed / 1000)
        },
      },
    }),
    projectName: words((text) => put(report, 'projectName', text)),
    version: row(['logogram', 'version'], [], ({ logogram = '', version = '' }) => {
      // A build from sources calls itself "?.?.?".
      if (/\d/.test(version)) report.engineVersion ??= `${kept(logogram, 100)} ${kept(version, 200)}`.trim()
    }),
    comments: parent({
      string: words((comment) => pushBounded(report.comments, comment, maxRows, 'comments')),
    }),
    loadProfile: parent({
      testCase: {
        start: () => {
          profile = { settings: {} }
        },
        child: (setting) =>
          words((value) => {
            if (setting === 'userName') profile.name ??= value
            else if (setting === 'testCaseClassName') profile.className ??= value
            else if (setting !== '__proto__' && Object.keys(profile.settings).length < maxSettings) {
              profile.settings[kept(setting, 200)] ??= value
            }
          }),
        end: () => {
          const name = profile.name ?? profile.className ?? ''
          const entry: LoadProfileEntry = { name, settings: profile.settings }
          pushBounded(report.loadProfile, entry, maxRows, 'test cases in the load profile')
        },
      },
    }),
  })
}

function agentElement(done: (agent: Report['agents'][number]) => void): Element {
  return record(
    (): Report['agents'][number] => ({ name: '' }),
    (agent) => {
      const usage = (mean: keyof AgentCpu, max: keyof AgentCpu): Element =>
        parent({
          mean: figure((value) => put(agent(), mean, value)),
          max: figure((value) => put(agent(), max, value)),
        })
      return {
        name: leaf((text) => (agent().name ||= kept(text))),
        totalCpuUsage: usage('totalMean', 'totalMax'),
        cpuUsage: usage('ownMean', 'ownMax'),
        transactions: figure((value) => put(agent(), 'transactions', value)),
      }
    },
    done,
  )
}

function webVitalsElement(list: WebVitals[]): Element {
  const vital = (name: WebVitalName, of: () => WebVitals) =>
    row(['rating'], ['score', 'goodCount', 'improveCount', 'poorCount'], (texts, { score, ...counts }) => {
      if (score !== undefined) of().vitals[name] ??= { score, ...texts, ...counts }
    })
  const webVitals = record(
    (): WebVitals => ({ name: '', vitals: {} }),
    (now) => ({
      name: leaf((text) => (now().name ||= kept(text))),
      ...Object.fromEntries(webVitalNames.map((name) => [name, vital(name, now)])),
    }),
    (one) => pushBounded(list, one, maxRows, 'rows of web vitals'),
  )
  return parent({ webVitals })
}

/** More rows of what no gate judges are no reason to refuse a report. */
function pushFirst<T>(list: T[], row: T): void {
  if (list.length < maxRows) list.push(row)
}

/**
 * What zone abbreviations stand for, if they are unambiguous: CST, IST and BST are each used by several countries, and
 * an unknown time is left out.
 */
const zones: Readonly<Record<string, readonly string[]>> = {
  '+00:00': ['UTC', 'GMT', 'Z', 'WET'],
  '+01:00': ['WEST', 'CET'],
  '+02:00': ['CEST', 'EET'],
  '+03:00': ['EEST'],
  '-04:00': ['EDT'],
  '-05:00': ['EST'],
  '-06:00': ['MDT'],
  '-07:00': ['MST', 'PDT'],
  '-08:00': ['PST'],
}
const datePattern =
  /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,3}))? ?(?:([A-Z]{1,5})|(?:UTC|GMT)?([+-]\d{2}):?(\d{2}))$/

/**
 * Milliseconds since 1970 of a date of testreport.xml: `2026-01-17 10:15:00 UTC`, or `2017-11-24 13:04:02.74 CET`
 * of older engines, which write milliseconds without leading zeros (74 ms). Undefined if it is not a date, or its
 * zone is missing or unknown.
 */
export function dateOf(text: string): number | undefined {
  const [, day = '', clock, milliseconds = 0, name, hours, minutes] =
    datePattern.exec(text.slice(0, 60).trim()) ?? []
  const zone = Object.keys(zones).find((one) => zones[one]?.includes(name ?? '')) ?? `${hours}:${minutes}`
  const time = Date.parse(`${day}T${clock}${zone}`) + Number(milliseconds)
  // 30 February is parsed as 2 March.
  if (Number.isNaN(time) || !new Date(`${day}T00:00Z`).toISOString().startsWith(day)) return undefined
  return time
}
