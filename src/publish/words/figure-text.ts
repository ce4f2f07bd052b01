import { kindNames } from './timer-rows.js'
import { compareFigure, type ComparedFigure, type Comparison } from '../../comparison/comparison.js'
import { formatDuration } from '../../text/duration.js'
import {
  absent,
  areLong,
  asWritten,
  decimalsOf,
  plainNumber,
  quantity,
  valueAndLimit,
  withUnit,
} from '../../figures/numbers.js'
import { metricRule, type Unit } from '../../figures/metrics.js'
import { plural, someOf } from '../../text/plural.js'
import type { GateResult } from '../../gates/result.js'

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

/** Both differences, as `+140 ms (+34%)`, in the unit that figure and limit have; only one if there is no other. */
export function differenceText(figure: CountedFigure, unit: Unit, limit?: number): string {
  const { value, baseline, relativeDifference: relative } = figure
  if (value !== undefined && baseline !== undefined && areLong(unit, value, baseline, limit))
    return differenceText({ ...figure, value: value / 1000, baseline: baseline / 1000 }, 's')
  const apart = differenceOfWritten(figure)
  if (apart === 0) return 'no change'
  if (areFew(figure)) return relative === undefined ? '' : signedPercent(relative)
  const absolute = signed(apart, unit)
  // An error rate that was almost 0 rises by thousands of percent.
  if (unit === '%' || relative === undefined || !Number.isFinite(relative) || absolute === absent)
    return absolute
  return `${absolute} (${signedPercent(relative)})`
}

/** With the decimals of the larger figure, so that it agrees with the two beside it. */
function differenceOfWritten({ value, baseline, difference }: ComparedFigure): number | undefined {
  if (value === undefined || baseline === undefined) return difference
  const apart = asWritten(value) - asWritten(baseline)
  return Number(apart.toFixed(decimalsOf(Math.max(Math.abs(value), Math.abs(baseline)))))
}

/** An error rate: `12%`; of few errors among many, their number, such as `3` of 48,000. */
export function shareText(percent: number, count: number | undefined): string {
  return isSmall(percent) && count !== undefined ? countOf(percent, count) : quantity(percent, '%')
}

function countOf(percent: number, all: number): string {
  return plainNumber(Math.round((percent * all) / 100))
}

/** Below this nobody reads a percentage. */
function isSmall(percent: number): boolean {
  return percent > 0 && percent < 0.1
}

/** A figure, and what an error rate is of. */
export interface CountedFigure extends ComparedFigure {
  counts?: { now: number; before?: number }
}

/** Whether they are error rates of which one is so small that both are written as `3 of 48,000`. */
function areFew({ value = 0, baseline = 0, counts }: CountedFigure): boolean {
  return counts !== undefined && (isSmall(value) || isSmall(baseline)) && Math.max(value, baseline) < 1
}

export function pairText(figure: CountedFigure, unit: Unit): { now: string; before: string } {
  const { value, baseline, counts } = figure
  const text = (one: number | undefined, of: number | undefined) =>
    one !== undefined && of !== undefined && (areFew(figure) || isSmall(one))
      ? `${countOf(one, of)} of ${plainNumber(of)}`
      : quantity(one, unit, value, baseline)
  return { now: text(value, counts?.now), before: text(baseline, counts?.before) }
}

/** What the baseline had and what this run has, as `890 → 1,240 ms`. */
export function fromTo(figure: CountedFigure, unit: Unit): string {
  const { baseline, value } = figure
  if (baseline === undefined && value === undefined) return absent
  const { before, now } = pairText(figure, unit)
  return `${baseline === undefined || value === undefined ? before : withoutTime(before)} → ${now}`
}

/** The number of a time whose unit another one has beside it. */
export function withoutTime(quantity: string): string {
  return quantity.replace(/ m?s$/, '')
}

