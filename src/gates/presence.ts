import type { Baseline } from './baseline/baseline.js'
import type { ReportFigures } from './figures.js'
import type { Place } from './place.js'

/** What has names in a report. */
export type NamedKind = Exclude<Place['kind'], 'agents'>

/** Names that one side has measured and the other has not, sorted as the reports have them. */
interface Presence {
  /** Most runs of the baseline have them: a rare one may be missing by chance. */
  vanished: string[]
  /** No run of the baseline has them. */
  added: string[]
}

/** @param asked of the names that count */
export function presenceOf(
  kind: NamedKind,
  run: ReportFigures,
  baseline: Baseline,
  asked: (name: string) => boolean = () => true,
): Presence {
  const now = measuredNames(kind, run, asked)
  const times = new Map<string, number>()
  for (const one of baseline.runs) {
    for (const name of measuredNames(kind, one, asked)) times.set(name, (times.get(name) ?? 0) + 1)
  }
  const isGone = (name: string) => !now.has(name) && !(kind === 'requests' && isFailure(name))
  return {
    vanished: [...times.keys()].filter(
      (name) => (times.get(name) ?? 0) * 2 > baseline.runs.length && isGone(name),
    ),
    added: [...now].filter((name) => !times.has(name)),
  }
}

/** `Pay [500]` and `Pay [0]`, without an answer: if they are gone, nothing has failed. */
function isFailure(name: string): boolean {
  return / \[(?:0|5\d\d)\]$/.test(name)
}

/** A timer with count 0 was not used. */
function measuredNames(
  kind: NamedKind,
  { report }: ReportFigures,
  asked: (name: string) => boolean,
): Set<string> {
  const names = new Set<string>()
  const all: readonly Named[] = kind === 'web-vitals' ? report.webVitals : report.timers[kind].timers
  for (const { name, count } of all) if (count !== 0 && asked(name)) names.add(name)
  return names
}

interface Named {
  name: string
  count?: number
}
