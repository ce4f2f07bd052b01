import type { AskedDocument } from '../report/report.js'
import { timerKinds, type Scorecard, type Timer, type TimerKind } from '../report/report.js'
import { resultAt, settingOf, withFewer, type Against, type FigureGate } from './figure-gates.js'
import { placesOf } from './gate-places.js'
import {
  measured,
  withoutStatus,
  type ReportFigures,
  nameOf,
  placeKey,
  timerWords,
  type Place,
} from '../figures/figures.js'
import type { Gate } from '../language/gate.js'
import { parseGates } from '../language/language.js'
import { metricRule } from '../figures/metrics.js'
import { falseShares } from '../noise/distributions.js'
import { Noise } from '../noise/noise.js'
import { placesJudged, type GateResult } from './result.js'

/**
 * A run may have this share of errors, and one with a baseline this many percentage points more than that: a burst of
 * 10 percent on one request is no regression, and one answer in five is.
 */
const tolerated = 13
/** A burst of errors hits this share of a request's answers, and in one of twenty, by chance, this many deviations more of them. */
const burst = { share: 0.1, deviations: 1.64 }
/** Chance alone hardly gets that far, so less is left to it than for limits of one's own. */
const shares = { ...falseShares, timers: 0.2 }

/** What looks at errors beside the rule. */
interface Lookers {
  gates: readonly Gate[]
  results: readonly GateResult[]
  scorecard?: Scorecard | undefined
  /** Of the report's XML. */
  errorsIn?: AskedDocument['errorsIn']
}

/**
 * Errors always count. With a baseline each request, and all transactions together, or all requests where the errors of
 * those are not known, are judged as gates that compare would judge them; without one, all requests and all transactions
 * have a fixed limit, or each where the errors of all are not known. Only what is too high gives a result.
 *
 * @returns those that no gate looks at, and whether there are far more errors than usual, whatever the gates say
 */
export function errorFindings(
  run: ReportFigures,
  against: Against,
  lookers: Lookers,
): { results: GateResult[]; isTooMany: boolean } {
  const gates = builtInGates(run, against)
  if (gates.length === 0) return { results: [], isTooMany: false }
  const judging =
    'missing' in against ? against : { ...against, noise: new Noise(run, against.baseline, shares) }
  const found = gates.map((gate) => ({ gate, failed: failuresOf(gate, run, judging) }))
  if (found.every(({ failed }) => failed.length === 0)) return { results: [], isTooMany: false }
  const isJudged = ({ result, value, limit, matches }: GateResult) =>
    result === 'passed' || matches !== undefined || (value !== undefined && limit !== undefined)
  const seen = seenBy(run, lookers, isJudged)
  // Without a baseline, a gate that was met says what is usual.
  const isMet = lookers.scorecard?.verdict === 'passed'
  const met = { ...lookers, scorecard: isMet ? lookers.scorecard : undefined }
  const usual = 'missing' in against ? seenBy(run, met, ({ result }) => result === 'passed') : undefined
  return {
    results: found.flatMap(({ gate, failed }) =>
      withFewer(gate, failed.filter((one) => !seen(one)).map(explained)),
    ),
    isTooMany: found.some(({ failed }) => failed.some((one) => !usual?.(one))),
  }
}

/** Above the limit, and of too many answers for a burst; what is not above it without a baseline is not with one. */
function isHigh(timer: Timer | undefined): boolean {
  const rate = timer && measured(timer, 'error-rate')
  if (timer === undefined || rate === undefined || rate < tolerated) return false
  const { count } = timer
  if (count === undefined) return true
  const { share, deviations } = burst
  return (rate / 100 - share) * count > deviations * Math.sqrt(share * (1 - share) * count)
}

