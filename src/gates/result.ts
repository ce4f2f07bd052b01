import type { Unfit } from '../noise/baseline.js'
import { type Place, placeKey } from '../figures/figures.js'
import { defined, groupsBy } from '../text/fields.js'
import { plainNumber, quantity, valueAndLimit } from '../figures/numbers.js'
import { compares, type Gate, type Operator } from '../language/gate.js'
import type { Unit } from '../figures/metrics.js'
import { oneLine } from '../text/foreign-text.js'
import { plural } from '../text/plural.js'
import { reasonsAbout, type Reason } from '../text/reason.js'
import type { Scorecard } from '../report/report.js'

/** The result of one gate for one subject. A gate whose name has `*` or `?` gives one result for each match. */
export interface GateResult {
  /** The gate as it was written, comments and surrounding blanks removed. */
  gate: string
  /** Its name, where a file with gates gives one. */
  name?: string
  /** Where it was written: the file with gates, or absent for the input `gates`; lines count from 1. */
  file?: string
  line: number
  /** Nobody wrote it: it holds where no gate looks at errors. Its line is 0. */
  builtIn?: true
  /** What was judged, for people, who need no more of a long name: `request "Login"`, `requests`, `scorecard`. */
  subject: string
  /** What the figure is of; absent for scorecard and xpath, and for all that wildcards may match. */
  place?: Place
  /** The place is one of those that wildcards match. */
  isMatch?: true
  /** It is about all of these, where very many matches have one result: the report has their figures. */
  matches?: readonly Place[]
  /** The metric's word of the gate language, absent for scorecard and xpath. */
  metric?: string
  unit: Unit
  /** Absent for `scorecard passes`. */
  operator?: Operator
  /** The run's figure, if it was measured; a scorecard and a result about many have none. */
  value?: number
  /** The limit that it was compared with, with a baseline's amounts already added. */
  limit?: number
  baseline?: number
  /** value - baseline. Absent for a match of wildcards, of which there may be many. */
  difference?: number
  /** Percent; absent if the baseline is 0 and the value is not. */
  relativeDifference?: number
  result: GateOutcome
  /** A sentence: why it is not measured, or why a difference above the limit was excused. */
  reason?: string
  /** A part of the reason, if its name is unknown: which one may be meant. `Did you mean "Login"?` */
  hint?: string
  /** Why the figure cannot be compared, where samples, the load generator or the earlier runs do not allow it. */
  unfit?: Unfit['unfit']
  /** The noise from one run to the next, as docs/internals/noise.md describes it, for a gate that compares. */
  noise?: {
    /** Standard deviation, in percent. */
    percent: number
    /** Fewer than three earlier runs show no noise: it is assumed. */
    assumed?: true
    /** It is that of the whole run, whose timers together decided. */
    run?: true
    /** Samples of the run, where known. */
    samples?: number
    /** The gate fails beyond this value only, in the result's unit. Absent if no value does. */
    failsBeyond?: number
  }
  /** What a second run showed, if the gate failed in the first. It fails only if it failed in both. */
  again?: Pick<GateResult, 'result' | 'value' | 'limit'>
}

/** The same for the results of one gate only; nothing to read. Two gates may stand in one line of a file. */
export function gateKey({ file, line, gate }: Pick<GateResult, 'gate' | 'file' | 'line'>): string {
  return JSON.stringify([file, line, gate])
}

/**
 * `left-out`: a match of a wildcard that cannot be compared, while others can; or, in a run that later ones are compared
 * with, what the baseline has no figure of. `not-compared`: the gate compares, and in a first run there is nothing to
 * compare with; it counts as passed.
 */
export const gateOutcomes = [
  'failed',
  'not-measured',
  'warned',
  'left-out',
  'not-compared',
  'passed',
] as const
export type GateOutcome = (typeof gateOutcomes)[number]

export type GatesVerdict = ReturnType<typeof verdictOf>['verdict']

/** Whether a second run can change the verdict: gates have failed, all of them compare, and all else was measured. */
export function mayBeNoise(results: readonly GateResult[], gates: readonly Gate[]): boolean {
  const comparing = new Set(gates.filter(compares).map((gate) => gateKey(written(gate))))
  const isComparing = (result: GateResult) =>
    result.builtIn
      ? result.baseline !== undefined || (result.matches && result.limit === undefined)
      : comparing.has(gateKey(result))
  const failed = results.filter(({ result }) => result === 'failed')
  return (
    failed.length > 0 && failed.every(isComparing) && !results.some(({ result }) => result === 'not-measured')
  )
}

/**
 * The results of the first run: a gate that failed there fails only if the second run does not show that it passed.
 * And a note for each gate that failed in one of the two only.
 *
 * @param runs the numbers of the two runs
 */
