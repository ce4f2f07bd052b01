import { fieldsOf, textOf } from '../../text/fields.js'
import { formatDuration } from '../../text/duration.js'
import type { Format } from '../format.js'
import {
  addTimer,
  figureOf,
  figuresOf,
  lengthFrom,
  reportBy,
  severalRuns,
  timerOf,
  unambiguous,
} from './timers.js'
import { jsonOfPart } from './text-rows.js'

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
/** Seconds: hardly a load test takes a week, and runs that were put together do. */
const longest = 7 * 24 * 3600

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
  kin: [[/<title>Apache JMeter Dashboard/, "a page of JMeter's dashboard"]],
  async read([part]) {
    const report = reportBy('JMeter', 1)
    for (const [label, value] of Object.entries(await jsonOfPart(part))) {
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
    const { duration = 0 } = report.general
    if (duration > longest) throw severalRuns(`it covers ${formatDuration(duration * 1000)}`)
    return { report: unambiguous(report) }
  },
}
