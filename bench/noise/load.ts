import { normalDensity, normalQuantile } from '../../src/noise/distributions.js'
import type { Report, Timer } from '../../src/report/report.js'
import type { Random } from './random.js'

/** What simulated runs look like. */
export interface Shape {
  timers: number
  /** Samples of a timer, from and to. */
  samples: [number, number]
  /** Standard deviation of a run's effect on the logarithm, and the share of its variance that all timers share. */
  runNoise: number
  shared: number
  /** Share of the runs that are slower as a whole, by a factor from and to. */
  outliers: number
  outlierFactor: [number, number]
  /** Of the timers' own effects; Infinity is normal. */
  freedom: number
  /** The noise of single timers differs by this factor, up or down. */
  uneven: number
  /** Mean number of errors of a timer. 0: none. */
  errors: number
  /** Share of the runs with a burst of errors on one timer, ten times as many. */
  bursts: number
  /** Times are written in steps of this many milliseconds; 0 = exact. */
  step: number
  /** Times of requests that wait for each other: samples that tell as much as one. */
  resembling: number
  /** Times with a Pareto tail of this index; 0: log-normal times. */
  tail: number
  /** Half of the runs are slower as a whole, by this factor. */
  slowDays: number
  /** Each run is slower than the one before, by this factor. */
  drift: number
  /** How many timers have two kinds of answers, fast and twice as slow, with p95 between them. */
  edges: number
  /** Reports have the row of all requests, and that of all transactions, of which this many fail on average. */
  failures?: number
}

export const studied: Shape = {
  timers: 20,
  samples: [300, 4000],
  runNoise: 0.05,
  shared: 0.5,
  outliers: 0,
  outlierFactor: [1.2, 1.8],
  freedom: Infinity,
  uneven: 1,
  errors: 0,
  bursts: 0,
  step: 0,
  resembling: 1,
  tail: 0,
  slowDays: 1,
  drift: 1,
  edges: 0,
}

/** A timer of the system under test, the same in all runs. */
interface Part {
  name: string
  samples: number
  /** Logarithm of the median, in milliseconds, and standard deviation of the logarithm of its times. */
  level: number
  spread: number
  own: number
  hasEdge: boolean
}

export interface System {
  shape: Shape
  parts: Part[]
}

export function makeSystem(shape: Shape, random: Random): System {
  const [fewest, most] = shape.samples
  const own = shape.runNoise * Math.sqrt(1 - shape.shared)
  const parts = Array.from({ length: shape.timers }, (_, index): Part => ({
    name: `Request ${index + 1}`,
    samples: Math.round(random.between(fewest, most)),
    level: Math.log(40) + random.uniform() * Math.log(900 / 40),
    spread: random.between(0.35, 0.65),
    own: own * Math.pow(shape.uneven, random.between(-1, 1)),
    hasEdge: index >= shape.timers - shape.edges,
  }))
  return { shape, parts }
}

/** How a run differs from others of its system. */
export interface Difference {
  /** The factor for a timer's times, 1 by default. */
  slower?: (index: number) => number
  /** How many runs of the system came before it. */
  at?: number
}

export function simulateRun(
  { shape, parts }: System,
  random: Random,
  { slower = () => 1, at = 0 }: Difference = {},
): Report {
  const isOdd = random.uniform() < shape.outliers
  const factor = random.between(...shape.outlierFactor)
  const isSlowDay = random.uniform() < 0.5
  const run =
    random.normal() * shape.runNoise * Math.sqrt(shape.shared) +
    (isOdd ? Math.log(factor) : 0) +
    (isSlowDay ? Math.log(shape.slowDays) : 0) +
    at * Math.log(shape.drift)
  const burst = random.uniform() < shape.bursts ? Math.floor(random.uniform() * parts.length) : -1
  const levels: number[] = []
  const timers = parts.map((part, index): Timer => {
    const effect = shape.freedom === Infinity ? random.normal() : random.student(shape.freedom)
    const level = part.level + run + effect * part.own + Math.log(slower(index))
    levels.push(level)
    const errors = random.poisson(shape.errors * (index === burst ? 10 : 1))
    return timerOf(part, level, errors, shape, random)
  })
  const report = emptyReport(600)
  report.timers.requests.timers = timers
  if (shape.failures === undefined) return report
  const whole = parts.map((part, index) => ({ ...part, level: levels[index] ?? part.level }))
  report.timers.requests.summary = allOf(timers, whole, shape, random)
  report.timers.transactions.summary = transactionsOf(timers, random.poisson(shape.failures))
  return report
}

const quantiles = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

