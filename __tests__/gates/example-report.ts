import { singleKinds, summaryKinds } from '../../src/figures/figures.js'
import type { GateResult } from '../../src/gates/result.js'
import type { Report, Timer, TimerKind } from '../../src/report/report.js'

/** A timer as a current engine writes it; `figures` replaces what a test is about. */
export function timer(name: string, figures: Partial<Timer> = {}): Timer {
  return {
    name,
    count: 1000,
    errors: 5,
    errorPercentage: 0.5,
    countPerSecond: 10,
    countPerMinute: 600,
    countPerHour: 36000,
    min: 20,
    max: 2000,
    mean: 210.5,
    median: 200,
    deviation: 80,
    percentiles: { p50: 200, p95: 400, p99: 800, 'p99.9': 1500 },
    ...figures,
  }
}

/** A timer that was never used: the engine writes zeros for it. */
export function unused(name: string): Timer {
  const zeros = {
    count: 0,
    errors: 0,
    errorPercentage: 0,
    countPerSecond: 0,
    countPerMinute: 0,
    countPerHour: 0,
  }
  const times = { min: 0, max: 0, mean: 0, median: 0, deviation: 0, percentiles: { p50: 0, p95: 0 } }
  return timer(name, { ...zeros, ...times })
}

export function report(parts: Partial<Report> = {}, timers: Partial<Report['timers']> = {}): Report {
  const section = (kind: TimerKind): Report['timers'][TimerKind] => timers[kind] ?? { timers: [] }
  return {
    engineVersion: 'Engine 9.2.0',
    timeStep: 10,
    comments: [],
    general: { startTime: Date.UTC(2026, 0, 17), duration: 600 },
    webVitals: [],
    agents: [],
    errors: [],
    responseCodes: [],
    loadProfile: [],
    ...parts,
    timers: {
      transactions: section('transactions'),
      actions: section('actions'),
      requests: section('requests'),
      pageLoads: section('pageLoads'),
      customTimers: section('customTimers'),
    },
  }
}

/** A report whose only timers are requests. */
export function requestReport(timers: Timer[], parts: Partial<Report> = {}): Report {
  return report(parts, { requests: { summary: timer('All Requests'), timers } })
}

/** A subject that is written by hand, and its place. */
export function placed(subject: string): Pick<GateResult, 'subject' | 'place'> {
  const [, word = '', name] = /^([\w-]+)(?: "(.*)")?$/.exec(subject) ?? []
  const kind = name === undefined ? summaryKinds.get(word) : singleKinds.get(word)
  return { subject, ...(kind && { place: { kind, ...(name === undefined ? {} : { name }) } }) }
}
