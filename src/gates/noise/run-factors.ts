import { timerKinds, type TimerKind } from '../../report/report.js'
import type { ReportFigures } from '../figures.js'
import { median } from './robust.js'

/**
 * How much slower each run is than the middle of all, over all timers: the logarithm of the factor, 0 where nothing
 * compares.
 */
export function runFactors(runs: readonly ReportFigures[]): number[] {
  const apart: number[][] = runs.map(() => [])
  for (const kind of timerKinds) {
    const times = runs.map((run) => timesOf(run, kind))
    const names = new Set(times.flatMap((one) => [...one.keys()]))
    for (const name of names) {
      const logs = times.map((one) => one.get(name))
      const middle = median(logs.filter((log) => log !== undefined))
      logs.forEach((log, index) => {
        if (log !== undefined) apart[index]?.push(log - middle)
      })
    }
  }
  return apart.map((all) => (all.length === 0 ? 0 : median(all)))
}

/** The logarithm of each timer's p95, or else of its median or mean. */
function timesOf({ report }: ReportFigures, kind: TimerKind): Map<string, number> {
  const found = new Map<string, number>()
  for (const timer of report.timers[kind].timers) {
    const time = timer.percentiles['p95'] ?? timer.median ?? timer.mean
    if (timer.count !== 0 && time !== undefined && time > 0) {
      found.set(timer.name, Math.log(Math.max(5, time)))
    }
  }
  return found
}
