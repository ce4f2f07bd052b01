import Big from 'big.js'
import type { Baseline } from './baseline/baseline.js'
import {
  placeName,
  unitOf,
  withoutStatus,
  type Figure,
  type Place,
  type RateUnit,
  type ReportFigures,
} from './figures.js'
import {
  missingResult,
  outcomeOf,
  written,
  type FigureCheck,
  type Gate,
  type Limit,
  type Subject,
} from './language/gate.js'
import { differenceOf, holds, holdsRate, limitOf, resolution } from './limit.js'
import type { Finding, Unfit } from './noise/false-alarms.js'
import { loadAt } from './load.js'
import { isStepped } from './metrics.js'
import { hasWildcard, matcher, plainText } from '../text/name-pattern.js'
import type { Noise } from './noise/noise.js'
import { presenceOf } from './presence.js'
import { quantity } from './quantity.js'
import type { GateResult } from './result.js'
import { defined } from '../text/fields.js'

export interface FigureGate extends Gate {
  check: FigureCheck
}

/** What gates that compare are judged against, or why there is nothing. */
export type Against = { baseline: Baseline; noise: Noise } | { missing: string }

/** The results of a gate, one for each place that it is about. */
export function judgeFigures(gate: FigureGate, run: ReportFigures, against: Against): GateResult[] {
  const { check } = gate
  const rate = rateOf(check.limit)
  const places = placesOf(check, run, against)
  const missing = (reason: string, unfit?: GateResult['unfit']): GateResult[] => {
    const { metric, operator } = check
    const about = { subject: subjectName(check.subject), metric, unit: unitOf(metric, rate), operator }
    return [{ ...written(gate), ...about, result: missingResult(gate), reason, ...defined({ unfit }) }]
  }
  if ('missing' in places) return missing(places.missing)
  const results = places.map((place) => resultAt(gate, place, rate, run, against))
  const [first] = results
  if (!first || results.some(({ result }) => result !== 'left-out')) return results
  const { subject, reason = '', unfit } = first
  return missing(
    results.length === 1
      ? reason
      : `None of the ${results.length} matches can be compared. ${subject}: ${reason}`,
    unfit,
  )
}

/**
 * The places of a gate. Where it compares names by a wildcard, those of the baseline count too: a missing name is
 * not measured, and a new one has nothing to be compared with.
 */
function placesOf(check: FigureCheck, run: ReportFigures, against: Against): Place[] | { missing: string } {
  const { subject, limit } = check
  const places = run.places(subject)
  if ('missing' in against || limit.from === 'zero' || subject.kind === 'agents') return places
  const { baseline } = against
  if (isAboutFailures(check)) return failurePlaces(check.subject, run, baseline)
  if (!subject.pattern || !hasWildcard(subject.pattern)) return places
  const kind = subject.kind === 'timers' ? subject.timers : subject.kind
  const { vanished, added } = presenceOf(kind, run, baseline, matcher(subject.pattern))
  const isNew = new Set(added)
  const old =
    'missing' in places ? [] : places.filter((place) => !('name' in place && isNew.has(place.name ?? '')))
  const known = new Set(old.map((place) => ('name' in place ? place.name : undefined)))
  const gone = vanished.filter((name) => !known.has(name))
  const all = [
    ...old,
    ...gone.map((name): Place =>
      subject.kind === 'timers'
        ? { kind: 'timers', timers: subject.timers, name }
        : { kind: 'web-vitals', name },
    ),
  ]
  return all.length > 0 ? all : places
}