export function judgedTwice(
  first: readonly GateResult[],
  second: readonly GateResult[],
  runs: { first: number; second: number },
): { results: GateResult[]; notes: string[] } {
  const failedIn = (results: readonly GateResult[]) => results.filter(({ result }) => result === 'failed')
  const before = new Set(failedIn(first).flatMap(keysOf))
  const after = new Map(second.flatMap((one) => keysOf(one).map((key) => [key, one])))
  const results = first.flatMap((one) =>
    one.result === 'failed'
      ? partsOf(one, (key) => after.get(key)).map(({ part, other }) =>
          lookedAtAgain(part, other, runs.second),
        )
      : one,
  )
  const unconfirmed = results.filter(({ again, result }) => again && result === 'passed')
  const late = failedIn(second)
    .flatMap((one) => partsOf(one, (key) => (before.has(key) ? one : undefined)))
    .flatMap(({ part, other }) => (other ? [] : part))
  return {
    results,
    notes: [
      ...eachOr(unconfirmed, (name, one) => {
        const again = one ? valueOf({ ...one, value: one.again?.value }) : ''
        return `Not confirmed: ${name} failed in load test ${runs.first}${one ? valueOf(one) : ''}, but passed in load test ${runs.second}${again}.`
      }),
      ...eachOr(
        late,
        (name, one) =>
          `${name} failed in load test ${runs.second} only${one ? valueOf(one) : ''}; that does not change the verdict.`,
      ),
    ],
  }
}

/** A sentence about each, or of more than a few, which a table lists, one about all. */
function eachOr(results: readonly GateResult[], say: (name: string, one?: GateResult) => string): string[] {
  return results.length > 3
    ? [say(`${resultCount(results)} gates`)]
    : results.map((one) => say(nameOf(one), one))
}

/** A result about many falls apart by what the other run has of each. */
function partsOf(result: GateResult, otherOf: (key: string) => GateResult | undefined) {
  const { matches } = result
  if (!matches) return keysOf(result).map((key) => ({ part: result, other: otherOf(key) }))
  const parts = groupsBy(matches, (place) => otherOf(keyAt(result, place))?.result)
  return Array.from(parts, ([outcome, all]) => ({
    part: { ...result, matches: all },
    other: outcome && { ...result, result: outcome },
  }))
}

function lookedAtAgain(failed: GateResult, again: GateResult | undefined, run: number): GateResult {
  // What is built in gives no result where it is met.
  const { result, value, limit } = again ?? { result: failed.builtIn ? 'passed' : 'not-measured' }
  const isOpen = result === 'not-measured' || result === 'left-out' || result === 'not-compared'
  const said = isOpen
    ? 'did not measure it'
    : `${result === 'failed' ? 'confirms' : 'does not confirm'} it${valueOf(again)}`
  return {
    ...failed,
    again: { result, ...defined({ value, limit }) },
    ...(isOpen ? {} : { result }),
    reason: `${failed.reason === undefined ? '' : `${failed.reason} `}Load test ${run} ${said}.`,
  }
}

/** One gate or, for a wildcard, one of its matches; of a result about many, each. */
function keysOf(result: GateResult): string[] {
  const { place, matches = [place] } = result
  return matches.map((one) => keyAt(result, one))
}

function keyAt(result: GateResult, place: Place | undefined): string {
  return JSON.stringify([gateKey(result), place && placeKey(place)])
}

export function placesJudged({ place, matches = [] }: Pick<GateResult, 'place' | 'matches'>) {
  return place ? [place] : matches
}

/** What users feel: how far the figure is from its baseline, or else its limit, as often as it was measured. */
export function costOf({ value, limit, baseline = limit, noise }: GateResult): number {
  if (value === undefined || baseline === undefined) return 0
  return Math.abs(value - baseline) * (noise?.samples ?? 1)
}

/** How many results these are, each match of a wildcard being one. */
export function resultCount(results: readonly GateResult[]): number {
  return results.reduce((sum, { matches }) => sum + (matches?.length ?? 1), 0)
}

function nameOf({ subject, metric, matches }: Pick<GateResult, 'subject' | 'metric' | 'matches'>): string {
  const many = matches ? `${plainNumber(matches.length)} of the matches of ` : ''
  return `${many}${metric === undefined ? subject : `${subject} ${metric}`}`
}

/** `, with 432 ms`; nothing without a value. */
function valueOf(one: { value?: number | undefined; unit: Unit } | undefined): string {
  return one?.value === undefined ? '' : `, with ${quantity(one.value, one.unit)}`
}

/** How many gates the reasons name before they only count them. */
const maxNamed = 20

/**
 * Failed if one failed; else invalid if one is not measured; else passed. A gate that only warned changes nothing. The
 * reasons have failed gates first, and are empty if all gates passed.
 */
