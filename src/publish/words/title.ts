import { isTimerPlace, type Place } from '../../figures/figures.js'
import { metricRule, unitOf, type Unit } from '../../figures/metrics.js'
import { plainNumber, quantity, valueAndLimit } from '../../figures/numbers.js'
import { compareFigure, type Comparison } from '../../comparison/comparison.js'
import { gateKey, mayBeAccepted, resultCount, type GateResult } from '../../gates/result.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import type { TimerKind } from '../../report/report.js'
import { oneLine } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { fromTo, metricTitle, nowText, operatorText, partOf, shareText, wholePercent } from './figure-text.js'
import { byGate, gatesThat } from './verdict-words.js'
import { kindNames, kindsInOrder, mainMetric, summaryRow, timerRows, type TimerRow } from './timer-rows.js'

/* What happened, and how much, as the title of a load test that was judged. */

/** `requests 42% slower (p95 330 → 470 ms), seen in 3 of 12 requests`: what failed worst, of errors first. */
export function failureTitle(outcome: LoadTestOutcome): string {
  const worst = worstFailure(outcome)
  if (!worst) return nameTitle(outcome)
  const failed = gatesThat(outcome.gates, 'failed')
  const twice = failed.every(({ again }) => again?.result === 'failed') ? ' in both runs' : ''
  const slower = slowerInTitle(outcome)
  const others = resultCount(failed.filter((gate) => gateKey(gate) === gateKey(worst))) - 1
  const more =
    slower !== undefined ? `, seen in ${slower}` : others > 0 ? `, and ${plainNumber(others)} more` : ''
  return `${whatFailed(worst, outcome).join('')}${twice}${more}`
}

/** `requests 42% slower, accepted by octocat (p95 330 → 470 ms)`: if it is cut, then after what matters. */
export function acceptedTitle(outcome: LoadTestOutcome): string {
  const worst = worstFailure(outcome)
  const [what, figures] = worst ? whatFailed(worst, outcome) : [nameTitle(outcome), '']
  const by = outcome.acceptance ? ` by ${oneLine(outcome.acceptance.by, 40)}` : ''
  return `${what}, accepted${by}${figures}`
}

/** `request "Login" and 2 more are missing`, where no gate failed. */
function nameTitle({ gates, scorecard }: LoadTestOutcome): string {
  const names = gatesThat(gates, 'not-measured').filter(mayBeAccepted)
  const [name, ...more] = new Set(names.map(({ subject }) => subject))
  if (name === undefined)
    return scorecard?.verdict === 'failed' ? 'the rules of its test suite failed' : 'failed'
  const what = new Set(names.map(({ unfit }) => (unfit === 'new' ? 'new' : 'missing')))
  return `${oneLine(name, 60)}${more.length === 0 ? ' is' : ` and ${more.length} more are`} ${[...what].join(' or ')}`
}

export function worstFailure({ gates }: Pick<LoadTestOutcome, 'gates'>): GateResult | undefined {
  // Of one gate, the costliest is what its table begins with.
  const failed = byGate(gatesThat(gates, 'failed')).flatMap((results) => results.slice(0, 1))
  return failed.toSorted((a, b) => rank(a) - rank(b) || excess(b) - excess(a))[0]
}

/** What is about all timers of a kind says more than what is about one of them, or some. */
function rank({ metric = '', place, matches }: GateResult): number {
  const about = ['errors', 'speed'].indexOf(metricRule(metric)?.about ?? '')
  const isSome = matches !== undefined || (place && isTimerPlace(place) && place.name !== undefined)
  return (about < 0 ? 2 : about) * 2 + (isSome ? 1 : 0)
}

function excess({ value = 0, limit = 0 }: GateResult): number {
  return Math.abs(value - limit) / Math.max(Math.abs(limit), 1e-9)
}

/** What happened and, in parentheses, its figures: a name may stand between them. */
type Titled = [what: string, figures: string]

