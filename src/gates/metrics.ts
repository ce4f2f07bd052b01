import Big from 'big.js'
import { webVitalNames } from '../report/report.js'

/** What a metric's figures are measured in. `rate` becomes `/s`, `/min` or `/h` by the gate's limit. */
export type Measure = 'ms' | '%' | 'rate' | 'number'

export type MetricOwner = 'timers' | 'actions' | 'web-vitals' | 'agents'

export interface MetricRule {
  measure: Measure
  /** The subjects that have it; `actions` are the only timers with an apdex. */
  owner: MetricOwner
  /** True for count, throughput and apdex; every other figure is better when it is lower. */
  higherIsBetter: boolean
}

const rule = (measure: Measure, owner: MetricOwner, higherIsBetter = false): MetricRule => ({
  measure,
  owner,
  higherIsBetter,
})

const rules = new Map<string, MetricRule>([
  ['count', rule('number', 'timers', true)],
  ['errors', rule('number', 'timers')],
  ['error-rate', rule('%', 'timers')],
  ['throughput', rule('rate', 'timers', true)],
  ['min', rule('ms', 'timers')],
  ['max', rule('ms', 'timers')],
  ['mean', rule('ms', 'timers')],
  ['median', rule('ms', 'timers')],
  ['deviation', rule('ms', 'timers')],
  ['apdex', rule('number', 'actions', true)],
  ['cpu', rule('%', 'agents')],
  ...webVitalNames.map((name): [string, MetricRule] => [
    name,
    rule(name === 'cls' ? 'number' : 'ms', 'web-vitals'),
  ]),
])

const percentile = rule('ms', 'timers')

/** The metrics that every timer has, beside its percentiles. */
export const timerMetrics: readonly string[] = [...rules]
  .filter(([, { owner }]) => owner === 'timers')
  .map(([word]) => word)

/** The metric words of the gate language; percentiles are shown by three examples. */
export const metricWords: readonly string[] = [...rules.keys(), 'p50', 'p95', 'p99']

/** The rule of a metric word in lower case; undefined if there is no such metric. */
export function metricRule(word: string): MetricRule | undefined {
  return rules.get(word) ?? (isPercentile(word) ? percentile : undefined)
}

/** `p95` and `p99.9` are percentiles, `p0` and `p101` are not. */
export function isPercentile(word: string): boolean {
  return percentOf(word) !== undefined
}

/** 95 for `p95`. */
export function percentOf(word: string): number | undefined {
  if (percents.has(word)) return percents.get(word)
  const percent = Number(/^p(\d{1,3}(?:\.\d{1,10})?)$/.exec(word)?.[1])
  const known = percent > 0 && percent <= 100 ? percent : undefined
  percents.set(word, known)
  return known
}

/** A report has few percentiles, each of many timers. */
const percents = new Map<string, number | undefined>()

/** A figure that the engine writes in steps of its resolution: the median or a percentile of a timer. */
export function isStepped(metric: string): boolean {
  return metric === 'median' || isPercentile(metric)
}

/** The metric that represents a timer: p95, else the nearest percentile, else the mean. */
export function standingMetric(has: (metric: string) => boolean): string {
  return ['p95', 'p90', 'p99', 'p97', 'p98'].find(has) ?? 'mean'
}

/** `P099.90` is the percentile that reports call `p99.9`. */
export function metricName(word: string): string {
  const lower = word.toLowerCase()
  return isPercentile(lower) ? `p${new Big(lower.slice(1)).toFixed()}` : lower
}