/** The figures of this many times: order statistics, drawn in ascending order. */
function timerOf(part: Part, level: number, errors: number, shape: Shape, random: Random): Timer {
  const { samples, spread } = part
  const { step, resembling } = shape
  const independent = Math.max(1, samples / resembling)
  const misses = part.hasEdge ? random.between(0.04, 0.06) : 0
  const percentiles: Record<string, number> = {}
  for (const [name, share] of ranked(independent, random)) {
    const time = Math.exp(
      level + (misses > 0 ? twoKinds(share, misses, spread) : timeAt(share, spread, shape)),
    )
    percentiles[name] = step > 0 ? Math.floor(time / step) * step : time
  }
  const variance = Math.expm1(spread * spread)
  const mean =
    Math.exp(level + (spread * spread) / 2) * (1 + random.normal() * Math.sqrt(variance / independent))
  return {
    name: part.name,
    count: samples,
    errors,
    countPerSecond: samples / 600,
    mean,
    deviation: mean * Math.sqrt(variance),
    median: percentiles['p50'] ?? mean,
    percentiles,
  }
}

/** The share of all times below each percentile of this many independent ones. */
function ranked(independent: number, random: Random): [string, number][] {
  let below = 0
  let share = 0
  return quantiles.map(([name, q]) => {
    const rank = Math.min(independent, Math.ceil(q * independent))
    // The rank-th of n uniform numbers, given the one before: a beta distribution of the rest.
    if (rank > below) {
      const up = random.gamma(rank - below)
      const down = random.gamma(independent - rank + 1)
      share += (1 - share) * (up / (up + down))
      below = rank
    }
    return [name, share]
  })
}

/** The logarithm of the time below which this share of the answers lies, above that of the median. */
function timeAt(share: number, spread: number, { tail }: Shape): number {
  return tail > 0 ? (-Math.log(1 - share) - Math.LN2) / tail : spread * normalQuantile(share)
}

/** Of answers of which a few miss a cache and take twice as long. */
function twoKinds(share: number, misses: number, spread: number): number {
  const hits = 1 - misses
  const within = (part: number) => normalQuantile(Math.min(1 - 1e-9, Math.max(1e-9, part)))
  return share < hits
    ? (spread / 2) * within(share / hits)
    : Math.LN2 + (spread / 2) * within((share - hits) / misses)
}

/** @param duration in seconds, and when it began, in milliseconds */
export function emptyReport(duration: number, startTime?: number): Report {
  const none = () => ({ timers: [] })
  return {
    comments: [],
    timeStep: 10,
    general: { duration, ...(startTime === undefined ? {} : { startTime }) },
    timers: {
      transactions: none(),
      actions: none(),
      requests: none(),
      pageLoads: none(),
      customTimers: none(),
    },
    webVitals: [],
    agents: [],
    errors: [],
    responseCodes: [],
    loadProfile: [],
  }
}

/** The row over all requests of a run, whose times are log-normal. */
function allOf(timers: readonly Timer[], parts: readonly Part[], shape: Shape, random: Random): Timer {
  const count = timers.reduce((sum, timer) => sum + (timer.count ?? 0), 0)
  const average = (figure: (timer: Timer) => number) =>
    timers.reduce((sum, timer) => sum + figure(timer) * (timer.count ?? 0), 0) / count
  const mean = average((timer) => timer.mean ?? 0)
  const square = average((timer) => (timer.mean ?? 0) ** 2 + (timer.deviation ?? 0) ** 2)
  const shares = ranked(Math.max(1, count / shape.resembling), random)
  const percentiles = Object.fromEntries(shares.map(([name, share]) => [name, timeOfAll(share, parts)]))
  return {
    ...{ name: 'All Requests', count, errors: 0, countPerSecond: count / 600, mean },
    ...{ median: percentiles['p50'] ?? mean, percentiles, deviation: Math.sqrt(square - mean * mean) },
  }
}

/** Five requests to a transaction. */
function transactionsOf(timers: readonly Timer[], errors: number): Timer {
  const count = Math.round(timers.reduce((sum, timer) => sum + (timer.count ?? 0), 0) / 5)
  return { name: 'All Transactions', count, errors, percentiles: {} }
}

/** The time below which this share of all answers lies. */
function timeOfAll(share: number, parts: readonly Part[]): number {
  const count = parts.reduce((sum, { samples }) => sum + samples, 0)
  let low = -5
  let high = 25
  while (high - low > 1e-6) {
    const middle = (low + high) / 2
    const below = parts.reduce(
      (sum, { samples, level, spread }) => sum + samples * normalShare((middle - level) / spread),
      0,
    )
    if (below < share * count) low = middle
    else high = middle
  }
  return Math.exp(high)
}

/** The standard normal distribution, after Abramowitz and Stegun 26.2.17: right to seven digits. */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const series = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce(
    (sum, factor) => (sum + factor) * t,
    0,
  )
  const above = normalDensity(z) * series
  return z > 0 ? 1 - above : above
}
