import { heldIn } from '../text/fields.js'
import { type Timeline, type TimelineFigure, timelineFigures } from './report.js'

const mostSteps = 120
/** Milliseconds. */
const shortestStep = 1000
/** Milliseconds: hardly a load test rests for so long. */
const longestPause = 60 * 60_000
/** Fewer samples have no 95th percentile of their own; a step of so few has no times, unless others have few as well. */
const mostFewest = 20
/** A time is known as one of these, each 2% longer than the one before: so many double it, from 1/32 ms on. */
const [perDouble, least, bins] = [32, -5, 32 * 29]

interface Step {
  times: Uint32Array
  count: number
  judged: number
  errors: number
  /** Of what is measured now and then, such as users: sum and number of the figures. */
  others: Map<TimelineFigure, { sum: number; count: number }>
}

/**
 * How a run goes, as its samples stream by in any order. Steps become twice as long whenever there are more than 120,
 * so that 4 KB each is all that is kept.
 */
export class TimelineSteps {
  #steps: (Step | undefined)[] = []
  /** Milliseconds. */
  #length = shortestStep
  #origin = Number.NaN
  /** The number of the first step, from the one that begins at the origin on. */
  #first = 0
  #start = Infinity
  #end = -Infinity
  /** Milliseconds that a request took at most. */
  #longest = 0

  /**
   * A request that ended at this time.
   *
   * @param end milliseconds; NaN if it is not known
   * @param time how long it took
   */
  sample(end: number, time: number | undefined, isError: boolean | undefined): void {
    const step = this.#stepAt(end, time)
    if (!step) return
    step.count++
    if (time !== undefined) {
      if (time > this.#longest) this.#longest = time
      const bin = time > 0 ? Math.floor((Math.log2(time) - least) * perDouble) : 0
      const at = Math.min(Math.max(bin, 0), bins - 1)
      step.times[at] = (step.times[at] ?? 0) + 1
    }
    if (isError !== undefined) step.judged++
    if (isError) step.errors++
  }

  /** A figure that a tool measures now and then: a step has its mean. */
  other(time: number, name: TimelineFigure, value: number | undefined): void {
    const step = value === undefined ? undefined : this.#stepAt(time)
    if (!step || value === undefined) return
    addOther(step, name, { sum: value, count: 1 })
  }

  /** Milliseconds in which no request ended, where the others are too crowded to be of one run; else 0. */
  between(): number {
    const counts = this.#steps.flatMap((step) => step?.count || [])
    const idle = (this.#steps.length - counts.length) * this.#length
    let [pause, longest] = [0, 0]
    for (const step of this.#steps) {
      pause = step?.count ? 0 : pause + this.#length
      longest = Math.max(longest, pause)
    }
    const total = counts.reduce((sum, count) => sum + count, 0)
    const isCrowded = counts.length * 2 < Math.min(this.#steps.length, total / 2)
    // One that hangs for so long is waited for.
    return isCrowded && longest >= longestPause && this.#longest < longestPause ? idle : 0
  }

  /** Undefined for a run that is too short to show anything. */
  timeline(): Timeline | undefined {
    if (this.#steps.length < 3) return undefined
    const counts = this.#steps.flatMap((step) => step?.count || []).sort((a, b) => a - b)
    const fewest = Math.min(mostFewest, (counts[counts.length >> 1] ?? 0) / 4)
    const figures: Timeline['figures'] = {}
    for (const name of timelineFigures) {
      const values = Array.from(this.#steps, (step, at) => {
        const other = step?.others.get(name)
        if (other) return rounded(other.sum / other.count)
        return counts.length > 0 ? rounded(ofSamples(name, step, this.#covered(at), fewest)) : null
      })
      if (values.some((value) => value !== null)) figures[name] = values
    }
    return { step: this.#length / 1000, figures }
  }

  /**
   * The seconds of a step in which the run was under way; NaN if part of it is missing, which would look like another
   * rate, and has the slowest requests alone where a run ends.
   */
  #covered(at: number): number {
    const from = this.#origin + (this.#first + at) * this.#length
    const covered = Math.min(from + this.#length, this.#end) - Math.max(from, this.#start)
    return covered * 10 < this.#length * 9 ? Number.NaN : covered / 1000
  }

  #stepAt(end: number, time = 0): Step | undefined {
    if (!Number.isFinite(end)) return undefined
    if (end - time < this.#start) this.#start = end - time
    if (end > this.#end) this.#end = end
    if (Number.isNaN(this.#origin)) this.#origin = this.#start
    let at = this.#place(end)
    while (at >= mostSteps || this.#steps.length - Math.min(at, 0) > mostSteps) {
      this.#double()
      at = this.#place(end)
    }
    for (; at < 0; at++, this.#first--) this.#steps.unshift(undefined)
    return (this.#steps[at] ??= {
      ...{ times: new Uint32Array(bins), count: 0, judged: 0, errors: 0 },
      others: new Map(),
    })
  }

  #place(time: number): number {
    return Math.floor((time - this.#origin) / this.#length) - this.#first
  }

  #double(): void {
    const old = this.#steps
    const first = Math.floor(this.#first / 2)
    this.#steps = []
    old.forEach((step, index) => {
      const at = Math.floor((this.#first + index) / 2) - first
      const known = this.#steps[at]
      if (known && step) join(known, step)
      else this.#steps[at] = known ?? step
    })
    this.#first = first
    this.#length *= 2
  }
}

function join(step: Step, other: Step): void {
  other.times.forEach((count, bin) => (step.times[bin] = (step.times[bin] ?? 0) + count))
  step.count += other.count
  step.judged += other.judged
  step.errors += other.errors
  for (const [name, more] of other.others) addOther(step, name, more)
}

function addOther({ others }: Step, name: TimelineFigure, more: { sum: number; count: number }): void {
  const known = heldIn(others, name, () => ({ sum: 0, count: 0 }))
  known.sum += more.sum
  known.count += more.count
}

function ofSamples(name: TimelineFigure, step: Step | undefined, seconds: number, fewest: number) {
  if (name === 'throughput') return (step?.count ?? 0) / seconds
  if (!step || step.count < fewest || Number.isNaN(seconds) || name === 'users') return undefined
  if (name === 'error-rate') return step.judged > 0 ? (step.errors * 100) / step.judged : undefined
  return percentile(step.times, name === 'p50' ? 0.5 : 0.95)
}

/** By nearest rank, in the middle of its bin; undefined of none. */
function percentile(times: Uint32Array, share: number): number | undefined {
  let left = Math.ceil(share * times.reduce((sum, count) => sum + count, 0))
  if (left === 0) return undefined
  const bin = times.findIndex((count) => (left -= count) <= 0)
  return 2 ** ((bin + 0.5) / perDouble + least)
}

function rounded(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(3))
}
