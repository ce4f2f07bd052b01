import { highestChance } from '../../gates/noise/false-alarms.js'
import { studentTail } from '../../gates/noise/distributions.js'
import { mean, median, squaresOf } from '../../gates/noise/robust.js'

/** Figures over runs, as logarithms; NaN in a run that did not measure one. */
export interface Track {
  values: readonly number[]
  /** What a figure varies by at least: a variance. */
  least: number
  /** Its noise may resemble that of the run before: nothing was taken from it that its runs have in common. */
  isWhole: boolean
  /** The values with what their runs have in common. */
  raw?: readonly number[]
}

/** Where tracks change for good; `at` is the first run of the new level. */
export interface TrackStep {
  track: number
  at: number
}

/** With fewer timers, what they have in common cannot be distinguished from their own. */
const fewestTimers = 5
/** Nothing varies by less than 1 percent: a variance. */
export const least = 0.0001
/** Runs at either side of a step. */
const fewest = 4
/** The median of the sizes of standard normal figures. */
const usualApart = 0.6745
/** Standard deviations from the figures beside it. */
const oddFrom = 4.5
/** The shares of unchanged histories in which something may be found. */
const falseSteps = 0.04
const falseWhole = 0.02
/** A step this near to a clearer one of another track is the same change, if it fits nearly as well. */
const near = 2
const nearlyAsWell = 0.85

/** Some runs one after the other. */
interface Part {
  from: number
  to: number
}

/** Parts of the runs that are looked at by themselves. */
const shares = [
  [0, 1],
  [0, 2 / 3],
  [1 / 3, 1],
  [0, 1 / 2],
  [1 / 4, 3 / 4],
  [1 / 2, 1],
] as const

interface Split {
  /** Where it was looked for. */
  part: Part
  at: number
  /** Student's t of the difference of both sides. */
  t: number
  chance: number
}

/**
 * The steps of all tracks: each is split where its two sides differ most, by Student's t; of all splits those count
 * that are not chance (Benjamini and Hochberg), and the parts are split in the same way. What all tracks of a run have
 * in common is taken from each, but for its own steps.
 */
export function stepsIn(tracks: readonly Track[]): TrackStep[] {
  const own = tracks.filter(({ isWhole }) => !isWhole)
  const hasCommon = own.length >= fewestTimers
  const common = commonOf(own.map(({ values }) => values))
  const steps = hasCommon ? segments([steadied({ values: common, least, isWhole: true })], falseWhole) : []
  const shared = without(
    common,
    steps.map(({ at }) => at),
  )
  const looked = tracks.map((track) => {
    if (track.isWhole || !hasCommon) return steadied({ ...track, isWhole: true })
    const values = track.values.map((value, run) => value - (shared[run] ?? 0))
    return steadied({ ...track, values, raw: track.values })
  })
  return [false, true].flatMap((isWhole) => {
    const indexes = looked.flatMap((track, index) => (track.isWhole === isWhole ? [index] : []))
    const found = segments(
      indexes.flatMap((index) => looked[index] ?? []),
      isWhole ? falseWhole : falseSteps,
    )
    return found.map(({ track, at }) => ({ track: indexes[track] ?? 0, at }))
  })
}

/** The median effect of each run, after each track's own median. */
function commonOf(all: readonly (readonly number[])[]): number[] {
  const runs = all[0]?.length ?? 0
  const levels = all.map((values) => median(known(values)))
  return Array.from({ length: runs }, (_, run) => {
    const apart = all.flatMap((values, index) => {
      const value = (values[run] ?? NaN) - (levels[index] ?? NaN)
      return Number.isNaN(value) ? [] : [value]
    })
    return apart.length === 0 ? 0 : median(apart)
  })
}

/**
 * Without odd figures: one far from both beside it gets the middle one of the three. Short parts of a
 * track vary at least as much as all of it does from run to run: half the square of the usual difference.
 */
function steadied(track: Track): Track {
  const { values } = track
  const apart = known(values.map((value, at) => Math.abs(value - (values[at - 1] ?? NaN))))
  const usual = apart.length === 0 ? 0 : (median(apart) / usualApart) ** 2 / 2
  const variance = Math.max(track.least, usual)
  const calm = values.map((value, at) => {
    const middle = median(known([values[at - 1] ?? NaN, value, values[at + 1] ?? NaN]))
    return Math.abs(value - middle) > oddFrom * Math.sqrt(variance) ? middle : value
  })
  return { ...track, values: calm, least: variance }
}

