import { buildBaseline, type Unfit } from '../../src/noise/baseline.js'
import { type Finding, Noise } from '../../src/noise/noise.js'
import type { Metric } from '../../src/figures/metrics.js'
import { ReportFigures, type Place } from '../../src/figures/figures.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'

import figures from './noise-figures.json' with { type: 'json' }

/*
 * What noise is said to be for fixed runs, to the figure: the percentages and bounds that readers see. They were
 * written with `UPDATE_NOISE_FIGURES=1` when the noise bench had measured the model; a change of the model shows here,
 * and wants the bench again.
 */

/** Deterministic, uneven and different for each run and timer. */
const wave = (run: number, at: number) => Math.sin(7 * run + 3 * at + run * at)

interface History {
  runs: number
  timers: number
  /** How much timers and whole runs vary, as a share. */
  own: number
  whole: number
  /** Of a timer in a run, the judged one being 50; undefined if the run did not have it. */
  samples?: (run: number, at: number) => number | undefined
  /** The judged run beside the others, for each timer. */
  now: (at: number) => number
  /** By which factor runs were slower that a green one followed, and how many timers each had. */
  reds?: [factor: number, timers: number][]
  /** Of the judged run, as a share of the mean. */
  deviation?: number
  /** What each of the runs knew of how much whole runs differ, in percent. */
  recalled?: number
}

/** The number of the judged run. */
const judged = 50

function reportOf(history: History, run: number, factor: (at: number) => number): Report {
  const { timers, own, whole, samples: samplesAt = () => 1000, deviation = 0.5 } = history
  const of = (name: string, at: number): Timer => {
    const level = 200 + 100 * at
    const samples = samplesAt(run, at) ?? 0
    const mean = level * (1 + own * wave(run, at)) * (1 + whole * Math.cos(5 * run)) * factor(at)
    const errors = Math.round(samples * 0.02 * (1 + at / 4) * (1 + 4 * own * wave(run, at + 2)) * factor(at))
    return timer(name, {
      count: Math.round(samples * (1 + own * wave(run, at + 1))),
      errors,
      mean,
      max: Math.round(mean * 9),
      deviation: mean * (run === judged ? deviation : 0.5),
      median: mean * 0.9,
      percentiles: { p50: mean * 0.9, p95: mean * 2, p99: mean * 3 },
      apdex: 0.9 - 0.1 * own * wave(run, at),
    })
  }
  const present = Array.from({ length: timers }, (_, at) => at).filter(
    (at) => samplesAt(run, at) !== undefined,
  )
  const all = present.map((at) => of(`T${at}`, at))
  return report(
    {
      general: { startTime: 1000 * run, duration: 600 },
      agents: [{ name: 'a', totalMean: 40 * (1 + own * wave(run, 5)) * factor(0) }],
      webVitals: all.map(({ name, mean = 0, count: samples = 0 }) => ({
        name,
        vitals: {
          lcp: { score: mean * 3, goodCount: samples, poorCount: 0 },
          cls: { score: mean / 9000, goodCount: samples },
        },
      })),
    },
    { requests: { summary: of('All', 2), timers: all }, actions: { timers: all.slice(0, 4) } },
  )
}

