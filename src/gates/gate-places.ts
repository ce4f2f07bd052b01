import { type Baseline, fewestRuns } from '../noise/baseline.js'
import { isTimerPlace, placeName, timerWords, withoutStatus, nameOf } from '../figures/figures.js'
import type { ReportFigures, Place } from '../figures/figures.js'
import { defined, heldIn } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { Subject, FigureCheck } from '../language/gate.js'
import { ruleOf } from '../figures/metrics.js'
import { hasWildcard, matcher, plainText, type NamePattern } from '../text/name-pattern.js'
import { didYouMean } from '../text/nearest.js'
import type { Report } from '../report/report.js'
import type { GateResult } from './result.js'

/** In this share of unchanged runs, a name may count as missing that is so by chance. */
const falseShare = 0.01
/** If more than this share of the other names comes and goes, a missing one means nothing. */
const fickle = 0.05

/**
 * Names that one side has measured and the other has not, sorted as the reports have them. Most runs of the baseline have
 * those that have vanished, and so often that they are not missing by chance; those that are absent are missing like
 * them, but where names come and go, so it means nothing. No run of the baseline has what was added.
 *
 * @param asked of the names that count
 */
export function presenceOf(
  kind: Exclude<Place['kind'], 'agents'>,
  run: ReportFigures,
  baseline: Baseline,
  asked: (name: string) => boolean = () => true,
) {
  const all = usesOf(kind, run, baseline).filter(({ name }) => asked(name))
  const runs = baseline.runs.length
  const isKnown = ({ counts: [, ...earlier] }: Use) => earlier.some((count) => count !== undefined)
  const known = all.filter(isKnown)
  const added = all.filter((one) => !isKnown(one))
  const length = lengthOf(run, baseline)
  const isFrequent = ({ counts }: Use) => chanceOfNone(counts.slice(1), length) * known.length < falseShare
  const isGone = (one: Use) =>
    one.counts[0] === undefined &&
    !(kind === 'requests' && isFailure(one.name)) &&
    one.counts.filter((count) => count !== undefined).length * 2 > runs &&
    turns(one.counts, 1) <= 1 &&
    isFrequent(one)
  const gone = new Set(known.filter(isGone))
  // Few runs hardly show what comes and goes: there, whatever did not stay does, and a part of what a single run had.
  const mostTurns = runs > fewestRuns ? 1 : 0
  const isFickle = (one: Use) => !gone.has(one) && turns(one.counts, 0) > mostTurns && isFrequent(one)
  const alike = runs === 1 && gone.size * 2 < known.length ? gone.size - 1 : 0
  const isNew = ({ counts }: Use) => chanceOfNone(counts, 1 / length) * known.length < falseShare
  const fresh = runs < fewestRuns ? added.filter(isNew).length : 0
  const isUsual = known.filter(isFickle).length + alike + fresh > known.length * fickle
  const names = (uses: Iterable<Use>) => Array.from(uses, ({ name }) => name)
  return { vanished: names(isUsual ? [] : gone), added: names(added), absent: names(isUsual ? gone : []) }
}

/**
 * The probability that a name is not used once, if nothing has changed: its number is a Poisson process, known from
 * the counts of runs that were so many times as long together.
 */
function chanceOfNone(counts: Use['counts'], length: number): number {
  const count = counts.reduce<number>((sum, one = 0) => sum + one, 0.5)
  return (length / (length + 1)) ** count
}

/** How many times as long as this run those of the baseline were together. */
function lengthOf({ report }: ReportFigures, { reports }: Baseline): number {
  const now = report.general.duration
  return reports.reduce((sum, { general }) => sum + (now && general.duration ? general.duration / now : 1), 0)
}

/** How often a name appears or disappears from one run to the next. @param first of the runs */
function turns(counts: Use['counts'], first: number): number {
  return counts.filter((one, at) => at > first && (one === undefined) !== (counts[at - 1] === undefined))
    .length
}

/** `Pay [500]` and `Pay [0]`, without an answer: if they are gone, nothing has failed. */
function isFailure(name: string): boolean {
  return / \[(?:0|5\d\d)\]$/.test(name)
}

/** How often a name was measured in each run, Infinity where that is unknown, undefined where it was not used. */
interface Use {
  name: string
  counts: (number | undefined)[]
}

type Kind = Parameters<typeof presenceOf>[0]

/** Of each report, beside a baseline: some gates ask for a few names each, and there may be many thousand. */
const usesBeside = new WeakMap<Report, { baseline: Baseline; uses: Map<Kind, Use[]> }>()

function usesOf(kind: Kind, run: ReportFigures, baseline: Baseline): Use[] {
  let beside = usesBeside.get(run.report)
  if (beside?.baseline !== baseline) usesBeside.set(run.report, (beside = { baseline, uses: new Map() }))
  return heldIn(beside.uses, kind, () => countUses(kind, [run, ...baseline.runs]))
}