function resultAt(
  gate: FigureGate,
  place: Place,
  rate: RateUnit,
  run: ReportFigures,
  against: Against,
): GateResult {
  const { check } = gate
  const baseline = 'missing' in against ? undefined : against.baseline
  const { metric, operator } = check
  const unit = unitOf(metric, rate)
  const figure = run.figure(place, metric, rate)
  const isComparing = check.limit.from === 'baseline' && !check.strict
  const seconds = isComparing ? run.report.general.duration : undefined
  const isNew = baseline && isAboutFailures(check) && !baseline.has(place)
  const earlier = isNew ? { median: 0 } : baseline?.figure(place, metric, rate, seconds)
  const limit = limitOf(check.limit, earlier?.median)
  const about = {
    ...written(gate),
    subject: placeName(place),
    metric,
    unit,
    operator,
    ...(limit ? { limit: limit.toNumber() } : {}),
    ...(earlier ? { baseline: earlier.median } : {}),
  }
  const missing = (reason: string): GateResult => ({ ...about, result: missingResult(gate), reason })
  if ('missing' in figure) return missing(figure.missing)
  const { value } = figure
  const measured = { ...about, value, ...(earlier ? differenceOf(value, earlier.median) : {}) }
  if (!limit || 'missing' in against || !earlier) {
    if (limit) return { ...measured, result: outcomeOf(gate, holdsFigure(figure, check, limit)) }
    const reason =
      'missing' in against ? against.missing : `The baseline has no ${metric} of ${placeName(place)}.`
    return { ...measured, result: missingResult(gate), reason }
  }
  const held = holdsFigure(figure, check, limit)
  const result: GateResult = { ...measured, result: outcomeOf(gate, held) }
  if (check.limit.from === 'zero') return result
  const load = isLoad(metric) ? undefined : loadAt(place, run, against.baseline)
  // What is too slow under less load would be even slower under more; what is fast enough under more load would be so
  // under less.
  if (load?.isOther && load.less === held) {
    return {
      ...measured,
      result: missingResult(gate),
      reason: `The comparison is not valid: ${load.sentence}`,
    }
  }
  // If the baseline itself would not meet the limit, noise excuses nothing.
  if (check.strict || !holds(earlier.median, operator, limit)) return result
  const above = operator === '=' ? value > earlier.median : operator.startsWith('<')
  const finding = against.noise.find(place, metric, rate)
  const mayBeLoad = load && !load.less && above ? load.sentence : undefined
  return excused(result, finding, {
    gate,
    limit: limit.toNumber(),
    earlier: earlier.median,
    above,
    mayBeLoad,
  })
}

function isLoad(metric: string): boolean {
  return metric === 'count' || metric === 'throughput'
}

/** A gate that compares errors. A failed request may have a separate name, which no earlier run knows. */
function isAboutFailures(check: FigureCheck): check is FigureCheck & { subject: NamedTimers } {
  const { subject, metric, limit, strict } = check
  const isErrors = metric === 'errors' || metric === 'error-rate'
  return (
    isErrors &&
    limit.from === 'baseline' &&
    !strict &&
    subject.kind === 'timers' &&
    subject.pattern !== undefined
  )
}

type NamedTimers = Extract<Subject, { kind: 'timers' }>

/**
 * The requests, transactions and so on of a pattern, in this run or most earlier ones. Requests count with all statuses
 * that their names may end with: `Pay [500]` is a failed `Pay`.
 */
function failurePlaces(
  subject: NamedTimers,
  run: ReportFigures,
  baseline: Baseline,
): Place[] | { missing: string } {
  const { timers, pattern = [] } = subject
  const matches = matcher(pattern)
  const requestOf = (name: string) => (timers === 'requests' ? withoutStatus(name) : name)
  const asked = (name: string) => matches(name) || matches(requestOf(name))
  const { vanished } = presenceOf(timers, run, baseline, asked)
  const found = new Set([...[...run.timers(timers).keys()].filter(asked), ...vanished].map(requestOf))
  if (found.size === 0) return run.places(subject)
  return [...found].map((name) => ({
    kind: 'timers',
    timers,
    name,
    ...(timers === 'requests' ? { anyStatus: true as const } : {}),
  }))
}

/** An error rate with a fixed limit is compared as a fraction, everything else as decimals. */
function holdsFigure(figure: Extract<Figure, { value: number }>, check: FigureCheck, limit: Big): boolean {
  return figure.fraction && check.limit.from === 'zero'
    ? holdsRate(figure.fraction, check.operator, limit)
    : holds(figure.value, check.operator, limit)
}