const histories: Record<string, History> = {
  'one run': { runs: 1, timers: 6, own: 0.05, whole: 0.03, now: () => 1.1 },
  'one run, one timer': { runs: 1, timers: 1, own: 0.05, whole: 0.03, now: () => 1.1 },
  'two runs, two timers': { runs: 2, timers: 2, own: 0.05, whole: 0.03, now: () => 1 },
  'three calm runs': { runs: 3, timers: 8, own: 0.01, whole: 0.005, now: (at) => (at === 3 ? 1.4 : 1) },
  'three runs, one timer': { runs: 3, timers: 1, own: 0.03, whole: 0.02, now: () => 0.8 },
  'five runs': { runs: 5, timers: 12, own: 0.06, whole: 0.05, now: (at) => (at % 3 === 0 ? 1.3 : 1) },
  'five runs with few samples': {
    runs: 5,
    timers: 6,
    own: 0.06,
    whole: 0.02,
    samples: () => 60,
    now: () => 1.2,
  },
  'eight noisy runs, and a slow one': { runs: 8, timers: 5, own: 0.2, whole: 0.1, now: () => 1.6 },
  'four runs, and a fast one': { runs: 4, timers: 7, own: 0.04, whole: 0.08, now: () => 0.6 },
  'runs that differ too much': { runs: 3, timers: 3, own: 0.6, whole: 0.1, now: () => 1 },
  'runs that differ too much, and a far slower one': {
    runs: 3,
    timers: 3,
    own: 0.6,
    whole: 0.1,
    now: () => 9,
  },
  'runs that differ too much, and a far faster one': {
    runs: 3,
    timers: 3,
    own: 0.6,
    whole: 0.1,
    now: () => 0.1,
  },
  'too few samples in some earlier runs, and timers that not all of them had': {
    runs: 5,
    timers: 6,
    own: 0.05,
    whole: 0.03,
    samples: (run, at) =>
      at === 3 ? (run < 2 ? undefined : 900) : at === 0 ? [900, 10, 900, 12, 900][run] : 900,
    now: () => 1.2,
  },
  'timers that a single earlier run had, or none': {
    runs: 4,
    timers: 5,
    own: 0.05,
    whole: 0.03,
    samples: (run, at) => (run < 50 && (at === 3 || (at === 1 && run > 0)) ? undefined : 900),
    now: () => 1.2,
  },
  'too few samples': {
    runs: 3,
    timers: 3,
    own: 0.05,
    whole: 0.03,
    samples: (run) => (run === 50 ? 4 : 900),
    now: () => 1,
  },
  'a single sample': {
    runs: 3,
    timers: 2,
    own: 0.05,
    whole: 0.03,
    samples: (run) => (run === 50 ? 1 : 900),
    now: () => 1,
  },
  'too few samples before': {
    runs: 3,
    timers: 3,
    own: 0.05,
    whole: 0.03,
    samples: (run) => (run === 50 ? 900 : [4, 17, 11][run]),
    now: () => 1,
  },
  'five runs that recall how much runs differ': {
    ...{ runs: 5, timers: 6, own: 0.03, whole: 0.02, recalled: 9 },
    now: (at) => (at === 3 ? 1.4 : 1.1),
  },
  // The last one has too few timers.
  'three runs, and three red ones': {
    ...{ runs: 3, timers: 6, own: 0.03, whole: 0.02 },
    reds: [
      [1.15, 6],
      [1.12, 3],
      [2, 2],
    ],
    now: (at) => (at === 3 ? 1.4 : 1.1),
  },
  'a few answers that hang': {
    ...{ runs: 3, timers: 4, own: 0.03, whole: 0.02, deviation: 3 },
    now: () => 1.2,
  },
  'as many samples as are needed, and one less': {
    ...{ runs: 3, timers: 4, own: 0, whole: 0.02 },
    samples: (run, at) => (at === 0 ? 20 : at === 3 ? (run === 1 ? 19 : 20) : 19),
    now: () => 1.2,
  },
  'a run whose times are below the step of the report': {
    ...{ runs: 3, timers: 4, own: 0.03, whole: 0.02 },
    now: () => 0.00001,
  },
  'just enough samples': { runs: 3, timers: 2, own: 0.01, whole: 0.01, samples: () => 21, now: () => 1 },
}

const named = (timers: 'requests' | 'actions', name?: string): Place =>
  name === undefined ? { kind: timers } : { kind: timers, name }
