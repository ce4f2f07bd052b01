import Big from 'big.js'
import { isPercentile, webVitalNames } from '../report/report.js'
import type { Percentile, Report, Timer, TimerKind, WebVitalName } from '../report/report.js'

/** What a metric's figures are measured in. `rate` becomes `/s`, `/min` or `/h` by the gate's limit. */
export type Measure = 'ms' | '%' | 'rate' | 'number'

export type RateUnit = '/s' | '/min' | '/h'

/** A row of the table of metrics: all that differs from one metric to the next. */
interface MetricRule {
  measure: Measure
  /** The subjects that have it; `actions` are the only timers with an apdex. */
  owner: 'timers' | 'actions' | 'web-vitals' | 'agents'
  /** What it is about: a busy load generator distorts neither errors nor the figures of machines. */
  about: 'speed' | 'load' | 'errors' | 'machines'
  higherIsBetter: boolean
  /** As readers know it, where that is not its word in the gate language. */
  title?: string
  /** It is written in steps of this many milliseconds, or in those that the report says; 0 = exactly. */
  step: number | 'report'
  /** The share of the samples below the figure, where it is a quantile. */
  quantile?: number
  /** With fewer samples it cannot be compared. */
  samplesNeeded: number
  /**
   * How it varies with few samples where it is not a quantile: as a mean of times, as a number of events, or as a share
   * of the samples. Absent = unknown.
   */
  sampling?: 'mean' | 'events' | 'share'
  /**
   * What is assumed about its noise before runs have shown it: the standard deviations of the logarithm from run to run,
   * that of a whole run and that of a timer alone.
   */
  usualNoise: { run: number; own: number }
  /** A single answer makes it, so noise moves it further: as by Student's t with at most this freedom. */
  freedom?: number
  /** Its figure grows with the length of the run, and that of this metric does not. */
  rate?: 'throughput' | 'error-rate'
  /** Its figure of a timer; web vitals and load generators are no timers. */
  figure?(timer: Timer, rate: RateUnit): number | undefined
}

/** What most metrics have in common: times in milliseconds, of any timer. */
const time: MetricRule = {
  measure: 'ms',
  owner: 'timers',
  about: 'speed',
  higherIsBetter: false,
  step: 0,
  samplesNeeded: 5,
  // At the upper end of what load tests usually show. That of other metrics is large, since their spread is not known.
  usualNoise: { run: 0.05, own: 0.05 },
}

const amount = {
  ...time,
  measure: 'number',
  higherIsBetter: true,
  usualNoise: { run: 0.02, own: 0.03 },
} as const

const throughputNames = { '/s': 'countPerSecond', '/min': 'countPerMinute', '/h': 'countPerHour' } as const

const rows = {
  count: { ...amount, about: 'load', sampling: 'events', rate: 'throughput', figure: (timer) => timer.count },
  errors: {
    ...time,
    measure: 'number',
    about: 'errors',
    rate: 'error-rate',
    figure: (timer) => timer.errors,
  },
  'error-rate': {
    ...time,
    measure: '%',
    about: 'errors',
    title: 'error rate',
    figure(timer) {
      const fraction = fractionOf(timer)
      const { errorPercentage } = timer
      return fraction && !(Number(errorPercentage) < 0)
        ? (fraction.errors * 100) / fraction.count
        : errorPercentage
    },
  },
  throughput: {
    ...amount,
    measure: 'rate',
    about: 'load',
    sampling: 'events',
    figure: (timer, rate) => timer[throughputNames[rate]],
  },
  min: { ...time, step: 1, freedom: 5, usualNoise: { run: 0.05, own: 0.12 }, figure: (timer) => timer.min },
  max: { ...time, step: 1, freedom: 5, usualNoise: { run: 0.05, own: 0.3 }, figure: (timer) => timer.max },
  mean: { ...time, sampling: 'mean', figure: (timer) => timer.mean },
  median: { ...time, ...quantile(0.5), figure: (timer) => timer.median },
  deviation: { ...time, usualNoise: { run: 0.05, own: 0.15 }, figure: (timer) => timer.deviation },
  apdex: { ...amount, owner: 'actions', title: 'Apdex', sampling: 'share', figure: (timer) => timer.apdex },
  cpu: {
    ...time,
    measure: '%',
    owner: 'agents',
    about: 'machines',
    title: 'CPU',
    usualNoise: { run: 0.05, own: 0.08 },
  },
} as const satisfies Record<string, MetricRule>

