import { ReportError } from '../../errors.js'
import { defined, fieldsOf, textOf } from '../../text/fields.js'
import { formatDuration } from '../../text/duration.js'
import type { Format } from '../format.js'
import {
  addRow,
  figureOf,
  figuresOf,
  numberedPercentiles,
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
  kin: [[/<title>Apache JMeter Dashboard/, "a page of JMeter's dashboard"]],
  async read([part], [script]) {
    const report = reportBy('JMeter', 1)
    const names = script ? percentilesIn(await textOfPart(script)) : []
    for (const [label, value] of Object.entries(await jsonOfPart(part))) {
      const row = fieldsOf(value)
      const figure = (name: string) => figureOf(row[name])
      const isWhole = (figure('sampleCount') ?? 0) <= mostSamples
      const others = {
        ...defined({ median: isWhole ? figure('medianResTime') : undefined }),
        percentiles: numberedPercentiles(isWhole ? names : [], (number) => figure(`pct${number}ResTime`)),
      }
      const isAll = label === 'Total'
      const name = isAll ? '' : (textOf(row['transaction']) ?? label)
      const timer = timerOf(name, { ...figuresOf(figureNames, figure), ...others })
      addRow(report, 'requests', isAll, timer)
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
