import { maxCpu, metricRule } from '../../figures/metrics.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import type { GateResult } from '../../gates/result.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { busiestCpu, kindNames, kindsInOrder, timerRows } from './timer-rows.js'
import { gatesThat } from './verdict-words.js'

/* Whether the code, a machine or chance made times longer, as far as the figures of a failed run say. */

/** Empty unless a gate about times failed. */
export function causeText(outcome: LoadTestOutcome): string {
  const failed = tooSlow(outcome)
  if (failed.length === 0) return ''
  return [chanceText(failed), machineText(outcome)].filter(Boolean).join(' ')
}

function chanceText(failed: readonly GateResult[]): string {
  const compared = failed.filter(({ baseline }) => baseline !== undefined)
  if (compared.length === 0)
    return 'Fixed limits decided: they say how slow it is, not whether the code changed that.'
  const noises = compared.flatMap(({ noise }) => noise ?? [])
  if (noises.length === 0) return ''
  return `The slowdown is more than ${noises.some(({ assumed }) => assumed) ? 'assumed noise' : 'noise'}.`
}

/** Why the load generator may be what is slow: overloaded, or busy where everything is slower by about one factor. */
export function generatorDoubt(outcome: LoadTestOutcome): 'overloaded' | 'busy' | undefined {
  const cpu = busiestCpu(outcome) ?? 0
  if (tooSlow(outcome).length === 0 || cpu <= idle) return undefined
  if (cpu > maxCpu) return 'overloaded'
  return factorsOf(outcome)?.by === 'one factor' ? 'busy' : undefined
}

/** The failed gates about times. */
export function tooSlow({ gates }: LoadTestOutcome): GateResult[] {
  return gatesThat(gates, 'failed').filter(({ metric = '' }) => metricRule(metric)?.about === 'speed')
}

function machineText(outcome: LoadTestOutcome): string {
  const cpu = busiestCpu(outcome)
  const before = outcome.comparison?.cpu
  const used = `${quantity(cpu, '%')} CPU${before === undefined ? '' : `, ${quantity(before, '%')} before`}`
  // Beside an overloaded load generator, what speaks against a slow machine would contradict it.
  if (generatorDoubt(outcome) === 'overloaded')
    return `These figures cannot tell whether it is the code or the load generators, which send the requests: one was overloaded${outcome.confirmation ? ' in the first run' : ''} (${used}, limit ${maxCpu}%).`
  const factors = factorsOf(outcome)
  if (!factors) return ''
  const { kind, low, high, by } = factors
  if (by === 'some only')
    return `Other ${kindNames[kind]}s are as fast as before; a slower machine would slow them, too.`
  const times = [...new Set([low, high].map((one) => plainNumber(one, 1)))].join(' to ')
  const typical = `Typical ${kindNames[kind]}s take ${times} times as long`
  if (by === 'many factors') return `${typical}; a slower machine would slow all of them alike.`
  if (cpu === undefined) return `${typical}: suspect code that they share, or a slower machine.`
  return `${typical}: suspect code that they share, or a slower server${cpu > idle ? ' or' : ', not the'} load generator, which sends the requests (${used}).`
}

/** By how much a kind of timers got slower, without the extremes; undefined for too few. */
function factorsOf(outcome: LoadTestOutcome) {
  const one = tooSlow(outcome).find(({ baseline = Infinity, value = 0 }) => value > baseline)
  if (!one) return undefined
  const kind = kindsInOrder.find((each) => each === one.place?.kind) ?? 'requests'
  const rows = timerRows(outcome, kind).filter(({ presence }) => presence === 'both')
  const factors = rows.flatMap((row) => {
    const { value, baseline = 0 } = row.figure(one.metric ?? '')
    return value !== undefined && baseline > 0 ? [value / baseline] : []
  })
  if (factors.length < fewestForFactor) return undefined
  factors.sort((a, b) => a - b)
  // Of many that are slower by one factor, chance alone makes some look as fast as before.
  const quarter = Math.floor(factors.length / 4)
  const [low = 0, high = 0] = [factors[quarter], factors.at(-1 - quarter)]
  const by = low <= alike ? 'some only' : high / low > spread ? 'many factors' : 'one factor'
  return { kind, low, high, by } as const
}

const fewestForFactor = 3
/** Times as long as before; up to this, something is as fast as it was. */
const alike = 1.05
/** The largest factor, in times of the smallest: a slower machine slows everything by about one. */
const spread = 1.25

/** Percent of CPU, up to which a load generator has time to measure well. */
const idle = 50