/** A timer with count 0 was not used. */
function countUses(kind: Kind, runs: readonly ReportFigures[]): Use[] {
  const uses = new Map<string, Use>()
  const add = (run: number, name: string, count: number) => {
    if (count === 0) return
    const { counts } = heldIn(uses, name, (): Use => ({ name, counts: runs.map(() => undefined) }))
    counts[run] = (counts[run] ?? 0) + count
  }
  for (const [run, { report }] of runs.entries()) {
    if (kind !== 'web-vitals')
      for (const { name, count = Infinity } of report.timers[kind].timers) add(run, name, count)
    else
      for (const { name, vitals } of report.webVitals) {
        const samples = Object.values(vitals).map(
          (one) => (one.goodCount ?? NaN) + (one.improveCount ?? 0) + (one.poorCount ?? 0),
        )
        add(run, name, Math.max(0, ...samples) || Infinity)
      }
  }
  return [...uses.values()]
}

/** That a report has no such name, and which may be meant instead: `Did you mean "Login"?` */
interface NoPlace {
  missing: string
  hint?: string
}

/** The places of the run that a subject names; `missing` if there is none. */
function placesIn(run: ReportFigures, subject: Subject): Place[] | NoPlace {
  const { kind, pattern } = subject
  const written = writtenPlace(subject)
  if (!pattern || (!isWild(subject) && run.timerAt(written))) return [written]
  const matches = matcher(pattern)
  const all = run.namedPlaces(kind)
  const found = all.filter((place) => matches(nameOf(place) ?? ''))
  if (found.length > 0) return found
  const asked = plainText(pattern)
  const word = isTimerPlace(written) ? timerWords[written.kind].single : 'web-vitals entry'
  const which = hasWildcard(pattern) ? `${word} whose name matches` : word
  const names = all.map((place) => nameOf(place) ?? '')
  const hint = didYouMean(asked, names, (name) => `"${name}"`)
  return { missing: `The report has no ${which} "${oneLine(asked, 60)}".`, ...defined({ hint }) }
}

/**
 * The places of a gate. Where it compares names by a wildcard, those of the baseline count too: a missing name is
 * not measured, and a new one has nothing to be compared with.
 */
export function placesOf(check: FigureCheck, run: ReportFigures, baseline?: Baseline): Place[] | NoPlace {
  const { subject, limit } = check
  const places = placesIn(run, subject)
  const { kind, pattern } = subject
  if (!baseline || !pattern || limit.from === 'zero' || kind === 'agents') return places
  if (isAboutFailures(check)) return failurePlaces(kind, pattern, run, baseline)
  if (!isWild(subject)) return places
  const { vanished, added } = presenceOf(kind, run, baseline, matcher(pattern))
  const isNew = new Set(added)
  const old = 'missing' in places ? [] : places.filter((place) => !isNew.has(nameOf(place) ?? ''))
  const known = new Set(old.map(nameOf))
  const gone = vanished.filter((name) => !known.has(name))
  const all = [...old, ...gone.map((name): Place => ({ kind, name }))]
  return all.length > 0 ? all : places
}

/**
 * The requests, transactions and so on of a pattern, in this run or most earlier ones. Requests count with all statuses
 * that their names may end with: `Pay [500]` is a failed `Pay`.
 */
function failurePlaces(
  kind: Kind,
  pattern: NamePattern,
  run: ReportFigures,
  baseline: Baseline,
): Place[] | NoPlace {
  const matches = matcher(pattern)
  const requestOf = (name: string) => (kind === 'requests' ? withoutStatus(name) : name)
  const isAsked = (name: string) => matches(requestOf(name)) || matches(name)
  const { vanished } = presenceOf(kind, run, baseline, isAsked)
  const names = run.namedPlaces(kind).map((place) => nameOf(place) ?? '')
  const asked = new Set([...names.filter(isAsked), ...vanished].map(requestOf))
  if (asked.size === 0) return placesIn(run, { kind, pattern })
  const statuses = kind === 'requests' ? { anyStatus: true as const } : {}
  return [...asked].map((name) => ({ kind, name, ...statuses }))
}

/** A subject as the gate wrote it, which is a place unless it has wildcards. */
export function wholeSubject(subject: Subject): Pick<GateResult, 'subject' | 'place'> {
  const place = writtenPlace(subject)
  return { subject: placeName(place), ...(isWild(subject) ? {} : { place }) }
}

function writtenPlace({ kind, pattern }: Subject): Place {
  if (kind === 'web-vitals') return { kind, name: plainText(pattern ?? []) }
  return { kind, ...(pattern && { name: plainText(pattern) }) }
}

export function isWild({ pattern = [] }: Subject): boolean {
  return hasWildcard(pattern)
}

/** A gate that compares errors. A failed request may have a separate name, which no earlier run knows. */
export function isAboutFailures({ subject, metric, limit }: FigureCheck): boolean {
  return ruleOf(metric).about === 'errors' && limit.from === 'baseline' && subject.pattern !== undefined
}
