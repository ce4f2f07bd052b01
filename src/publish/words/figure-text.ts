import { compareFigure } from '../../gates/comparison.js'
import { formatDuration } from '../../text/duration.js'
import { absent, plainNumber, quantity, valueAndLimit, withUnit } from '../../figures/quantity.js'
import { metricRule, type Unit } from '../../figures/metrics.js'
import { plural } from '../../text/plural.js'
import type { GateNoise, GateResult } from '../../gates/result.js'
import type { RunNoise } from '../../gates/noise/noise.js'

/** How a figure is written, everywhere in the same way. */

/** A difference with its sign, such as `+140 ms`; percentages differ by points. */
export function signed(difference: number | undefined, unit: Unit): string {
  if (difference === undefined || !Number.isFinite(difference)) return absent
  const text = unit === '%' ? `${plainNumber(difference)} points` : withUnit(plainNumber(difference), unit)
  return difference > 0 && !/^0(?![.])/.test(text) ? `+${text}` : text
}

/** A relative difference such as `+34%`; a decimal only below 10%. */
export function signedPercent(percent: number): string {
  const text = wholePercent(percent)
  return `${percent > 0 && text !== '0%' ? '+' : ''}${text}`
}

/** A decimal only below 10%. */
export function wholePercent(percent: number): string {
  return withUnit(plainNumber(percent, Math.abs(percent) < 9.95 ? 1 : 0), '%')
}

/** Both differences, as `+140 ms (+34%)`; only the absolute one if there is no relative one. */
export function differenceText(
  figure: { difference?: number; relativeDifference?: number },
  unit: Unit,
): string {
  const absolute = signed(figure.difference, unit)
  const relative = figure.relativeDifference
  if (relative === undefined || !Number.isFinite(relative) || absolute === absent) return absolute
  return `${absolute} (${signedPercent(relative)})`
}

/** What the baseline had and what this run has, as `890 ms → 1,240 ms`. */
export function fromTo({ baseline, value }: { baseline?: number; value?: number }, unit: Unit): string {
  if (baseline === undefined && value === undefined) return absent
  return `${quantity(baseline, unit)} → ${quantity(value, unit)}`
}

/** Seconds as `1 h 5 min`, `12 min 30 s` or `45 s`. */
export function durationText(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return absent
  return formatDuration(seconds * 1000)
}

/** The words, with their first letter as at the beginning of a sentence, or inside one. */
export function withFirstLetter(words: string, letter: 'upper' | 'lower' = 'upper'): string {
  const first = words.charAt(0)
  return `${letter === 'upper' ? first.toUpperCase() : first.toLowerCase()}${words.slice(1)}`
}

/** The title of a table that is folded: `Requests: 19, of which 3 slower, 1 new`. */
export function counted(title: string, count: number, ...of: string[]): string {
  return `${title}: ${plainNumber(count)}${of.length === 0 ? '' : `, of which ${of.join(', ')}`}`
}

/** The metric as a reader knows it. */
export function metricTitle(metric: string): string {
  return metricRule(metric)?.title ?? metric
}

/** What a gate found, in one line of plain text, without its verdict. */
export function gateFigures(gate: GateResult): string {
  const { value, limit } = valueAndLimit(gate.value, gate.limit, gate.unit)
  const parts = [`value ${gate.value === undefined ? 'not measured' : value}`]
  if (gate.limit !== undefined) parts.push(`limit ${operatorText(gate.operator)}${limit}`)
  if (gate.noise !== undefined) parts.push(noiseText(gate, gate.noise))
  if (gate.baseline !== undefined) {
    parts.push(`baseline ${quantity(gate.baseline, gate.unit)}`)
    parts.push(`difference ${differenceText(compareFigure(gate.value, gate.baseline), gate.unit)}`)
  }
  return parts.join(', ')
}

/**
 * `noise allows up to 512 ms (±4%, 820 samples)`: how much noise a gate that compares allows. Of a whole run:
 * `noise of the whole run ±5%`.
 */
export function noiseText(
  { operator, value, baseline, unit }: GateResult,
  { percent, assumed, run, samples, failsBeyond }: GateNoise,
): string {
  const noise = `±${wholePercent(percent)}${assumed ? ', assumed' : ''}`
  if (run) return `noise of the whole run ${noise}`

  const isBelow = operator?.startsWith('>') || (operator === '=' && (value ?? 0) < (baseline ?? 0))
  const beyond =
    failsBeyond === undefined
      ? 'noise allows any value'
      : `noise allows ${isBelow ? 'down' : 'up'} to ${quantity(failsBeyond, unit)}`
  const of = samples === undefined ? '' : `, ${plural(samples, 'sample')}`
  return `${beyond} (${noise}${of})`
}

/** How the whole run differs from its baseline, as a sentence; empty if it is not known. */
export function wholeRunText(noise: RunNoise | undefined, runs = 0, isRed = false): string {
  if (noise === undefined) return ''
  const { percent, timers, shown, metric, isSignificant, isAssumed } = noise
  const size = wholePercent(Math.abs(percent))
  const of = shown < timers ? `, of which ${shown} show it` : ''
  const over = `over ${plural(timers, 'timer')}${of} (${metricTitle(metric)})`
  if (size === '0%')
    return `The whole run is as fast as its baseline over ${plural(timers, 'timer')} (${metricTitle(metric)}).`
  const what = `The whole run is ${size} ${percent > 0 ? 'slower' : 'faster'} ${over}`
  if (isAssumed && !isSignificant && Math.abs(percent) >= telling) return `${what}. ${untold(runs, isRed)}`
  const word = isAssumed ? 'assumed noise' : 'noise'
  return isSignificant ? `${what}, more than ${word}.` : `${what}, within ${word}.`
}

/** In percent: a change of a whole run that a reader would want to know more about. */
const telling = 5

/** That so few earlier runs cannot tell a change from chance, and what can, unless a gate has. */
function untold(runs: number, isRed: boolean): string {
  const few = runs === 2 ? 'Two earlier runs' : 'One earlier run'
  const told = `${few} cannot tell whether that is chance; from three on they can.`
  return isRed
    ? told
    : `${told} Until then, a gate with a fixed limit decides, or confirm: true where the step starts the load test.`
}

/** `≤ ` and so on; nothing without an operator. */
export function operatorText(operator: GateResult['operator']): string {
  if (operator === undefined) return ''
  return `${operator === '<=' ? '≤' : operator === '>=' ? '≥' : operator} `
}
