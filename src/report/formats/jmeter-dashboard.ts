import { fieldsOf, textOf } from '../../text/fields.js'
import { formatDuration } from '../../text/duration.js'
import type { Format } from '../format.js'
import {
  addTimer,
  figureOf,
  figuresOf,
  lengthFrom,
  percentilesOf,
  reportBy,
  severalRuns,
  timerOf,
  unambiguous,
} from './timers.js'
import { jsonOfPart, textOfPart } from './text-rows.js'

const figureNames = {
  count: 'sampleCount',
  errors: 'errorCount',
  mean: 'meanResTime',
  median: 'medianResTime',
  min: 'minResTime',
  max: 'maxResTime',
  countPerSecond: 'throughput',
}
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
    [
      /^requests p/,
      'aggregate_rpt_pct1 to 3 have it, and content/js/dashboard.js, which says so, is in the folder',
    ],
  ],
  recognises: ({ text }) =>
    /^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{[^{}]*"(?:sampleCount|meanResTime|pct1ResTime)"\s*:/.test(text),
  kin: [[/<title>Apache JMeter Dashboard/, "a page of JMeter's dashboard"]],
  async read([part], [script]) {
    const report = reportBy('JMeter', 1)
    const names = script ? percentilesIn(await textOfPart(script)) : []
    for (const [label, value] of Object.entries(await jsonOfPart(part))) {
      const row = fieldsOf(value)
      const figure = (name: string) => figureOf(row[name])
      const percentiles = percentilesOf(names, (number) => figure(`pct${number}ResTime`))
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

/** By the titles of its table, in any language: `90th pct`, `90% centile`. */
function percentilesIn(script: string): string[] {
  const [, titles = ''] = /"#statisticsTable"\), \{[^\n]*?"titles": \[([^\n\]]*)\]/.exec(script) ?? []
  const numbers = [...titles.matchAll(/"(\d{1,3}(?:\.\d{1,10})?)\D/g)].map(([, number]) => Number(number))
  return numbers.length === 3 ? numbers.map((number) => `p${number}`) : []
}
