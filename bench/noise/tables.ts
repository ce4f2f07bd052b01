import { studied, type Shape } from './load.js'
import type { Trial } from './trial.js'

/** A part of a trial; what it does not say is as usual. */
export type Part = Partial<Trial>

/** One table of docs/internals/noise.md: a percentage where a row and a column meet. */
export interface Table {
  name: string
  title: string
  columns: readonly (readonly [string, Part])[]
  rows: readonly (readonly [string, Part])[]
}

const one = 'request "Request 1" p95 <= baseline + 10%'
const narrow = 'request "*" p95 <= baseline + 5%'

const slower = (factor: number, timers = 1): Part => ({ slower: { factor, timers } })
const allSlower = (factor: number): Part => slower(factor, Infinity)
const shaped = (shape: Partial<Shape>): Part => ({ shape: { ...studied, ...shape } })
const confirm = true

/** What noise may look like. */
export const shapes: readonly (readonly [string, Shape])[] = [
  ['as above', studied],
  ['noise of 2%', { ...studied, runNoise: 0.02 }],
  ['noise of 8%', { ...studied, runNoise: 0.08 }],
  ['noise of 10%', { ...studied, runNoise: 0.1 }],
  ['95% of it shared', { ...studied, shared: 0.95 }],
  ['a tenth of it shared', { ...studied, shared: 0.1 }],
  ['heavy tails (t, 3 degrees)', { ...studied, freedom: 3 }],
  ['the same, 60 timers', { ...studied, freedom: 3, timers: 60 }],
  ['some timers noisier, up to 3 times', { ...studied, uneven: 3 }],
  ['the same, 60 timers', { ...studied, uneven: 3, timers: 60 }],
  ['requests that depend on each other', { ...studied, resembling: 10 }],
  ['the same, with a Pareto tail', { ...studied, resembling: 10, tail: 2.5 }],
  ['a Pareto tail', { ...studied, tail: 2.5 }],
  ['half of the days 15% slower', { ...studied, slowDays: 1.15 }],
  ['p95 at the edge of a cache in 3 of 20', { ...studied, edges: 3 }],
  ['each run 1% slower than the last', { ...studied, drift: 1.01 }],
  ['steps of 10 ms', { ...studied, step: 10 }],
  ['2 timers', { ...studied, timers: 2 }],
  ['60 timers', { ...studied, timers: 60 }],
  ['200 timers', { ...studied, timers: 200 }],
]

/** Requests with few samples. */
export const few: Shape = { ...studied, samples: [20, 300] }

/** By the number of baseline runs. */
const byRuns = (numbers: readonly number[], part: Part = {}) =>
  numbers.map((runs) => [String(runs), { ...part, runs }] as const)

export const tables: readonly Table[] = [
  {
    name: 'studied',
    title: 'baseline runs',
    rows: byRuns([1, 2, 3, 5, 10]),
    columns: [
      ['unchanged', {}],
      ['one slower: +20%', slower(1.2)],
      ['+50%', slower(1.5)],
      ['twice as slow', slower(2)],
      ['ten +50%', slower(1.5, 10)],
      ['all +10%', allSlower(1.1)],
      ['all +20%', allSlower(1.2)],
      ['all twice as slow', allSlower(2)],
      ['one gate: unchanged', { gates: one }],
      ['+20%', { ...slower(1.2), gates: one }],
      ['+50%', { ...slower(1.5), gates: one }],
    ],
  },
  {
    name: 'shapes',
    title: 'shape',
    rows: shapes.map(([title, shape]) => [title, { shape }]),
    columns: [
      ['one run: unchanged', { runs: 1 }],
      ['one +50%', { ...slower(1.5), runs: 1 }],
      ['one twice as slow', { ...slower(2), runs: 1 }],
      ['ten +50%', { ...slower(1.5, 10), runs: 1 }],
      ['five runs: unchanged', {}],
      ['one +20%', slower(1.2)],
      ['one +50%', slower(1.5)],
      ['all +20%', allSlower(1.2)],
    ],
  },
  {
    name: 'days',
    title: 'baseline',
    // Runs of one day differ by 2%, and those of different days by more.
    rows: [
      ['five earlier runs, days that differ by 5%', { gates: narrow }],
      ['the same, half of the days 15% slower', { ...shaped({ slowDays: 1.15 }), gates: narrow }],
      ['base and head on one day', { ...shaped({ runNoise: 0.02 }), gates: narrow, runs: 1 }],
      [
        'the same, the second run 3% slower',
        { ...shaped({ runNoise: 0.02, drift: 1.03 }), gates: narrow, runs: 1 },
      ],
      ['three runs of the base, then the head', { ...shaped({ runNoise: 0.02 }), gates: narrow, runs: 3 }],
    ],
    columns: [
      ['unchanged', {}],
      ['one +10%', slower(1.1)],
      ['one +20%', slower(1.2)],
      ['one +50%', slower(1.5)],
      ['ten +20%', slower(1.2, 10)],
      ['all +10%', allSlower(1.1)],
      ['all +20%', allSlower(1.2)],
    ],
  },
  {
    name: 'outliers',
    title: 'baseline runs',
    rows: byRuns([1, 3, 5], shaped({ outliers: 0.05 })),
    columns: [
      ['unchanged', {}],
      ['`confirm`', { confirm }],
      ['one +20%', slower(1.2)],
      ['`confirm`', { ...slower(1.2), confirm }],
      ['one +50%', slower(1.5)],
      ['`confirm`', { ...slower(1.5), confirm }],
      ['all +20%', allSlower(1.2)],
      ['`confirm`', { ...allSlower(1.2), confirm }],
    ],
  },
  {
    name: 'samples',
    title: 'metric; five baseline runs, noise of 3%',
    rows: ['mean', 'median', 'p95', 'p99'].flatMap((metric) => {
      const gates = `request "*" ${metric} <= baseline + 10%`
      return [
        [`${metric}, unchanged`, { gates }],
        [`${metric}, +20%`, { ...slower(1.2), gates }],
      ] as const
    }),
    columns: [20, 200, 1000, 10_000].map((samples) => [
      samples.toLocaleString('en'),
      shaped({ runNoise: 0.03, samples: [samples, samples] }),
    ]),
  },
  {
    name: 'errors',
    title: 'about 13 errors, unchanged, <= baseline + 10%',
    rows: [
      ['one gate', { ...shaped({ errors: 13 }), gates: 'request "Request 1" errors <= baseline + 10%' }],
      ['20 gates', { ...shaped({ errors: 13 }), gates: 'request "*" errors <= baseline + 10%' }],
      [
        'one gate, bursts in every tenth run',
        { ...shaped({ errors: 13, bursts: 0.1 }), gates: 'request "Request 1" errors <= baseline + 10%' },
      ],
    ],
    columns: byRuns([1, 2, 3, 5, 10]).map(([runs, part]) => [
      `${runs} baseline ${runs === '1' ? 'run' : 'runs'}`,
      part,
    ]),
  },
]
