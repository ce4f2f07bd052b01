import { plainNumber, quantity } from '../../figures/numbers.js'
import type { Unit } from '../../figures/metrics.js'
import type { Suggestion } from '../../gates/suggested-gates.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { formatDuration } from '../../text/duration.js'
import { groupsBy } from '../../text/fields.js'
import { plural } from '../../text/plural.js'
import { wholePercent } from './figure-text.js'

/**
 * The gates that a run supports, as texts that may be foreign; undefined if there are none.
 *
 * @returns `block` to copy, as the input `gates` or a file; `notes` on what the load test cannot show, and how far it sees
 */
export function suggestionText({ suggestion, figures }: LoadTestOutcome) {
  if (!suggestion) return undefined
  const { runs, isAssumed, gates, leftOut, power } = suggestion
  const basis =
    runs === 1
      ? 'One run says little, so these limits leave room.'
      : `These gates rest on ${runs} runs${isAssumed ? ', too few to show their noise' : ''}.`
  return {
    title: `Suggested gates: ${gates.length}`,
    lead: `${basis} They say what is, not what should be.`,
    block: ['gates: |', ...gates.map((gate) => `  ${gate.gate} # ${reason(gate, suggestion)}`)],
    notes: [
      ...powerSentences(power, figures?.general.duration),
      ...leftOut.map(({ gate, reason: why }) => `Not suggested: ${gate}. ${why}`),
    ],
  }
}

/** `6 runs: 612 to 640 ms, noise ±4%` */
function reason(
  { unit, runs, low, high, noise, samples }: Suggestion['gates'][number],
  { runs: all, isAssumed }: Suggestion,
): string {
  const varies = noise === undefined ? '' : `, noise ±${wholePercent(noise)}${isAssumed ? ', assumed' : ''}`
  const of = noise === undefined && samples !== undefined ? `, ${plural(samples, 'sample')}` : ''
  return `${plural(runs ?? all, 'run')}: ${range(low, high, unit)}${varies}${of}`
}

function range(low: number, high: number, unit: Unit): string {
  const last = quantity(high, unit)
  return quantity(low, unit) === last ? last : `${plainNumber(low)} to ${last}`
}

/** One for the timers whose slowdowns are found as often. */
function powerSentences(power: Suggestion['power'], duration: number | undefined): string[] {
  const alike = groupsBy(power, (one) => powerSentence({ ...one, subject: '' }, duration))
  return [...alike.values()].flatMap((timers) =>
    timers
      .slice(0, 1)
      .map((one) =>
        powerSentence({ ...one, subject: anyOf(timers.map(({ subject }) => subject)) }, duration),
      ),
  )
}

/** `A, B or C` */
function anyOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`
}

function powerSentence(
  { subject, slower, chance, chanceIfTwice, longerForTenth }: Suggestion['power'][number],
  duration: number | undefined,
): string {
  const found = `With this load, +${slower}% of ${subject} is found in ${ofTen(chance)} runs; twice the duration: ${ofTen(chanceIfTwice)}.`
  const told = '+10% stands out from noise in 8 of 10 runs'
  if (longerForTenth === undefined)
    return `${found} +10% stays within noise however long they are: compare with more runs.`
  if (longerForTenth === 1) return `${found} ${told}.`
  const length = duration === undefined ? '' : ` (${formatDuration(duration * longerForTenth * 1000)})`
  return `${found} ${told} only if they are ${longerForTenth} times as long${length}.`
}

/** `3 of 10` */
function ofTen(chance: number): string {
  return `${Math.round(chance * 10)} of 10`
}
