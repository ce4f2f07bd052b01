import Big from 'big.js'
import type { Unfit } from '../noise/baseline.js'
import { isTimerPlace, type ReportFigures, placeName, type Place } from '../figures/figures.js'
import { costOf, missingResult, outcomeOf, written, type GateResult } from './result.js'
import { type FigureCheck, type Gate, holds, holdsRate, limitOf } from '../language/gate.js'
import { differenceOf, quantity } from '../figures/numbers.js'
import type { Finding, Noise } from '../noise/noise.js'
import { loadAt, wholeLoad } from './comparable.js'
import { resolutionOf, ruleOf, unitOf, type RateUnit } from '../figures/metrics.js'
import { isAboutFailures, isWild, placesOf, wholeSubject } from './gate-places.js'
import { defined, groupsBy } from '../text/fields.js'

export interface FigureGate extends Gate {
  check: FigureCheck
}

/** What gates that compare are judged against, or why there is nothing. */
export interface Against {
  noise?: Noise | undefined
  missing: string
  /** Later runs are compared with this one. */
  isOwn?: boolean
}

/**
 * The results of a gate, one for each place that it is about.
 *
 * @param isFailureEnough the first that fails is the last one, but of errors: what no gate looks at is judged as well
 */
export function judgeFigures(
  gate: FigureGate,
  run: ReportFigures,
  against: Against,
  isFailureEnough = false,
): GateResult[] {
  const { check } = gate
  const rate = rateOf(check.limit)
  const places = placesOf(check, run, against.noise?.baseline)
  const { subject: of, metric } = check
  const about = aboutAll(gate)
  const missing = (reason: string, why: Pick<GateResult, 'unfit' | 'hint'> = {}): GateResult[] => [
    { ...about, result: missingResult(gate), reason, ...why },
  ]
  const lack = run.lack(of.kind, metric)
  if ('missing' in places) {
    const { missing: reason, ...hinted } = places
    return missing([reason, hinted.hint, lack].filter(Boolean).join(' '), hinted)
  }
  if (lack !== undefined && !places.some((place) => 'value' in run.figure(place, metric, rate)))
    return missing(lack)
  const setting = settingOf(gate, run, against)
  const results: GateResult[] = []
  for (const place of places) {
    const one = resultAt(gate, place, setting)
    results.push(one)
    if (isFailureEnough && one.result === 'failed' && ruleOf(metric).about !== 'errors') break
  }
  const [first] = results
  if (!first || results.some(({ result, unfit }) => result !== 'left-out' || unfit === 'new')) return results
  const { subject, reason = '', unfit } = first
  return missing(
    results.length === 1
      ? reason
      : `None of the ${results.length} matches can be compared. ${subject}: ${reason}`,
    defined({ unfit }),
  )
}

/** A gate that has one result for all that it is about. */
export function aboutAll(gate: FigureGate) {
  const { subject, metric, operator, limit } = gate.check
  const unit = unitOf(metric, rateOf(limit))
  return { ...written(gate), ...wholeSubject(subject), metric, unit, operator }
}

/** Of more matches with one outcome no page shows the figures. */
const mostListed = 1000

/** The results of a gate, of which many that are alike are one: but for the costliest, where something is to be said. */
export function withFewer(gate: FigureGate, results: readonly GateResult[]): GateResult[] {
  const measured = results.filter(({ value, limit }) => value !== undefined && limit !== undefined)
  const keyOf = ({ result, unfit, reason }: GateResult) => `${result} ${unfit} ${reason === undefined}`
  const alike = [...groupsBy(measured, keyOf).values()]
  const many = alike.flatMap((all) => (all.length > mostListed ? [unlisted(all)] : []))
  const left = new Set(many.flat())
  return [...results.filter((one) => !left.has(one)), ...many.flatMap((all) => together(gate, all))]
}

function unlisted(alike: GateResult[]): GateResult[] {
  const isQuiet = alike.some(({ result, reason }) => result === 'passed' && reason === undefined)
  return isQuiet ? alike : alike.toSorted((a, b) => costOf(b) - costOf(a)).slice(mostListed)
}

function together(gate: FigureGate, alike: readonly GateResult[]): GateResult[] {
  const [first] = alike
  if (!first) return []
  const { builtIn, unfit, reason, result } = first
  const limit = gate.check.limit.from === 'zero' ? first.limit : undefined
  const said = alike.every((one) => one.reason === reason) ? reason : `Such as: ${reason}`
  const matches = alike.flatMap(({ place }) => place ?? [])
  return [{ ...aboutAll(gate), result, matches, ...defined({ builtIn, unfit, limit, reason: said }) }]
}

