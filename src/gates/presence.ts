import type { Baseline } from './baseline/baseline.js'
import type { ReportFigures } from './figures.js'
import { fewestRuns } from './noise/false-alarms.js'
import type { Place } from './place.js'

/** What has names in a report. */
export type NamedKind = Exclude<Place['kind'], 'agents'>

/** Names that one side has measured and the other has not, sorted as the reports have them. */
interface Presence {
  /** Most runs of the baseline have them, and so often that they are not missing by chance. */
  vanished: string[]
  /** No run of the baseline has them. */
  added: string[]
  /** Missing like those, but where names come and go, so it means nothing. */
  absent: string[]
}

/** In this share of unchanged runs, a name may count as missing that is so by chance. */
const falseShare = 0.01
/** If more than this share of the other names comes and goes, a missing one means nothing. */
const fickle = 0.05

/** @param asked of the names that count */
export function presenceOf(
  kind: NamedKind,
  run: ReportFigures,
  baseline: Baseline,
  asked: (name: string) => boolean = () => true,
): Presence {
  const now = countsOf(kind, run, asked)
  const earlier = baseline.runs.map((one) => countsOf(kind, one, asked))
  const known = new Set(earlier.flatMap((counts) => [...counts.keys()]))
  const names = [...known]
  const added = [...now.keys()].filter((name) => !known.has(name))
  const length = lengthOf(run, baseline)
  const isFrequent = (name: string) => chanceOfNone(name, earlier, length) * names.length < falseShare
  const gone = new Set(
    names
      .filter((name) => !now.has(name) && !(kind === 'requests' && isFailure(name)))
      .filter((name) => earlier.filter((counts) => counts.has(name)).length * 2 > earlier.length)
      .filter((name) => turns(name, earlier) <= 1 && isFrequent(name)),
  )
  const isFickle = (name: string) => !gone.has(name) && turns(name, [now, ...earlier]) > 1 && isFrequent(name)
  // One or two runs hardly show what comes and goes; a frequent name that none of them had does.
  const isNew = (name: string) => chanceOfNone(name, [now], 1 / length) * names.length < falseShare
  const isUsual =
    gone.size > 0 &&
    (names.filter(isFickle).length > names.length * fickle ||
      (earlier.length < fewestRuns && added.some(isNew)))
  return { vanished: isUsual ? [] : [...gone], added, absent: isUsual ? [...gone] : [] }
}

/**
 * The probability that a name is not used once, if nothing has changed: its number is a Poisson process, known from
 * the counts of runs that were so many times as long together.
 */
function chanceOfNone(name: string, runs: readonly ReadonlyMap<string, number>[], length: number): number {
  const count = runs.reduce((sum, counts) => sum + (counts.get(name) ?? 0), 0.5)
  return (length / (length + 1)) ** count
}

/** How many times as long as this run those of the baseline were together. */
function lengthOf({ report }: ReportFigures, { reports }: Baseline): number {
  const now = report.general.duration
  return reports.reduce((sum, { general }) => sum + (now && general.duration ? general.duration / now : 1), 0)
}

/** How often a name appears or disappears from one run to the next. */
function turns(name: string, runs: readonly ReadonlyMap<string, number>[]): number {
  return runs.filter((counts, at) => at > 0 && counts.has(name) !== runs[at - 1]?.has(name)).length
}

/** `Pay [500]` and `Pay [0]`, without an answer: if they are gone, nothing has failed. */
function isFailure(name: string): boolean {
  return / \[(?:0|5\d\d)\]$/.test(name)
}

/** How often each name was measured, Infinity where that is unknown; a timer with count 0 was not used. */
function countsOf(
  kind: NamedKind,
  { report }: ReportFigures,
  asked: (name: string) => boolean,
): Map<string, number> {
  const counts = new Map<string, number>()
  if (kind === 'web-vitals') {
    for (const { name, vitals } of report.webVitals) {
      const samples = Object.values(vitals).map(
        (one) => (one.goodCount ?? NaN) + (one.improveCount ?? 0) + (one.poorCount ?? 0),
      )
      if (asked(name)) counts.set(name, Math.max(0, ...samples) || Infinity)
    }
    return counts
  }
  for (const { name, count = Infinity } of report.timers[kind].timers) {
    if (count !== 0 && asked(name)) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return counts
}
