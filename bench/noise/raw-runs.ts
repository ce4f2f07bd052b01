import { normalQuantile } from '../../src/noise/distributions.js'
import type { Report, Timer } from '../../src/report/report.js'
import { emptyReport } from './load.js'
import { Random } from './random.js'

/** What runs simulated answer by answer look like; effects are standard deviations of logarithms. */
export interface RawShape {
  timers: number
  /** Answers of a timer, from and to. */
  samples: [number, number]
  /** Of a run's effect, half of whose variance all timers share. */
  noise: number
  /** How much of the shared effect stays until the next run, from 0 to 1. */
  alike: number
  /** Share of the runs that are slower as a whole, and by which factor. */
  slowDays: [number, number]
  /** Of all timers within a run, for 30 s each. */
  waves: number
  /** Share of the answers with a Pareto tail of index 1.2, up to 30 s. */
  stalls: number
  /** How many timers have a p95 at the edge of a cache. */
  edges: number
  /** Each run is slower than the one before, by this factor. */
  drift: number
  /** Of the runs' effects; Infinity is normal. */
  freedom: number
}

export const reference: RawShape = {
  timers: 20,
  samples: [300, 4000],
  noise: 0.05,
  alike: 0,
  slowDays: [0, 1],
  waves: 0,
  stalls: 0,
  edges: 0,
  drift: 1,
  freedom: Infinity,
}

/** Standard normal figures, as quantiles: drawing from them is far cheaper than computing one. */
const normals = Float64Array.from({ length: 1 << 14 }, (_, at) => normalQuantile((at + 0.5) / (1 << 14)))
/** Milliseconds: the step in which the engine writes percentiles. */
const step = 10
const seconds = 600
const wavesOfRun = seconds / 30
const longest = 30_000

/** A system under test, run again and again. */
export class RawSystem {
  private readonly parts: { name: string; samples: number; level: number; spread: number; edge: boolean }[]
  private day = 0
  private at = 0

  constructor(
    private readonly shape: RawShape,
    private readonly random: Random,
  ) {
    this.day = random.normal()
    this.parts = Array.from({ length: shape.timers }, (_, index) => ({
      name: `Request ${index + 1}`,
      samples: Math.round(random.between(...shape.samples)),
      level: Math.log(40) + random.uniform() * Math.log(900 / 40),
      spread: random.between(0.35, 0.65),
      edge: index >= shape.timers - shape.edges,
    }))
  }

  /** The next run. @param slower the factor for a timer's times */
  run(slower: (index: number) => number = () => 1): Report {
    const { shape, random } = this
    this.day = shape.alike * this.day + Math.sqrt(1 - shape.alike ** 2) * this.effect()
    const half = shape.noise * Math.SQRT1_2
    const isSlow = random.uniform() < shape.slowDays[0]
    const run = half * this.day + (isSlow ? Math.log(shape.slowDays[1]) : 0) + this.at * Math.log(shape.drift)
    this.at++
    const waves = Array.from({ length: wavesOfRun }, () => run + shape.waves * random.normal())
    const timers = this.parts.map((part, index) =>
      this.timer(part, waves, half * this.effect() + Math.log(slower(index))),
    )
    const report = emptyReport(seconds, this.at * 3_600_000)
    report.timers.requests.timers = timers
    return report
  }

  private effect(): number {
    const { freedom } = this.shape
    return freedom === Infinity ? this.random.normal() : this.random.student(freedom)
  }

  private timer(part: RawSystem['parts'][number], waves: readonly number[], own: number): Timer {
    const { random, shape } = this
    const { name, samples, level, spread, edge } = part
    const bins = new Uint32Array(longest / step + 1)
    const misses = edge ? random.between(0.04, 0.06) : 0
    const factors = waves.map((wave) => Math.exp(level + own + wave))
    let [sum, squares] = [0, 0]
    for (let sample = 0; sample < samples; sample++) {
      const uniform = random.uniform() * normals.length
      const factor = factors[Math.floor((sample * factors.length) / samples)] ?? 1
      let time = factor * Math.exp((edge ? spread / 2 : spread) * (normals[Math.floor(uniform)] ?? 0))
      if (misses > 0 && random.uniform() < misses) time *= 2
      if (shape.stalls > 0 && random.uniform() < shape.stalls) time *= Math.pow(random.uniform(), -1 / 1.2)
      time = Math.min(longest, time)
      sum += time
      squares += time * time
      const bin = Math.floor(time / step)
      bins[bin] = (bins[bin] ?? 0) + 1
    }
    const mean = sum / samples
    const percentiles = percentilesOf(bins, samples)
    return {
      ...{ name, count: samples, errors: 0, countPerSecond: samples / seconds },
      ...{ mean: Math.round(mean), deviation: Math.sqrt(Math.max(0, squares / samples - mean * mean)) },
      ...{ median: percentiles['p50'] ?? mean, percentiles },
    }
  }
}

function percentilesOf(bins: Uint32Array, samples: number): Record<string, number> {
  const found: Record<string, number> = {}
  let [below, bin] = [0, -1]
  for (const [name, q] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
    ['p99.9', 0.999],
  ] as const) {
    while (below < Math.ceil(q * samples)) below += bins[++bin] ?? 0
    found[name] = bin * step
  }
  return found
}
