import { normalQuantile } from '../../src/gates/distributions.js'
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
}

export const studied: Shape = {
  timers: 20,
  samples: [300, 3400],
  runNoise: 0.05,
  shared: 0.5,
  outliers: 0,
  outlierFactor: [1.2, 1.8],
  freedom: Infinity,
  uneven: 1,
  errors: 0,
  bursts: 0,
  step: 0,
}

/** A timer of the system under test, the same in all runs. */
interface Part {
  name: string
  samples: number
  /** Logarithm of the median, in milliseconds, and standard deviation of the logarithm of its times. */
  level: number
  spread: number
  own: number
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
  }))
  return { shape, parts }
}

/**
 * One run of a system.
 *
 * @param slower the factor for a timer's times, 1 by default
 * @param mayBeOdd whether the run can be an outlier
 */
export function simulateRun(
  { shape, parts }: System,
  random: Random,
  slower: (index: number) => number = () => 1,
  mayBeOdd = true,
): Report {
  const isOdd = random.uniform() < shape.outliers && mayBeOdd
  const factor = random.between(...shape.outlierFactor)
  const run = random.normal() * shape.runNoise * Math.sqrt(shape.shared) + (isOdd ? Math.log(factor) : 0)
  const burst = random.uniform() < shape.bursts ? Math.floor(random.uniform() * parts.length) : -1
  const timers = parts.map((part, index): Timer => {
    const effect = shape.freedom === Infinity ? random.normal() : random.student(shape.freedom)
    const level = part.level + run + effect * part.own + Math.log(slower(index))
    const errors = random.poisson(shape.errors * (index === burst ? 10 : 1))
    return timerOf(part, level, errors, shape.step, random)
  })
  return reportOf(timers)
}

const quantiles = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

/** The figures of this many log-normal times: order statistics, drawn in ascending order. */
function timerOf(part: Part, level: number, errors: number, step: number, random: Random): Timer {
  const { samples, spread } = part
  const percentiles: Record<string, number> = {}
  let below = 0
  let share = 0
  for (const [name, q] of quantiles) {
    const rank = Math.min(samples, Math.ceil(q * samples))
    // The rank-th of n uniform numbers, given the one before: a beta distribution of the rest.
    if (rank > below) {
      const up = random.gamma(rank - below)
      const down = random.gamma(samples - rank + 1)
      share += (1 - share) * (up / (up + down))
      below = rank
    }
    const time = Math.exp(level + spread * normalQuantile(share))
    percentiles[name] = step > 0 ? Math.floor(time / step) * step : time
  }
  const variance = Math.expm1(spread * spread)
  const mean = Math.exp(level + (spread * spread) / 2) * (1 + random.normal() * Math.sqrt(variance / samples))
  return {
    name: part.name,
    labels: [],
    count: samples,
    errors,
    countPerSecond: samples / 600,
    mean,
    deviation: mean * Math.sqrt(variance),
    median: percentiles['p50'] ?? mean,
    percentiles,
  }
}

function reportOf(timers: Timer[]): Report {
  const none = () => ({ timers: [] })
  return {
    comments: [],
    general: { duration: 600 },
    timers: {
      transactions: none(),
      actions: none(),
      requests: { timers },
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
