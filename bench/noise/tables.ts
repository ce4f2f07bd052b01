import { studied, type Shape } from './load.js'
import type { Trial } from './trial.js'

/** One table of docs/internals/noise.md: a percentage for each row and column. */
export interface Table {
  name: string
  title: string
  columns: string[]
  rows: { title: string; trials: Trial[] }[]
}

const one = 'request "Request 1" p95 <= baseline + 10%'
const all = 'request "*" p95 <= baseline + 10%'
const narrow = 'request "*" p95 <= baseline + 5%'
const odd: Shape = { ...studied, outliers: 0.05 }
const numbers = [1, 2, 3, 5, 10]

type Slower = Trial['slower']
const unchanged: Slower = { factor: 1, timers: 0 }
const slower = (factor: number, timers = 1): Slower => ({ factor, timers })
const everything = 1000

function trial(runs: number, gates: string, change: Slower, shape: Shape = studied, confirm = false): Trial {
  return { shape, gates, runs, slower: change, confirm }
}

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

/** Runs of one day differ by 2%, and those of different days by more. */
const oneDay: Shape = { ...studied, runNoise: 0.02 }
const ways: readonly (readonly [string, number, Shape])[] = [
  ['five earlier runs, days that differ by 5%', 5, studied],
  ['the same, half of the days 15% slower', 5, { ...studied, slowDays: 1.15 }],
  ['base and head on one day', 1, oneDay],
  ['the same, the second run 3% slower', 1, { ...oneDay, drift: 1.03 }],
  ['three runs of the base, then the head', 3, oneDay],
]

/** Requests with few samples. */
export const few: Shape = { ...studied, samples: [20, 300] }

export const tables: Table[] = [
  {
    name: 'studied',
    title: 'baseline runs',
    columns: [
      'unchanged',
      'one slower: +20%',
      '+50%',
      'twice as slow',
      'ten +50%',
      'all +10%',
      'all +20%',
      'all twice as slow',
      'one gate: unchanged',
      '+20%',
      '+50%',
    ],
    rows: numbers.map((runs) => ({
      title: String(runs),
      trials: [
        ...[unchanged, slower(1.2), slower(1.5), slower(2), slower(1.5, 10)].map((change) =>
          trial(runs, all, change),
        ),
        ...[1.1, 1.2, 2].map((factor) => trial(runs, all, slower(factor, everything))),
        ...[unchanged, slower(1.2), slower(1.5)].map((change) => trial(runs, one, change)),
      ],
    })),
  },
  {
    name: 'shapes',
    title: 'shape',
    columns: [
      'one run: unchanged',
      'one +50%',
      'one twice as slow',
      'ten +50%',
      'five runs: unchanged',
      'one +20%',
      'one +50%',
      'all +20%',
    ],
    rows: shapes.map(([title, shape]) => ({
      title,
      trials: [
        ...[unchanged, slower(1.5), slower(2), slower(1.5, 10)].map((change) => trial(1, all, change, shape)),
        ...[unchanged, slower(1.2), slower(1.5), slower(1.2, everything)].map((change) =>
          trial(5, all, change, shape),
        ),
      ],
    })),
  },
  {
    name: 'days',
    title: 'baseline',
    columns: ['unchanged', 'one +10%', 'one +20%', 'one +50%', 'ten +20%', 'all +10%', 'all +20%'],
    rows: ways.map(([title, runs, shape]) => ({
      title,
      trials: [
        ...[unchanged, slower(1.1), slower(1.2), slower(1.5), slower(1.2, 10)],
        ...[1.1, 1.2].map((factor) => slower(factor, everything)),
      ].map((change) => trial(runs, narrow, change, shape)),
    })),
  },
  {
    name: 'few',
    title: '20 to 300 samples',
    columns: ['unchanged', 'one +50%', 'twice as slow', '3 times', '10 times', 'unchanged, a Pareto tail'],
    rows: [1, 5].map((runs) => ({
      title: runs === 1 ? 'one baseline run' : 'five baseline runs',
      trials: [
        ...[unchanged, slower(1.5), slower(2), slower(3), slower(10)].map((change) =>
          trial(runs, all, change, few),
        ),
        trial(runs, all, unchanged, { ...few, tail: 2.5 }),
      ],
    })),
  },
  {
    name: 'others',
    title: 'baseline runs',
    columns: ['all others 30% faster, one unchanged', 'ten halve, one twice as slow'],
    rows: [1, 5].map((runs) => ({
      title: String(runs),
      trials: [
        trial(runs, all, { factor: 1, timers: 1, others: 0.7 }),
        trial(runs, all, { factor: 2, timers: 1, others: 0.5 }),
      ],
    })),
  },
  {
    name: 'outliers',
    title: 'baseline runs',
    columns: [
      'unchanged',
      '`confirm`',
      'one +20%',
      '`confirm`',
      'one +50%',
      '`confirm`',
      'all +20%',
      '`confirm`',
    ],
    rows: [1, 3, 5].map((runs) => ({
      title: String(runs),
      trials: [unchanged, slower(1.2), slower(1.5), slower(1.2, everything)].flatMap((change) =>
        [false, true].map((confirm) => trial(runs, all, change, odd, confirm)),
      ),
    })),
  },
  {
    name: 'samples',
    title: 'metric; five baseline runs, noise of 3%',
    columns: ['20 samples', '200', '1,000', '10,000'],
    rows: ['mean', 'median', 'p95', 'p99'].flatMap((metric) =>
      [1, 1.2].map((factor) => ({
        title: factor === 1 ? `${metric}, unchanged` : `${metric}, +20%`,
        trials: [20, 200, 1000, 10_000].map((samples) =>
          trial(5, `request "*" ${metric} <= baseline + 10%`, slower(factor), {
            ...studied,
            runNoise: 0.03,
            samples: [samples, samples],
          }),
        ),
      })),
    ),
  },
  {
    name: 'errors',
    title: 'about 13 errors, unchanged, <= baseline + 10%',
    columns: numbers.map((runs) => `${runs} baseline ${runs === 1 ? 'run' : 'runs'}`),
    rows: [
      ['one gate', 'request "Request 1" errors <= baseline + 10%', { ...studied, errors: 13 }] as const,
      ['20 gates', 'request "*" errors <= baseline + 10%', { ...studied, errors: 13 }] as const,
      [
        'one gate, bursts in every tenth run',
        'request "Request 1" errors <= baseline + 10%',
        { ...studied, errors: 13, bursts: 0.1 },
      ] as const,
    ].map(([title, gates, shape]) => ({
      title,
      trials: numbers.map((runs) => trial(runs, gates, unchanged, shape)),
    })),
  },
]