/** A series without the means between its steps. */
function without(values: readonly number[], steps: readonly number[]): number[] {
  const bounds = [0, ...[...steps].sort((a, b) => a - b), values.length]
  return bounds.slice(1).flatMap((to, index) => {
    const part = values.slice(bounds[index], to)
    const middle = mean(part)
    return part.map((value) => value - middle)
  })
}

function segments(tracks: readonly Track[], share: number): TrackStep[] {
  const found: TrackStep[] = []
  let parts = tracks.map(({ values }, track) => ({ track, from: 0, to: values.length }))
  while (parts.length > 0) {
    const splits = parts.map((part) => {
      const track = tracks[part.track]
      return { part, split: track && bestSplit(track, part) }
    })
    const cut = highestChance(
      splits.map(({ split }) => split?.chance ?? 1),
      share,
    )
    const clear = splits
      .flatMap(({ part, split }) =>
        split && split.chance <= cut && showsIn(tracks[part.track], split) ? [{ part, split }] : [],
      )
      .sort((a, b) => b.split.t - a.split.t)
    const runs: number[] = []
    parts = clear.flatMap(({ part: { track, from, to }, split }) => {
      const of = tracks[track]
      const same = runs.find(
        (run) =>
          Math.abs(run - split.at) <= near &&
          of !== undefined &&
          (splitAt(of, split.part, run)?.t ?? 0) >= split.t * nearlyAsWell,
      )
      const at = same ?? split.at
      if (same === undefined) runs.push(at)
      found.push({ track, at })
      return [
        { track, from, to: at },
        { track, from: at, to },
      ]
    })
  }
  return found
}

/**
 * Whether the figures themselves show at least half of a step: if many others changed, what is taken from all is too
 * much for the rest.
 */
function showsIn(track: Track | undefined, { part: { from, to }, at }: Split): boolean {
  if (!track?.raw) return true
  const apart = (values: readonly number[]) =>
    mean(known(values.slice(at, to))) - mean(known(values.slice(from, at)))
  const [step, shown] = [apart(track.values), apart(track.raw)]
  return step > 0 ? shown >= step / 2 : shown <= step / 2
}

function known(values: readonly number[]): number[] {
  return values.filter((value) => !Number.isNaN(value))
}

/** In all runs, and in parts of them, where a step back does not hide it (seeded binary segmentation). */
function bestSplit(track: Track, part: Part): Split | undefined {
  const length = part.to - part.from
  let tried = 0
  const best = shares.flatMap(([first, last]) => {
    const window = {
      from: part.from + Math.round(length * first),
      to: part.from + Math.round(length * last),
    }
    const runs = Array.from({ length: window.to - window.from }, (_, at) => window.from + at)
    const splits = runs.flatMap((at) => splitAt(track, window, at) ?? [])
    tried += splits.length
    const [most] = splits.sort((one, other) => other.t - one.t)
    return (most && splitAt(track, window, most.at, track.isWhole)) ?? []
  })
  const [least] = best.sort((one, other) => one.chance - other.chance)
  return least && { ...least, chance: Math.min(1, least.chance * tried) }
}

/**
 * Undefined if there are too few figures at one side.
 *
 * @param isAlike the noise of a run may resemble that of the one before
 */
function splitAt(
  { values, least }: Track,
  { from, to }: Part,
  at: number,
  isAlike = false,
): Split | undefined {
  if (Number.isNaN(values[at] ?? NaN)) return undefined
  const [before, after] = [known(values.slice(from, at)), known(values.slice(at, to))]
  if (before.length < fewest || after.length < fewest) return undefined
  const count = before.length + after.length
  const variance = Math.max(least, (squaresOf(before) + squaresOf(after)) / (count - 2))
  const worth = isAlike ? independentShare(before, after, variance) : 1
  const apart = Math.abs(mean(after) - mean(before))
  const t = apart / Math.sqrt((variance / worth) * (1 / before.length + 1 / after.length))
  return { at, t, chance: 2 * studentTail(t, Math.max(4, (count - 2) * worth)), part: { from, to } }
}

/** The share of runs that tell as much as if none resembled the one before: (1 − r) / (1 + r), r after Kendall. */
function independentShare(before: readonly number[], after: readonly number[], variance: number): number {
  let products = 0
  for (const part of [before, after]) {
    const middle = mean(part)
    part.forEach((value, at) => {
      if (at > 0) products += (value - middle) * ((part[at - 1] ?? 0) - middle)
    })
  }
  const count = before.length + after.length
  const r = (products / (variance * (count - 2)) + 2 / count) / Math.max(0.5, 1 - 8 / count)
  const kept = Math.max(0, Math.min(0.95, r))
  return (1 - kept) / (1 + kept)
}