const asked: [string, Place, Metric][] = [
  ['request "T0" p95', named('requests', 'T0'), 'p95'],
  ['request "T3" p95', named('requests', 'T3'), 'p95'],
  ['request "T3" mean', named('requests', 'T3'), 'mean'],
  ['request "T1" max', named('requests', 'T1'), 'max'],
  ['request "T1" count', named('requests', 'T1'), 'count'],
  ['request "T1" errors', named('requests', 'T1'), 'errors'],
  ['request "T3" error-rate', named('requests', 'T3'), 'error-rate'],
  ['requests p95', named('requests'), 'p95'],
  ['requests mean', named('requests'), 'mean'],
  ['requests errors', named('requests'), 'errors'],
  ['action "T2" median', named('actions', 'T2'), 'median'],
  ['action "T2" apdex', named('actions', 'T2'), 'apdex'],
  ['action "T2" errors', named('actions', 'T2'), 'errors'],
  ['web-vitals "T1" lcp', { kind: 'web-vitals', name: 'T1' }, 'lcp'],
  ['web-vitals "T1" cls', { kind: 'web-vitals', name: 'T1' }, 'cls'],
  ['agents cpu', { kind: 'agents' }, 'cpu'],
]

/** Seven digits. */
const short = (value: number) => Number(value.toPrecision(7))

function shown(found: Finding | Unfit | undefined) {
  if (!found) return 'unknown'
  if ('unfit' in found) return found
  const { percent, isAssumed, samples, run, variation, unsure } = found
  return {
    percent: short(percent),
    samples: samples ?? 'unknown',
    isAssumed,
    above: short(found.reach(true) ?? -1),
    below: short(found.reach(false) ?? -1),
    isBeyond: [found.isBeyond(true), found.isBeyond(false)],
    exceeded: short(found.exceededWith(0.01)),
    ...(unsure ? { unsure: unsure.reason } : {}),
    ...(variation ? { variation: Object.values(variation).map(short) } : {}),
    run: run ? [run.shift, run.deviation, run.reach, run.timers].map(short) : 'unknown',
  }
}

function figuresOf(history: History) {
  const run = new ReportFigures(reportOf(history, judged, history.now))
  const { recalled, reds = [] } = history
  const runNoise = { 'requests p95': recalled ?? 0, 'requests mean': recalled ?? 0 }
  const baseline = buildBaseline(
    Array.from({ length: history.runs }, (_, at) => reportOf(history, at, () => 1)),
    Array.from({ length: history.runs }, () => (recalled === undefined ? {} : { runNoise })),
    reds.map(([factor, timers], at) => reportOf({ ...history, timers }, 20 + at, () => factor)),
  )
  if (!baseline) throw new Error('no baseline')
  const noise = new Noise(run, baseline)
  const whole = noise.wholeRun()
  const { places } = noise.lineUp('requests')
  const beyond = noise.judgeOf('requests', 'p95')
  const sides = places.map((_, at) => [beyond(at, true), beyond(at, false)].map(String).join(' '))
  return {
    'whole run': whole ? { ...whole, percent: short(whole.percent), noise: short(whole.noise) } : 'unknown',
    'requests beyond': sides.join(', '),
    ...Object.fromEntries(asked.map(([name, place, metric]) => [name, shown(noise.find(place, metric))])),
  }
}

const kept: Record<string, unknown> = figures

test.each(Object.entries(histories))('%s', (name, history) => {
  expect(figuresOf(history)).toEqual(kept[name])
})

if (process.env['UPDATE_NOISE_FIGURES']) {
  afterAll(async () => {
    const { writeFile } = await import('node:fs/promises')
    const all = Object.fromEntries(Object.entries(histories).map(([name, one]) => [name, figuresOf(one)]))
    // A line for each figure.
    const lines = JSON.stringify(all)
      .replace(/:\{"whole run"/g, ':{\n"whole run"')
      .replace(/([}"]),"(?=request|action|web-vitals|agents)/g, '$1,\n"')
    await writeFile('__tests__/noise/noise-figures.json', `${lines}\n`)
  })
}
