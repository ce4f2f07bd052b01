import { unitOf } from '../figures/metrics.js'
import { webVitalNames, type Report, type Timer, type TimerKind, type WebVitals } from '../report/report.js'

/** A report with all response times raised by some percent, and everything else as it was. */
export function slowed(report: Report, percent: number): Report {
  // A report has no more than three decimals: 400 ms and 10% are 440 ms, not a little more.
  const slower = (time: number) => Math.round(time * (100 + percent) * 10) / 1000
  const section = (kind: TimerKind) => {
    const { summary, timers } = report.timers[kind]
    return {
      timers: timers.map((timer) => slowedTimer(timer, slower)),
      ...(summary ? { summary: slowedTimer(summary, slower) } : {}),
    }
  }
  return {
    ...report,
    timers: {
      transactions: section('transactions'),
      actions: section('actions'),
      requests: section('requests'),
      pageLoads: section('pageLoads'),
      customTimers: section('customTimers'),
    },
    webVitals: report.webVitals.map((row) => slowedVitals(row, slower)),
  }
}

function slowedTimer(timer: Timer, slower: (time: number) => number): Timer {
  const times = (figures: object) =>
    Object.entries(figures).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'number' && unitOf(name) === 'ms' ? [[name, slower(value)] as const] : [],
    )
  return {
    ...timer,
    ...Object.fromEntries(times(timer)),
    percentiles: Object.fromEntries(times(timer.percentiles)),
  }
}

function slowedVitals({ name, vitals }: WebVitals, slower: (time: number) => number): WebVitals {
  const copy = { ...vitals }
  for (const vital of webVitalNames) {
    const one = vitals[vital]
    if (one && unitOf(vital) === 'ms') copy[vital] = { ...one, score: slower(one.score) }
  }
  return { name, vitals: copy }
}