function whatFailed(gate: GateResult, outcome: LoadTestOutcome): Titled {
  const { place, metric, value } = gate
  if (!place || metric === undefined || value === undefined)
    return [`the gate ${oneLine(gate.name ?? gate.gate, 60)} failed`, '']
  const kind = kindsInOrder.find((one) => one === place.kind)
  const name = isTimerPlace(place) && place.name !== undefined ? oneLine(place.name, 50) : undefined
  const all = kind ? `${kindNames[kind]}s` : gate.subject
  if (metric === 'error-rate' && kind) return errorsOf(gate, rowOf(outcome, kind, place), { all, name })
  return compareText(gate, name ?? all) ?? limitText(gate, name ?? all)
}

/** `3 of 12 requests`: how many got slower, if the title of a failed run is about all timers of a kind. */
export function slowerInTitle(outcome: LoadTestOutcome): string | undefined {
  const { place, metric = '', value = 0, baseline = value, unit = 'number' } = worstFailure(outcome) ?? {}
  if (!place || !isTimerPlace(place) || place.name !== undefined) return undefined
  if (value <= baseline || !isTime(metric, unit)) return undefined
  const rows = timerRows(outcome, place.kind).filter(({ presence }) => presence === 'both')
  const slower = rows.filter(({ changes }) => changes[metric] === 'worse').length
  if (slower === 0 || rows.length < 2) return undefined
  return partOf(slower, rows.length, kindNames[place.kind])
}

function rowOf(outcome: LoadTestOutcome, kind: TimerKind, place: Place): TimerRow | undefined {
  const name = isTimerPlace(place) ? place.name : undefined
  return name === undefined
    ? summaryRow(outcome, kind)
    : timerRows(outcome, kind).find((one) => one.name === name)
}

/** `12% of requests failed (0.1% before)`; of few errors, `3 of 48,000 requests failed`. */
function errorsOf(
  { value = 0, baseline }: GateResult,
  row: TimerRow | undefined,
  { all, name }: { all: string; name: string | undefined },
): Titled {
  const count = row?.value('count')
  const part = shareText(value, count)
  const before = baseline ?? row?.figure('error-rate').baseline
  const earlier = before === undefined ? '' : ` (${shareText(before, row?.figure('count').baseline)} before)`
  const ofAll = part.endsWith('%') || count === undefined ? all : `${plainNumber(count)} ${all}`
  return [`${part} of ${name ?? ofAll} failed`, earlier]
}

/** `Login 42% slower (p95 330 → 470 ms)`; undefined unless it got worse by as much as can be written. */
function compareText({ metric = '', value, baseline, unit }: GateResult, of: string): Titled | undefined {
  const compared = compareFigure(value, baseline)
  const { relativeDifference: change = 0 } = compared
  const rule = metricRule(metric)
  if (Math.abs(change) < 0.05 || change > 0 === rule?.higherIsBetter) return undefined
  const [size, word] = [wholePercent(Math.abs(change)), change > 0 ? 'higher' : 'lower']
  return isTime(metric, unit)
    ? [`${of} ${size} slower`, ` (${metricTitle(metric)} ${fromTo(compared, unit)})`]
    : [`${metricTitle(metric)} of ${of} ${size} ${word}`, ` (${fromTo(compared, unit)})`]
}

/** `requests too slow (p95 470 ms, limit ≤ 383 ms)` */
function limitText({ metric = '', value, limit, operator, unit }: GateResult, of: string): Titled {
  const shown = valueAndLimit(value, limit, unit)
  const figures = `${metricTitle(metric)} ${shown.value}${limit === undefined ? '' : `, limit ${operatorText(operator)}${shown.limit}`}`
  return isTime(metric, unit) ? [`${of} too slow`, ` (${figures})`] : [`${of}: ${figures}`, '']
}

function isTime(metric: string, unit: Unit): boolean {
  return metricRule(metric)?.about === 'speed' && unit === 'ms'
}