/** At least one sample has to be beyond it. */
function quantile(share: number): Pick<MetricRule, 'step' | 'quantile' | 'samplesNeeded'> {
  const samplesNeeded = Math.ceil(1 / Math.min(share, 1 - share) - 1e-6)
  return { step: 'report', quantile: share, samplesNeeded }
}

function webVital(name: WebVitalName): MetricRule {
  const shown = { ...time, owner: 'web-vitals', title: name.toUpperCase(), quantile: 0.75 } as const
  return name === 'cls' ? { ...shown, measure: 'number', usualNoise: { run: 0.05, own: 0.15 } } : shown
}

/** A metric word of the gate language. */
export type Metric = keyof typeof rows | WebVitalName | Percentile

/** Those that are no percentiles. */
const rules: ReadonlyMap<string, MetricRule> = new Map<string, MetricRule>([
  ...Object.entries(rows),
  ...webVitalNames.map((name) => [name, webVital(name)] as const),
])

/** Of percentiles that were asked for: pages ask for the rule of each figure, of many thousand timers. */
const made = new Map<string, MetricRule>()
/** No engine writes nearly as many; a hostile report could fill the memory with them. */
const mostMade = 1000

/** The rule of a metric word in lower case; undefined if there is no such metric. */
export function metricRule(word: string): MetricRule | undefined {
  const known = rules.get(word) ?? made.get(word)
  if (known || !isPercentile(word)) return known
  const rule: MetricRule = {
    ...time,
    ...quantile(Number(word.slice(1)) / 100),
    figure: ({ percentiles }) => percentiles[word],
  }
  if (made.size < mostMade) made.set(word, rule)
  return rule
}

export function ruleOf(metric: Metric): MetricRule {
  return metricRule(metric) ?? time
}

export function isMetric(word: string): word is Metric {
  return metricRule(word) !== undefined
}

/** The metrics of a subject, without percentiles. */
function metricsOfOwner(owner: MetricRule['owner']): readonly Metric[] {
  return [...rules.keys()].filter(isMetric).filter((metric) => ruleOf(metric).owner === owner)
}

/** The metrics that every timer has, beside its percentiles. */
export const timerMetrics = metricsOfOwner('timers')

export const actionMetrics = metricsOfOwner('actions')

/** The metrics that timers of a kind may have. @param names those of their percentiles, among others */
export function metricsOf(kind: TimerKind, names: Iterable<string>): Metric[] {
  const sorted = [...names].filter(isPercentile).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  return [...timerMetrics, ...sorted, ...(kind === 'actions' ? actionMetrics : [])]
}

/** The metric words of the gate language; percentiles are shown by three examples. */
export const metricWords: readonly Metric[] = [...[...rules.keys()].filter(isMetric), 'p50', 'p95', 'p99']

/** In milliseconds, what is no difference between the medians or percentiles of runs; 0 for other metrics. */
export function resolutionOf(metric: Metric, runs: readonly { report: Pick<Report, 'timeStep'> }[]): number {
  if (ruleOf(metric).step !== 'report') return 0
  return runs.reduce((coarsest, { report: { timeStep = 0 } }) => Math.max(coarsest, timeStep), 0)
}

/** The metric that represents a timer: p95, else the nearest percentile, else the mean. */
export function standingMetric(has: (metric: Metric) => boolean): Metric {
  return (['p95', 'p90', 'p99', 'p97', 'p98'] as const).find(has) ?? 'mean'
}

/** `P099.90` is the percentile that reports call `p99.9`. */
export function metricName(word: string): string {
  const lower = word.toLowerCase()
  return isPercentile(lower) ? `p${new Big(lower.slice(1)).toFixed()}` : lower
}

/** The unit that a metric's figures are shown in; another word has none. */
export function unitOf(metric: string, rate: RateUnit = '/s'): Unit {
  const measure = metricRule(metric)?.measure ?? 'number'
  return measure === 'rate' ? rate : measure
}

/** What an error rate is, exactly. */
export function fractionOf({ errors, count }: Timer) {
  return errors === undefined || count === undefined || count === 0 ? undefined : { errors, count }
}

/** How a figure is to be shown. `number` is a bare count, score or ratio; `s` is of times too long for ms. */
export type Unit = 'ms' | 's' | '%' | '/s' | '/min' | '/h' | 'number'

/** Above this mean CPU use in percent, a load generator's own delays distort its figures. */
export const maxCpu = 80
