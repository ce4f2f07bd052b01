import { agentFigures, type AgentFigures } from './agents.js'
import { byName, type Measurement } from './measurement.js'
import type { RequestMeasurement } from './request.js'
import { durationSeconds, type SimulatedRun } from './simulated-run.js'
import { spreadOf, timeStatistics, type Spread, type TimeStatistics } from './statistics.js'
import { simulateTraffic, type Traffic } from './traffic.js'
import { vitalFigures, type VitalFigures, type VitalName } from './vitals.js'
import { apdexThreshold } from './webshop.js'

/** Everything that the pages and XML files of a report show, computed once from the simulated traffic. */
export interface Figures {
  duration: number
  traffic: Traffic
  kinds: Record<Kind, KindFigures>
  vitals: { name: string; vitals: Record<VitalName, VitalFigures> }[]
  agents: AgentFigures[]
  agentSummary: AgentFigures
}

export const kinds = ['transactions', 'actions', 'requests', 'pageLoadTimings', 'customTimers'] as const
export type Kind = (typeof kinds)[number]

export interface KindFigures {
  summary: TimerFigures
  /** Sorted by name. */
  timers: TimerFigures[]
}

export interface TimerFigures {
  name: string
  labels: string[]
  errors: number
  times: TimeStatistics
  /** Transactions only. */
  events?: number
  /** Actions only, 0 to 1; absent without samples. */
  apdex?: number
  /** Requests only. */
  traffic?: RequestFigures
}

export const byteNames = ['bytesSent', 'bytesReceived'] as const
export const timeNames = [
  'dnsTime',
  'connectTime',
  'sendTime',
  'serverBusyTime',
  'receiveTime',
  'timeToFirstBytes',
  'timeToLastBytes',
] as const

/** Milliseconds. */
export const runtimeLimits = [1000, 3000, 5000] as const

export interface RequestFigures {
  bytes: Record<(typeof byteNames)[number], Spread & { total: number }>
  times: Record<(typeof timeNames)[number], Spread>
  /** How many were within each of `runtimeLimits`, and how many were above the last. */
  perInterval: number[]
  /** The addresses without their queries. */
  urls: string[]
}

const kept = 4
const simulated = new Map<string, Figures>()

/**
 * The last ones are cached: XML, pages and results of a run are requested one after the other, and runs
 * that differ only in their time share them.
 */
export function simulateFigures(run: SimulatedRun): Figures {
  const { seed, startTime, endTime, slowdown, errorRate, partial } = run
  const key = JSON.stringify({ seed, length: endTime - startTime, slowdown, errorRate, partial })
  const figures = simulated.get(key) ?? newFigures(run)
  simulated.delete(key)
  simulated.set(key, figures)
  for (const oldest of [...simulated.keys()].slice(0, -kept)) simulated.delete(oldest)
  return figures
}

function newFigures(run: SimulatedRun): Figures {
  const traffic = simulateTraffic(run)
  const outOfStock = (name: string) => traffic.outOfStock.get(name) ?? 0
  const allEvents = [...traffic.outOfStock.values()].reduce((sum, count) => sum + count, 0)
  return {
    duration: durationSeconds(run),
    traffic,
    kinds: {
      transactions: kind('All Transactions', traffic.transactions, (name, list) => ({
        ...timer(name, list),
        events: list === traffic.transactions ? allEvents : outOfStock(name),
      })),
      actions: kind('All Actions', traffic.actions, (name, list) => ({
        ...timer(name, list),
        ...apdex(list),
      })),
      requests: kind('All Requests', traffic.requests, (name, list) => ({
        ...timer(name, list),
        traffic: requestFigures(list, list === traffic.requests),
      })),
      pageLoadTimings: kind('All Page Load Timings', traffic.pageLoads, timer),
      customTimers: kind('All Custom Timers', traffic.customTimers, timer),
    },
    vitals: webVitals(traffic),
    ...agentFigures(run, traffic),
  }
}

function kind<M extends Measurement>(
  summaryName: string,
  measurements: M[],
  figures: (name: string, list: M[]) => TimerFigures,
): KindFigures {
  return {
    summary: figures(summaryName, measurements),
    timers: byName(measurements).map(([name, list]) => figures(name, list)),
  }
}

function timer(name: string, list: readonly Measurement[]): TimerFigures {
  return {
    name,
    labels: [...new Set(list.map((measurement) => measurement.label))].sort(),
    errors: list.filter((measurement) => measurement.failed).length,
    times: timeStatistics(list.map((measurement) => measurement.runtime)),
  }
}

/** Satisfied users count fully, tolerating ones half, frustrated ones and those with an error not at all. */
function apdex(list: readonly Measurement[]): { apdex?: number } {
  if (list.length === 0) return {}
  let score = 0
  for (const { failed, runtime } of list) {
    if (!failed && runtime <= apdexThreshold) score += 1
    else if (!failed && runtime <= 4 * apdexThreshold) score += 0.5
  }
  return { apdex: score / list.length }
}

/** Bytes and the parts of the time; the summary has no addresses. */
export function requestFigures(list: readonly RequestMeasurement[], isSummary: boolean): RequestFigures {
  const bytes = (name: (typeof byteNames)[number]) => spreadOf(list, (request) => request[name])
  const times = (name: (typeof timeNames)[number]) => spreadOf(list, (request) => request[name])
  return {
    bytes: { bytesSent: bytes('bytesSent'), bytesReceived: bytes('bytesReceived') },
    times: {
      dnsTime: times('dnsTime'),
      connectTime: times('connectTime'),
      sendTime: times('sendTime'),
      serverBusyTime: times('serverBusyTime'),
      receiveTime: times('receiveTime'),
      timeToFirstBytes: times('timeToFirstBytes'),
      timeToLastBytes: times('timeToLastBytes'),
    },
    perInterval: perInterval(list),
    urls: isSummary ? [] : [...new Set(list.map((request) => request.address))],
  }
}

function perInterval(list: readonly RequestMeasurement[]): number[] {
  const within = runtimeLimits.map((limit) => list.filter(({ runtime }) => runtime <= limit).length)
  return [...within, list.length - (within.at(-1) ?? 0)]
}

function webVitals(traffic: Traffic): Figures['vitals'] {
  return byName(traffic.vitals).map(([name, samples]) => {
    const of = (vital: VitalName) => {
      const values = samples.map((sample) => sample.values[vital])
      return vitalFigures(vital, values)
    }
    const vitals = { cls: of('cls'), fcp: of('fcp'), fid: of('fid'), inp: of('inp'), lcp: of('lcp') }
    return { name, vitals: { ...vitals, ttfb: of('ttfb') } }
  })
}
