import { configurationElement } from './configuration.js'
import { errorsElement } from './error-elements.js'
import { kinds, runtimeLimits, simulateFigures, type Figures, type Kind } from './figures.js'
import type { AgentFigures } from './agents.js'
import { checkRun, reportTime, type SimulatedRun } from './simulated-run.js'
import type { RequestMeasurement } from './request.js'
import { slowestRequestsElement } from './slowest-requests.js'
import { percentileRanks, quantile, spread } from './statistics.js'
import { shopAddress } from './webshop.js'
import { decimal, rates, spreadElement, timerElement } from './timer-element.js'
import { element, xmlFile, type XmlElement } from './xml.js'

/** The text of a testreport.xml. Same run, same text. Throws a RangeError for a run that cannot be simulated. */
export function testReportXml(run: SimulatedRun): string {
  checkRun(run)
  return testReportText(run, simulateFigures(run))
}

export function testReportText(run: SimulatedRun, figures: Figures): string {
  const { traffic, kinds: timers, duration } = figures
  const setting = { duration, withErrorPercentage: hasErrorPercentage(run.engineVersion) }
  const timersOf = (kind: Kind) =>
    element(
      kind,
      timers[kind].timers.map((timer) => timerElement(singular[kind], timer, setting)),
    )
  const requests = traffic.requests
  const countBy = (pick: (request: (typeof requests)[number]) => string) => {
    const counts = new Map<string, number>()
    for (const request of requests) {
      const key = pick(request)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  }
  const { host } = new URL(shopAddress)
  const bytes = timers.requests.summary.traffic?.bytes
  return xmlFile(
    element('testreport', [
      configurationElement(run),
      element('general', [
        element('bytesSent', bytes?.bytesSent.total ?? 0),
        element('bytesReceived', bytes?.bytesReceived.total ?? 0),
        element('hits', requests.length),
        element('startTime', reportTime(run.startTime)),
        element('endTime', reportTime(run.endTime)),
        element('duration', duration),
      ]),
      element(
        'responseCodes',
        countBy((request) => String(request.code)).map(([code, count]) =>
          element('responseCode', [
            element('code', code),
            element('statusText', statusTexts[code] ?? ''),
            element('count', count),
          ]),
        ),
      ),
      errorsElement(traffic.failures),
      element(
        'requestMethods',
        countBy((request) => request.method).map(([method, count]) =>
          element('requestMethod', [element('method', method), element('count', count)]),
        ),
      ),
      element(
        'contentTypes',
        countBy((request) => request.contentType || '(none)').map(([contentType, count]) =>
          element('contentType', [element('contentType', contentType), element('count', count)]),
        ),
      ),
      element('hosts', [element('host', [element('name', host), element('count', requests.length)])]),
      element('ips', [
        element('ip', [element('ip', '(unknown)'), element('host', host), element('count', requests.length)]),
      ]),
      eventsElement(traffic.outOfStock),
      element('summary', [
        ...kinds.map((kind) => timerElement(kind, timers[kind].summary, setting)),
        agentElement('agents', figures.agentSummary),
      ]),
      ...kinds.map(timersOf),
      customValuesElement(requests, duration),
      element('customLogs'),
      webVitalsElement(figures),
      element(
        'agents',
        figures.agents.map((agent) => agentElement('agent', agent)),
      ),
      reportConfigElement(),
      slowestRequestsElement(requests, run.startTime),
    ]),
  )
}

const singular: Record<Kind, string> = {
  transactions: 'transaction',
  actions: 'action',
  requests: 'request',
  pageLoadTimings: 'pageLoadTiming',
  customTimers: 'customTimer',
}

const statusTexts: Record<string, string> = {
  200: 'OK',
  304: 'Not Modified',
  404: 'Not Found',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  0: 'No Response',
}

/** The engine writes it since 8.2. */
function hasErrorPercentage(engineVersion: string): boolean {
  const [, major = '', minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(engineVersion) ?? []
  return major === '' || Number(major) > 8 || (Number(major) === 8 && Number(minor) >= 2)
}

function eventsElement(outOfStock: Figures['traffic']['outOfStock']): XmlElement {
  return element(
    'events',
    [...outOfStock].map(([testCaseName, count]) =>
      element('event', [
        element('totalCount', count),
        element('droppedCount', 0),
        element('name', 'Out of stock'),
        element('testCaseName', testCaseName),
        element('messages', [
          element('message', [element('count', count), element('info', 'Product 1042 is out of stock')]),
        ]),
      ]),
    ),
  )
}

/** What a suite can measure besides times: here the bytes of the cart's page. */
function customValuesElement(requests: readonly RequestMeasurement[], duration: number): XmlElement {
  const carts = requests.filter(({ name }) => name === 'ViewCart.1').map((request) => request.bytesReceived)
  const sorted = Float64Array.from(carts).sort()
  const { min, max, mean, deviation } = spread(carts)
  return element(
    'customValues',
    carts.length === 0
      ? []
      : [
          element('customValue', [
            element('name', 'CartSize'),
            element('description'),
            element('chartFilename', 'cart-size'),
            element('count', carts.length),
            ...rates(carts.length, duration),
            ...Object.entries({ min, max, mean, standardDeviation: deviation }).map(([name, value]) =>
              element(name, decimal(value)),
            ),
            element(
              'percentiles',
              Object.entries(percentileRanks).map(([name, rank]) =>
                element(name, decimal(quantile(sorted, rank))),
              ),
            ),
          ]),
        ],
  )
}

/** Settings of the tables on the report's pages. */
function reportConfigElement(): XmlElement {
  const interval = (from: number, to: number | undefined) =>
    element('interval', [], { from: String(from), to: to === undefined ? '' : String(to) })
  return element('testReportConfig', [
    element(
      'runtimePercentiles',
      Object.keys(percentileRanks).map((name) => element('string', name.slice(1))),
    ),
    element(
      'runtimeIntervals',
      [0, ...runtimeLimits].map((from, index) => interval(from, runtimeLimits[index])),
    ),
    element('requestTableColorization'),
  ])
}

function webVitalsElement({ vitals }: Figures): XmlElement {
  return element(
    'webVitalsList',
    vitals.map((page) =>
      element('webVitals', [
        element('name', page.name),
        ...Object.entries(page.vitals).map(([name, vital]) =>
          element(name, [
            element('score', name === 'cls' ? decimal(vital.score) : vital.score),
            element('rating', vital.rating),
            element('goodCount', vital.goodCount),
            element('improveCount', vital.improveCount),
            element('poorCount', vital.poorCount),
          ]),
        ),
      ]),
    ),
  )
}

function agentElement(tag: string, agent: AgentFigures): XmlElement {
  const { transactions, transactionErrors, minorCollections } = agent
  return element(tag, [
    spreadElement('totalCpuUsage', agent.totalCpuUsage, false),
    spreadElement('cpuUsage', agent.cpuUsage, false),
    element('fullGcCount', 0),
    element('fullGcCpuUsage', decimal(0)),
    element('fullGcTime', 0),
    element('minorGcCount', minorCollections),
    element('minorGcCpuUsage', decimal(0.1)),
    element('minorGcTime', minorCollections * 7),
    element('name', agent.name),
    element('transactions', transactions),
    element('transactionErrors', transactionErrors),
    element(
      'transactionErrorPercentage',
      decimal(transactions === 0 ? 0 : (transactionErrors * 100) / transactions),
    ),
  ])
}