/** What a gate is judged by: with the unit of throughputs, and how the load of the run as a whole differs. */
export function settingOf({ check }: FigureGate, run: ReportFigures, against: Against) {
  const { noise } = against
  return { run, rate: rateOf(check.limit), against, whole: noise && wholeLoad(run, noise.baseline) }
}

export function resultAt(gate: FigureGate, place: Place, setting: ReturnType<typeof settingOf>): GateResult {
  const { run, rate, against } = setting
  const { metric, operator, limit: asked } = gate.check
  const figure = run.figure(place, metric, rate)
  const earlier = earlierAt(gate.check, place, setting)
  const limit = limitOf(asked, earlier)
  const about = {
    ...{ ...written(gate), subject: placeName(place), place },
    ...{ metric, unit: unitOf(metric, rate), operator },
    ...defined({
      isMatch: isWild(gate.check.subject) || undefined,
      limit: limit?.toNumber(),
      baseline: earlier,
    }),
  }
  if ('missing' in figure)
    return { ...about, result: missingResult(gate), ...whyMissing(figure.missing, about, { place, setting }) }
  const { value } = figure
  const difference = earlier === undefined || about.isMatch ? {} : differenceOf(value, earlier)
  const measured = { ...about, value, ...difference }
  if (!limit) {
    if (!against.noise) return { ...measured, result: missingResult(gate), reason: against.missing }
    const reason = `The baseline has no ${metric} of ${placeName(place)}.`
    // Otherwise no run of the branch would ever be the first that has it.
    if (against.isOwn) return { ...measured, result: 'left-out', unfit: 'new', reason }
    return { ...measured, result: missingResult(gate), unfit: 'new', reason }
  }
  // An error rate with a fixed limit is compared as a fraction, everything else as decimals.
  const isHeld =
    figure.fraction && asked.from === 'zero'
      ? holdsRate(figure.fraction, operator, limit)
      : holds(value, operator, limit)
  const result = outcomeOf(gate, isHeld)
  const { noise } = against
  if (asked.from === 'zero' || !noise || earlier === undefined) return { ...measured, result }
  const resolution = resolutionOf(metric, [run, ...noise.baseline.runs])
  const comparing = { ...setting, gate, place, noise, limit: limit.toNumber(), earlier, resolution }
  return compared({ ...measured, result }, comparing)
}

/** The baseline's figure; what no run of it had has failed in none of them. */
function earlierAt(check: FigureCheck, place: Place, { run, rate, against }: ReturnType<typeof settingOf>) {
  const baseline = against.noise?.baseline
  const isComparing = check.limit.from === 'baseline' && !check.strict
  const seconds = isComparing ? run.report.general.duration : undefined
  const known = baseline?.figure(place, check.metric, rate, seconds)?.median
  return known ?? (isAboutFailures(check) && baseline?.has(place) === false ? 0 : undefined)
}

/** Of a match, also whether earlier runs have measured it, and this one did not call it. */
function whyMissing(
  reason: string,
  { isMatch, baseline }: Pick<GateResult, 'isMatch' | 'baseline'>,
  { place, setting: { run, against } }: { place: Place; setting: ReturnType<typeof settingOf> },
): Pick<GateResult, 'reason' | 'unfit'> {
  const isGone = isMatch && baseline !== undefined && !run.timerAt(place)?.count
  const isKnown = against.noise && (!isTimerPlace(place) || against.noise.baseline.has(place))
  return isGone && isKnown ? { unfit: 'gone', reason: `${reason} Earlier runs have it.` } : { reason }
}

interface Comparing extends ReturnType<typeof settingOf> {
  gate: FigureGate
  place: Place
  noise: Noise
  limit: number
  /** The baseline's figure. */
  earlier: number
  /** What is no difference. */
  resolution: number
}

