import { isPercentile, timerKinds, type Report } from '../report/report.js'
import { placeOf, type FigureCheck, type Gate } from './language/gate.js'
import { holds, limitOf } from './limit.js'
import { ruleOf } from './metrics.js'

/** What no figure is above: percent, an Apdex, a day in milliseconds, and a count that no run reaches. */
function mostOf({ metric }: FigureCheck): number {
  if (metric === 'apdex') return 1
  return { '%': 100, ms: 86_400_000, rate: 1e12, number: 1e12 }[ruleOf(metric).measure]
}

/** What every run does, whatever its figures are: pass the gate, or fail it; undefined if that depends on them. */
export function foregone(check: FigureCheck): 'passed' | 'failed' | undefined {
  const { operator, limit } = check
  const most = mostOf(check)
  const ends = [1e-3, most].flatMap((baseline) => {
    const at = limitOf(limit, baseline)
    if (at === undefined) return []
    if (operator === '=') return [at.lt(0) || at.gt(most) ? 'failed' : 'open']
    const [least, last] = [0, most].map((value) => holds(value, operator, at))
    return [least !== last ? 'open' : least ? 'passed' : 'failed']
  })
  return (['passed', 'failed'] as const).find((one) => ends.every((end) => end === one))
}

/** The percentiles that a report has, by their names. */
export function reportPercentiles({ timers }: Report): string[] {
  const some = timerKinds.flatMap((kind) => timers[kind].summary ?? timers[kind].timers[0] ?? [])
  return [...new Set(some.flatMap((timer) => Object.keys(timer.percentiles)))]
}

/**
 * A sentence on a gate whose percentile is not one of these, if they are known.
 *
 * @param has such as `The baseline has`
 */
export function strangePercentile(gate: Gate, known: readonly string[], has: string): string | undefined {
  const { check } = gate
  if (check.kind !== 'figure' || !isPercentile(check.metric) || known.includes(check.metric)) return undefined
  const apart = (one: string) => Math.abs(Number(one.slice(1)) - Number(check.metric.slice(1)))
  const all = [...new Set(known)].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
  const [nearest] = all.toSorted((a, b) => apart(a) - apart(b))
  if (nearest === undefined) return undefined
  return `${placeOf(gate)}: The report will have no ${check.metric}. ${has} ${all.join(', ')}. Did you mean ${nearest}?`
}