/** `as fast as in 5 runs of main (requests p95 328 → 330 ms)`: it claims no more than was compared. */
export function passedTitle(outcome: LoadTestOutcome): string {
  const warned = resultCount(gatesThat(outcome.gates, 'warned'))
  const [what, figures = keyText(outcome)] = howFast(outcome)
  return `${what}${figures}${warned === 0 ? '' : `, ${plural(warned, 'warning')}`}`
}

/** Not of gates that warned: theirs is exceeded. */
function within({ gates }: LoadTestOutcome): string {
  return gatesThat(gates, 'warned').length > 0 ? '' : ', but within its limits'
}

/** Without figures those of this run follow. */
function howFast(outcome: LoadTestOutcome): [what: string, figures?: string] {
  const { gates, comparison, confirmation, scorecard } = outcome
  if (confirmation) return ['not confirmed as slower by a second run']
  const [open] = gatesThat(gates, 'not-compared')
  if (open)
    return [`${open.unfit === 'new-baseline' ? 'new baseline' : 'first run'}, nothing to compare with yet`]
  if (comparison) return comparedText(outcome, comparison)
  if (gates.length > 0) return [within(outcome) === '' ? 'passed' : 'within its limits']
  return [scorecard ? 'passed the rules of its test suite' : 'passed, and no gates were given']
}

function comparedText(
  outcome: LoadTestOutcome,
  { noise, baseline, otherLoad }: Comparison,
): ReturnType<typeof howFast> {
  if (otherLoad) return ['passed, but the load or length differs from before']
  const before = oneLine(baseline.name, 60)
  if (noise?.isSignificant) {
    const size = wholePercent(Math.abs(noise.percent))
    return noise.percent > 0
      ? [`${size} slower than in ${before}${within(outcome)}`]
      : [`${size} faster than in ${before}`]
  }
  const excused = outcome.gates.filter(isExcused)
  if (excused.length > 0) return [excusedText(outcome, excused), '']
  for (const kind of kindsInOrder) {
    const rows = timerRows(outcome, kind)
    const worse = rows.filter(({ changes }) => changes[mainMetric(rows)] === 'worse').length
    if (worse > 0) return [`${partOf(worse, rows.length, kindNames[kind])} slower${within(outcome)}`]
  }
  const isUnsure = noise?.isAssumed || baseline.runs < 3
  const text = isUnsure ? 'no change that stands out from noise' : `as fast as in ${before}`
  return [text, keyText(outcome, true)]
}

/** `Login 12% slower (mean 206 → 231 ms) and 2 more, but within noise`: noise that is assumed was not measured. */
function excusedText(outcome: LoadTestOutcome, excused: readonly GateResult[]): string {
  const excuse = excused.some(({ noise }) => noise?.assumed) ? ', which may be chance' : ', but within noise'
  const [first, ...more] = excused.toSorted((a, b) => excess(b) - excess(a))
  if (first?.value === undefined) return `beyond a limit${excuse}`
  const others = more.length === 0 ? '' : ` and ${resultCount(more)} more`
  return `${whatFailed(first, outcome).join('')}${others}${excuse}`
}

/** A gate that noise excused says why; a gate within its limit says nothing. */
function isExcused({ result, reason, again }: GateResult): boolean {
  return result === 'passed' && reason !== undefined && !again
}

/** ` (requests p95 330 ms)`, of what is closest to the tested system; empty where no time was measured. */
function keyText(outcome: LoadTestOutcome, isPair = false): string {
  for (const kind of kindsInOrder) {
    const row = summaryRow(outcome, kind)
    if (!row) continue
    const metric = mainMetric([row])
    const figure = row.figure(metric)
    if (figure.value === undefined) continue
    const text = isPair ? nowText(figure, unitOf(metric)) : quantity(figure.value, unitOf(metric))
    return ` (${kindNames[kind]}s ${metricTitle(metric)} ${text})`
  }
  return ''
}
