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
    for (const times of timesOf(runs, kind)) {
      const middle = median(times.filter((time) => time !== undefined))
      times.forEach((time, index) => {
        if (time !== undefined) apart[index]?.push(time - middle)
      })
    }
  }
  return apart.map((all) => (all.length === 0 ? 0 : median(all)))
}

/** For each timer that a run has, by run: the logarithm of its p95, or else of its median or mean. */
function timesOf(runs: readonly ReportFigures[], kind: TimerKind): Iterable<(number | undefined)[]> {
  const found = new Map<string, (number | undefined)[]>()
  for (const [run, { report }] of runs.entries()) {
    for (const timer of report.timers[kind].timers) {
      const time = timer.percentiles['p95'] ?? timer.median ?? timer.mean
      if (timer.count === 0 || time === undefined || time <= 0) continue
      const known = found.get(timer.name)
      const times = known ?? runs.map(() => undefined)
      times[run] = Math.log(Math.max(5, time))
      if (!known) found.set(timer.name, times)
    }
  }
  return found.values()
}