interface Comparing {
  gate: FigureGate
  limit: number
  earlier: number
  /** Whether the gate fails above its limit rather than below it. */
  above: boolean
  /** A sentence, if a higher load than in the baseline may explain the figure. */
  mayBeLoad: string | undefined
}

/**
 * The result with what noise says about it: a value beyond the limit passes if noise alone could have moved it there.
 */
function excused(
  result: GateResult,
  finding: Finding | Unfit | undefined,
  { gate, limit, earlier, above, mayBeLoad }: Comparing,
): GateResult {
  const { metric = '', value = 0, unit } = result
  if (finding && 'unfit' in finding) {
    const isMatch = gate.check.subject.kind !== 'agents' && hasWildcard(gate.check.subject.pattern ?? [])
    return { ...result, result: isMatch ? 'left-out' : missingResult(gate), ...finding }
  }
  const held = result.result === 'passed'
  const noise = finding ? { noise: noiseOf(finding, { metric, limit, earlier, above }) } : {}
  if (held) return { ...result, ...noise }
  const apart = new Big(value).minus(earlier).abs()
  if (isStepped(metric) && apart.lte(resolution)) {
    const reason = `The difference of ${quantity(apart.toNumber(), unit)} is within the report's resolution of ${resolution} ms.`
    return { ...result, result: 'passed', reason, ...noise }
  }
  if (finding && !finding.isBeyond(above)) {
    const run = slowRun(finding, Math.log(limit / earlier), above)
    if (run) return { ...result, ...run }
    return { ...result, result: 'passed', reason: 'It is beyond the limit, but within noise.', ...noise }
  }
  return { ...result, ...noise, ...(mayBeLoad ? { reason: `The load may explain it: ${mayBeLoad}` } : {}) }
}

/** All timers together are slower by more than the gate allows, and by more than noise. */
function slowRun(
  { run, isAssumed }: Finding,
  tolerance: number,
  above: boolean,
): Pick<GateResult, 'reason' | 'noise'> | undefined {
  const side = above ? 1 : -1
  if (!run || side * run.shift <= Math.max(side * tolerance, run.reach)) return undefined
  const percent = Math.abs(Math.round(Math.expm1(run.shift) * 100))
  return {
    reason: `The whole run is ${percent}% ${above ? 'above' : 'below'} its baseline, over ${run.timers} timers.`,
    noise: { percent: Math.expm1(run.deviation) * 100, run: true, ...(isAssumed ? { assumed: true } : {}) },
  }
}

function noiseOf(
  finding: Finding,
  { metric, limit, earlier, above }: { metric: string; limit: number; earlier: number; above: boolean },
): NonNullable<GateResult['noise']> {
  const furthest = above ? Math.max : Math.min
  const step = isStepped(metric) ? earlier + (above ? resolution : -resolution) : limit
  const { percent, isAssumed, samples } = finding
  const last = finding.reach(above)
  return {
    percent,
    ...(isAssumed ? { assumed: true as const } : {}),
    ...defined({ samples, failsBeyond: last === undefined ? undefined : furthest(limit, step, last) }),
  }
}

function rateOf(limit: Limit): RateUnit {
  const amounts = limit.from === 'zero' ? [limit.amount] : limit.amounts
  for (const { unit } of amounts) if (unit === '/s' || unit === '/min' || unit === '/h') return unit
  return '/s'
}

/** The subject as the gate wrote it, wildcards and all. */
export function subjectName(subject: Subject): string {
  if (subject.kind === 'agents') return placeName(subject)
  const name = subject.pattern ? { name: plainText(subject.pattern) } : {}
  if (subject.kind === 'timers') return placeName({ kind: 'timers', timers: subject.timers, ...name })
  return placeName({ kind: 'web-vitals', name: plainText(subject.pattern) })
}