/** `890 → 1,240 ms`; without a baseline, what this run has. */
export function nowText(figure: CountedFigure, unit: Unit): string {
  return figure.baseline === undefined ? quantity(figure.value, unit) : fromTo(figure, unit)
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

/** `3 of 12 named requests`, `all 12 named requests`, `the only request`: names, not calls. */
export function partOf(count: number, all: number, noun: string): string {
  if (all === 1) return `the only ${noun}`
  return someOf(count, all, `named ${noun}`)
}

/** The title of a table that is folded: `Requests: 19, of which 3 slower, 1 new`. */
export function counted(title: string, count: number, ...of: string[]): string {
  return `${title}: ${plainNumber(count)}${of.length === 0 ? '' : `, of which ${of.join(', ')}`}`
}

export function metricTitle(metric: string): string {
  return metricRule(metric)?.title ?? metric
}

/** `1,200 matches` of a result about so many. */
export function matchesText({ matches }: GateResult): string | undefined {
  return matches && `${plainNumber(matches.length)} matches`
}

/** What a gate found, in one line of plain text, without its verdict. */
export function gateFigures(gate: GateResult): string {
  const { value, limit } = valueAndLimit(gate.value, gate.limit, gate.unit, gate.baseline)
  const unknown = gate.result === 'not-compared' ? 'several values' : 'value not measured'
  const parts = [matchesText(gate) ?? (gate.value === undefined ? unknown : `value ${value}`)]
  if (gate.limit !== undefined) parts.push(`limit ${operatorText(gate.operator)}${limit}`)
  parts.push(...noiseText(gate))
  if (gate.baseline !== undefined) {
    parts.push(`baseline ${quantity(gate.baseline, gate.unit, gate.value, gate.limit)}`)
    if (gate.value !== undefined)
      parts.push(
        `difference ${differenceText(compareFigure(gate.value, gate.baseline), gate.unit, gate.limit)}`,
      )
  }
  return parts.join(', ')
}

/**
 * `noise allows up to 512 ms (+8%, 820 samples)`: how much noise a gate that compares allows. Of a whole run:
 * `noise of the whole run ±5%`. Nothing where it says no more than the limit does.
 */
export function noiseText({ operator, value, baseline, limit, unit, noise: of }: GateResult): string[] {
  if (of === undefined) return []
  const { percent, assumed, run, samples, failsBeyond } = of
  if (run) return [`noise of the whole run ±${wholePercent(percent)}${assumed ? ', assumed' : ''}`]
  if (quantity(failsBeyond, unit) === quantity(limit, unit)) return []
  // The percent that leads from the baseline to the limit.
  const { relativeDifference } = compareFigure(failsBeyond, baseline)
  const noise = `${relativeDifference === undefined ? `±${wholePercent(percent)}` : signedPercent(relativeDifference)}${assumed ? ', assumed' : ''}`
  const isBelow = operator?.startsWith('>') || (operator === '=' && (value ?? 0) < (baseline ?? 0))
  const beyond =
    failsBeyond === undefined
      ? 'noise allows any value'
      : `noise allows ${isBelow ? 'down' : 'up'} to ${quantity(failsBeyond, unit, value, limit)}`
  const counted = samples === undefined ? '' : `, ${plural(samples, 'sample')}`
  return [`${beyond} (${noise}${counted})`]
}

/** How all of the timers that the gates look at differ together, as a sentence; empty if that is little, or not known. */
export function wholeRunText(noise: Comparison['noise'], runs = 0): string {
  if (noise === undefined) return ''
  const { kind, percent, timers, shown, metric, isSignificant, isAssumed } = noise
  if (!isSignificant && Math.abs(percent) < telling) return ''
  const of = shown < timers ? `, ${shown} show it` : ''
  const size = `${wholePercent(Math.abs(percent))} ${percent > 0 ? 'slower' : 'faster'}`
  const what = `All ${plural(timers, kindNames[kind])} together are ${size} (${metricTitle(metric)}${of})`
  if (isAssumed && !isSignificant) return `${what}. ${untold(runs)}`
  const word = isAssumed ? 'assumed noise' : 'noise'
  return isSignificant ? `${what}, more than ${word}.` : `${what}, within ${word}.`
}

/** In percent: a change of a whole run that a reader would want to know more about. */
const telling = 5

/** That so few earlier runs cannot tell a change from chance, and what can. */
function untold(runs: number): string {
  const few = runs === 2 ? 'Two earlier runs' : 'One earlier run'
  return `${few} cannot tell whether that is chance; from three on they can. Until then, a gate with a fixed limit decides, or confirm: true where the step starts the load test.`
}

/** `≤ ` and so on; nothing without an operator. */
export function operatorText(operator: GateResult['operator']): string {
  if (operator === undefined) return ''
  return `${operator === '<=' ? '≤' : operator === '>=' ? '≥' : operator} `
}

/** The meaning of `better` and `worse` in a table. */
export const markedText = 'Only changes larger than noise are marked as better or worse.'