export function verdictOf(results: readonly GateResult[]) {
  const failed = results.filter(({ result }) => result === 'failed')
  const unmeasured = results.filter(({ result }) => result === 'not-measured')
  const isOpen = unmeasured.length > 0
  return {
    verdict: failed.length > 0 ? ('failed' as const) : isOpen ? ('invalid' as const) : ('passed' as const),
    reasons: [...reasonsOf(failed, 'failed as well'), ...reasonsOf(unmeasured, 'could not be judged')],
  }
}

function reasonsOf(results: readonly GateResult[], what: string): Reason[] {
  const named = results.slice(0, maxNamed).map((one): Reason => {
    const { file, line } = one
    return { about: 'gate', text: resultSentence(one), ...defined({ file }), line }
  })
  const rest = resultCount(results.slice(maxNamed))
  const counted = `${rest} more ${rest === 1 ? 'gate' : 'gates'} ${what}.`
  return rest > 0 ? [...named, ...reasonsAbout('gate', counted)] : named
}

/** Whether only the gates decided the verdict: nothing else is wrong. */
export function isByGates({ verdict, reasons }: { verdict: string; reasons: readonly Reason[] }): boolean {
  return (verdict === 'passed' || verdict === 'failed') && areOfGates(reasons)
}

/** Results that are missing are told as a reason, too, and change nothing. */
export function areOfGates(reasons: readonly Reason[]): boolean {
  return reasons.every(({ about }) => about === 'gate' || about === 'results')
}

/** What may be so on purpose: it failed, or a name is gone or new. */
export function mayBeAccepted({ result, unfit }: GateResult): boolean {
  return result === 'failed' || (result === 'not-measured' && (unfit === 'gone' || unfit === 'new'))
}

/** Its figure was measured, and only what it compares with is missing or unfit. */
export function isUncompared({ result, value, matches }: GateResult): boolean {
  return result === 'not-measured' && (value !== undefined || matches !== undefined)
}

/** `request "Login" p95 is 550 ms; it must be at most 500 ms.` */
export function resultSentence(result: GateResult): string {
  const what = nameOf(result)
  const name = result.name === undefined ? '' : `${oneLine(result.name, 80)}: `
  const { value, limit, operator, reason, unit } = result
  if (value === undefined || limit === undefined || operator === undefined)
    return `${name}${reason ?? `${what} failed.`}`
  const shown = valueAndLimit(value, limit, unit)
  const sentence = `${name}${what} is ${shown.value}; it must be ${bounds[operator]}${shown.limit}.`
  return reason ? `${sentence} ${reason}` : sentence
}

const bounds: Record<Operator, string> = {
  '<=': 'at most ',
  '<': 'below ',
  '>=': 'at least ',
  '>': 'above ',
  '=': '',
}

/** `2 of 30 runs would have failed, and 1 could not have been judged`, of runs with these verdicts. */
export function whatBecameOf(verdicts: readonly GatesVerdict[]): string {
  const count = (wanted: GatesVerdict) => verdicts.filter((verdict) => verdict === wanted).length
  const open = count('invalid')
  const failed = `${count('failed')} of ${plural(verdicts.length, 'run')} would have failed`
  return open === 0 ? failed : `${failed}, and ${open} could not have been judged`
}

/** What is said about a scorecard that did not pass. */
export function scorecardSentence(scorecard: Scorecard): string {
  if (scorecard.verdict === 'error') {
    const error = oneLine(scorecard.error ?? '', 300)
    return `The scorecard could not be evaluated${error ? `: ${error.replace(/\.$/, '')}` : ''}.`
  }
  const failed = scorecard.rules
    .filter((rule) => rule.failedTest)
    .map(({ name, message = name }) => (message === name ? name : `${name} (${message})`))
  // A rule may be in several groups.
  const rules = [...new Set(failed)]
  const named = rules.slice(0, 3).map((rule) => oneLine(rule, 120))
  const rest = rules.length - named.length
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  return list ? `The scorecard failed: ${list}.` : 'The scorecard failed.'
}

/** What a result says about its gate. */
export function written(gate: Gate): Pick<GateResult, 'gate' | 'name' | 'file' | 'line'> {
  const { text, name, file, line } = gate
  return { gate: text, ...defined({ name, file }), line }
}

/** A gate that warns is passed or warned, never failed or not measured, so it cannot change a verdict. */
export function outcomeOf(gate: Gate, held: boolean): GateResult['result'] {
  return held ? 'passed' : gate.warn ? 'warned' : 'failed'
}

export function missingResult(gate: Gate): GateResult['result'] {
  return gate.warn ? 'warned' : 'not-measured'
}