/** The result as load and noise leave it. */
function compared(result: GateResult & { value: number }, comparing: Comparing): GateResult {
  const { gate, place, run, noise, limit, earlier } = comparing
  const { metric, operator, strict } = gate.check
  if (strict) return result
  const load =
    ruleOf(metric).about === 'load' ? undefined : loadAt(place, run, noise.baseline, comparing.whole)
  // What is too slow under less load would be even slower under more; what is fast enough under more load would be so
  // under less.
  // Too many errors are too many under any load.
  const isFailure = result.result !== 'passed' && ruleOf(metric).about === 'errors'
  if (load?.isOther && load.less === (result.result === 'passed') && !isFailure) {
    const reason = `The comparison is not valid: ${load.sentence}`
    return { ...result, result: missingResult(gate), reason }
  }
  // If the baseline itself would not meet the limit, noise excuses nothing.
  return !holds(earlier, operator, limit) ? result : noisy(result, comparing, load)
}

/** The result as noise leaves it: a value beyond the limit passes if noise alone could have moved it there. */
function noisy(
  result: Parameters<typeof compared>[0],
  comparing: Comparing,
  load: ReturnType<typeof loadAt>,
): GateResult {
  const { gate, place, rate, earlier } = comparing
  const { metric, operator } = gate.check
  const above = operator === '=' ? result.value > earlier : operator.startsWith('<')
  const finding = comparing.noise.find(place, metric, rate)
  if (finding && 'unfit' in finding) return unfit(result, gate, finding)
  const noise = finding && { noise: noiseOf(finding, comparing, above) }
  const excuse = result.result === 'passed' ? {} : excuseFor(result, finding, comparing, above)
  const isHeld = (excuse?.result ?? result.result) === 'passed'
  // A baseline of runs that differ this much may be far above what is usual, and its limit with it.
  if (finding?.unsure && isHeld && finding.isBeyond(above)) return unfit(result, gate, finding.unsure)
  if (excuse) return { ...result, ...excuse, ...(excuse.noise ? {} : noise) }
  return { ...result, ...noise, ...(above ? mayBeLoad(load) : {}) }
}

function mayBeLoad(load: ReturnType<typeof loadAt>): Pick<GateResult, 'reason'> {
  return load && !load.less ? { reason: `The load may explain it: ${load.sentence}` } : {}
}

/** The result of a figure that cannot be compared; one among the matches of a wildcard is left out. */
function unfit(result: GateResult, gate: FigureGate, why: Unfit): GateResult {
  return { ...result, result: result.isMatch ? 'left-out' : missingResult(gate), ...why }
}

/** Why a value beyond its limit passes, or fails with the whole run; undefined if it fails alone. */
function excuseFor(
  { value, unit }: Parameters<typeof compared>[0],
  finding: Finding | undefined,
  { limit, earlier, resolution }: Comparing,
  above: boolean,
): Partial<Pick<GateResult, 'result' | 'reason' | 'noise'>> | undefined {
  const apart = new Big(value).minus(earlier).abs()
  if (resolution > 0 && apart.lte(resolution)) {
    const reason = `The difference of ${quantity(apart.toNumber(), unit)} is within the report's resolution of ${resolution} ms.`
    return { result: 'passed', reason }
  }
  if (!finding || finding.isBeyond(above)) return undefined
  return (
    slowRun(finding, Math.log(limit / earlier), above) ?? {
      result: 'passed',
      reason: finding.isAssumed
        ? 'It is beyond the limit, but fewer than three earlier runs cannot tell whether that is chance.'
        : 'It is beyond the limit, but within noise.',
    }
  )
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
    reason: `The whole run is ${percent}% ${above ? 'above' : 'below'} its baseline, over ${run.timers} timers${run.shown < run.timers ? `, of which ${run.shown} show it` : ''}.`,
    noise: { percent: Math.expm1(run.deviation) * 100, run: true, ...(isAssumed ? { assumed: true } : {}) },
  }
}

function noiseOf(finding: Finding, { limit, earlier, resolution }: Comparing, above: boolean) {
  const furthest = above ? Math.max : Math.min
  const step = earlier + (above ? resolution : -resolution)
  const { percent, isAssumed, samples } = finding
  const last = finding.reach(above)
  return {
    percent,
    ...(isAssumed ? { assumed: true as const } : {}),
    ...defined({ samples, failsBeyond: last === undefined ? undefined : furthest(limit, step, last) }),
  }
}

function rateOf(limit: FigureCheck['limit']): RateUnit {
  const amounts = limit.from === 'zero' ? [limit.amount] : limit.amounts
  for (const { unit } of amounts) if (unit === '/s' || unit === '/min' || unit === '/h') return unit
  return '/s'
}
