import { highestChance, studentTail } from '../noise/distributions.js'
import { effectsOf, mean, median, squaresOf } from '../figures/numbers.js'

/** Figures over runs, as logarithms; NaN in a run that did not measure one. */
export interface Track {
  values: readonly number[]
  /** What a figure varies by at least: a variance. */
  least: number
  /** Its noise may resemble that of the run before: nothing was taken from it that its runs have in common. */
  isWhole: boolean
}

/** With fewer timers, what they have in common cannot be distinguished from their own. */
const fewestTimers = 5
/** Nothing varies by less than 1 percent: a variance. */
export const least = 0.0001
/** Runs at either side of a step. */
const fewest = 4
/** Times the usual difference from one run to the next. */
const oddFrom = 5
/** The shares of unchanged histories in which something may be found: where runs resemble each other, it is easily more. */
const falseSteps = 0.03
const falseWhole = 0.0005
/** A step this near to a clearer one of another track is the same change. */
const near = 3

/** Parts of the runs that are looked at by themselves, since a step back can hide a step (seeded binary segmentation). */
const shares = [
  [0, 1],
  [0, 2 / 3],
  [1 / 3, 1],
  [0, 1 / 2],
  [1 / 4, 3 / 4],
  [1 / 2, 1],
] as const

/** Some runs of a track, one after the other. */
interface Part {
  track: number
  from: number
  to: number
}

/**
 * The steps of all tracks: each is split where its two sides differ most, by Student's t; of all splits those count
 * that are not chance (Benjamini and Hochberg), and the parts are split in the same way. What all tracks of a run have
 * in common is taken from each, but for its own steps.
 */
export function stepsIn(tracks: readonly Track[]) {
  const own = tracks.filter(({ isWhole }) => !isWhole)
  const areFew = own.length < fewestTimers
  const common = areFew
    ? []
    : effectsOf(new Float64Array(own.flatMap(({ values }) => values)), own[0]?.values.length ?? 0)
  const steps = splitsOf([{ values: common, least, isWhole: true }])
  const bounds = [0, ...steps.map(({ at }) => at).sort((a, b) => a - b), common.length]
  const shared = bounds.slice(1).flatMap((to, index) => {
    const part = common.slice(bounds[index], to)
    return part.map((value) => value - mean(part))
  })
  const apart = (values: readonly number[]) => values.map((value, run) => value - (shared[run] ?? 0))
  const looked = tracks.map((track) =>
    areFew || track.isWhole ? { ...track, isWhole: true } : { ...track, values: apart(track.values) },
  )
  // If many others changed, what is taken from all is too much for the rest: a figure itself must show half of a step.
  return splitsOf(looked).filter(({ track, from, at, to }) => {
    const [shown = 0, step = 0] = [tracks, looked].map((all) => rise(all[track]?.values ?? [], from, at, to))
    return shown * Math.sign(step) >= Math.abs(step) / 2
  })
}

function rise(values: readonly number[], from: number, at: number, to: number): number {
  return mean(known(values.slice(at, to))) - mean(known(values.slice(from, at)))
}

function splitsOf(given: readonly Track[]) {
  const tracks = given.map((track) => ({ ...track, values: calm(track.values) }))
  // `at` is the first run of the new level.
  const found: (Part & { at: number })[] = []
  let parts = tracks.map(({ values }, track): Part => ({ track, from: 0, to: values.length }))
  while (parts.length > 0) {
    const splits = parts.flatMap((part) => bestSplit(tracks[part.track], part) ?? [])
    const cut = highestChance(
      splits.map(({ chance }) => chance),
      falseSteps,
    )
    const clear = splits.filter(({ chance }) => chance <= cut).sort((a, b) => a.chance - b.chance)
    parts = clear.flatMap(({ part: { track, from, to }, at: best }) => {
      const at = found.find((one) => Math.abs(one.at - best) <= near)?.at ?? best
      found.push({ track, from, at, to })
      return [
        { track, from, to: at },
        { track, from: at, to },
      ]
    })
  }
  return found
}

/** Far from both figures beside it, an odd one gets the middle one of the three. */
function calm(values: readonly number[]): number[] {
  const apart = values.map((value, at) => Math.abs(value - (values[at - 1] ?? NaN)))
  const far = oddFrom * median(known(apart))
  return values.map((value, at) => {
    const middle = median(known([values[at - 1] ?? NaN, value, values[at + 1] ?? NaN]))
    return Math.abs(value - middle) > far ? middle : value
  })
}

function known(values: readonly number[]): number[] {
  return values.filter((value) => !Number.isNaN(value))
}

/** In all runs and in parts of them. */
function bestSplit(track: Track | undefined, part: Part) {
  if (!track) return undefined
  const length = part.to - part.from
  const all = shares.flatMap(([first, last]) => {
    const [from, to] = [part.from + Math.round(length * first), part.from + Math.round(length * last)]
    const runs = Array.from({ length: to - from }, (_, run) => from + run)
    return runs.flatMap((at) => splitAt(track, from, at, to) ?? [])
  })
  const [split] = all.sort((one, other) => one.chance - other.chance)
  if (!split) return undefined
  const rarer = track.isWhole ? falseSteps / falseWhole : 1
  return { part, at: split.at, chance: Math.min(1, split.chance * all.length * rarer) }
}

/** Undefined if there are too few figures at one side. */
function splitAt({ values, least, isWhole }: Track, from: number, at: number, to: number) {
  if (Number.isNaN(values[at] ?? NaN)) return undefined
  const [before, after] = [known(values.slice(from, at)), known(values.slice(at, to))]
  if (Math.min(before.length, after.length) < fewest) return undefined
  const count = before.length + after.length
  const variance = Math.max(least, (squaresOf(before) + squaresOf(after)) / (count - 2))
  const worth = isWhole ? independentShare([before, after], variance) : 1
  const apart = Math.abs(rise(values, from, at, to))
  const t = apart / Math.sqrt((variance / worth) * (1 / before.length + 1 / after.length))
  return { at, chance: 2 * studentTail(t, Math.max(4, (count - 2) * worth)) }
}

/** The share of runs that tell as much as if none resembled the one before: (1 − r) / (1 + r), r after Kendall. */
function independentShare(sides: readonly (readonly number[])[], variance: number): number {
  const count = sides.flat().length
  const products = sides.flatMap((side) => {
    const middle = mean(side)
    return side.slice(1).map((value, at) => (value - middle) * ((side[at] ?? 0) - middle))
  })
  const told = (mean(products) * products.length) / (variance * (count - 2))
  const r = (told + 2 / count) / Math.max(0.5, 1 - 8 / count)
  const kept = Math.max(0, Math.min(0.95, r))
  return (1 - kept) / (1 + kept)
}