function failuresOf(gate: FigureGate, run: ReportFigures, against: Against): GateResult[] {
  const places = placesOf(gate.check, run, 'missing' in against ? undefined : against.baseline)
  if ('missing' in places) return []
  const high = places.filter((place) => isHigh(run.timerAt(place)))
  const setting = settingOf(gate, run, against)
  return high.map((place) => resultAt(gate, place, setting)).filter(({ result }) => result === 'failed')
}

/** Transactions and requests; a report with neither has other timers. */
function builtInGates(run: ReportFigures, against: Against): FigureGate[] {
  const used = timerKinds.filter((kind) =>
    [...run.timers(kind).values(), run.timer(kind, undefined)].some((timer) => timer?.count),
  )
  const main = used.filter((kind) => kind === 'transactions' || kind === 'requests')
  const isKnownOf = (kind: TimerKind) => {
    const all = run.timer(kind, undefined)
    return all !== undefined && measured(all, 'error-rate') !== undefined
  }
  const [together] = main.filter(isKnownOf)
  return (main.length > 0 ? main : used).flatMap((kind) => {
    const { single, summary } = timerWords[kind]
    const isCompared = !('missing' in against)
    const all = run.timer(kind, undefined)
    const isEach = (isCompared && kind === 'requests') || !isKnownOf(kind)
    // Many names with few answers each are only judged together.
    const isTogether = !isEach || kind === together
    // All statuses of a request together cannot fail more often than each of them.
    const subjects = [
      ...(isTogether && isHigh(all) ? [summary] : []),
      ...(isEach && [...run.timers(kind).values()].some(isHigh) ? [`${single} "*"`] : []),
    ]
    const limit = isCompared ? `baseline + ${tolerated} pp` : `${tolerated}%`
    return subjects.flatMap((subject) => {
      const [gate] = parseGates(`${subject} error-rate < ${limit}`).gates
      return gate?.check.kind === 'figure' ? [{ ...gate, line: 0, check: gate.check }] : []
    })
  })
}

function explained(result: GateResult): GateResult {
  const subject = result.gate.replace(/ error-rate .*/, '')
  const how = `The limit is built in, because no gate looks at these errors. A gate of your own replaces it, such as: ${subject} error-rate <= 20%`
  return { ...result, builtIn: true, reason: result.reason === undefined ? how : `${result.reason} ${how}` }
}

/**
 * Says of a place whether a gate or the scorecard looks at its errors; a summary row covers all of its kind.
 *
 * @param counts whether a result of a gate makes it one that looks
 */
function seenBy(
  run: ReportFigures,
  { gates, results, scorecard, errorsIn }: Lookers,
  counts: (result: GateResult) => boolean,
): (result: GateResult) => boolean {
  const places = results.flatMap((one) =>
    metricRule(one.metric ?? '')?.about === 'errors' && counts(one) ? placesJudged(one) : [],
  )
  const isAsked = gates.length === 0 || gates.some(({ check }) => check.kind === 'scorecard')
  const kinds = new Set<Place['kind']>(isAsked ? scorecard?.errorsOf : [])
  for (const { check, text } of gates) {
    // One that could not be evaluated has seen nothing.
    if (check.kind !== 'xpath' || !results.some((one) => one.gate === text && counts(one))) continue
    for (const kind of errorsIn?.(check.expression) ?? []) kinds.add(kind)
  }
  for (const place of places) if (nameOf(place) === undefined) kinds.add(place.kind)
  const seen = new Set(places.map(placeKey))
  const open = timerKinds.flatMap((kind) => {
    const keysOf = (name: string) =>
      [
        { kind, name },
        { kind, name: withoutStatus(name), anyStatus: true as const },
      ].map(placeKey)
    const keys = [...run.timers(kind).keys()].map(keysOf).filter((all) => !all.some((key) => seen.has(key)))
    return keys.length > 0 || run.timers(kind).size === 0 ? [kind, ...keys.flat()] : []
  })
  const unseen = new Set(open)
  return ({ place }) => place !== undefined && (kinds.has(place.kind) || !unseen.has(placeKey(place)))
}
