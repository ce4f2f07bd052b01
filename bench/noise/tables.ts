import { studied, type Shape } from './load.js'
import type { Trial } from './trial.js'

/** One table of docs/noise.md: a percentage for each row and column. */
export interface Table {
  name: string
  title: string
  columns: string[]
  rows: { title: string; trials: Trial[] }[]
}

const one = 'request "Request 1" p95 <= baseline + 10 %'
const all = 'request "*" p95 <= baseline + 10 %'
const odd: Shape = { ...studied, outliers: 0.05 }
const numbers = [1, 3, 5, 10]

function trial(
  runs: number,
  gates: string,
  factor: number,
  of: 'one' | 'all' = 'one',
  shape: Shape = studied,
  confirm = false,
): Trial {
  return { shape, gates, runs, slower: { factor, of }, confirm }
}

export const tables: Table[] = [
  {
    name: 'studied',
    title: 'baseline runs',
    columns: [
      'one gate: unchanged',
      '+5 %',
      '+10 %',
      '+20 %',
      '+50 %',
      '20 gates: any red, unchanged',
      'one slower: +5 %',
      '+10 %',
      '+20 %',
      '+50 %',
      'all +20 %',
    ],
    rows: numbers.map((runs) => ({
      title: String(runs),
      trials: [
        ...[1, 1.05, 1.1, 1.2, 1.5].map((factor) => trial(runs, one, factor)),
        ...[1, 1.05, 1.1, 1.2, 1.5].map((factor) => trial(runs, all, factor)),
        trial(runs, all, 1.2, 'all'),
      ],
    })),
  },
  {
    name: 'outliers',
    title: 'baseline runs',
    columns: ['any red, unchanged', 'with `confirm: 1`', 'one +20 %', 'all +20 %'],
    rows: numbers.map((runs) => ({
      title: String(runs),
      trials: [
        trial(runs, all, 1, 'one', odd),
        trial(runs, all, 1, 'one', odd, true),
        trial(runs, all, 1.2, 'one', odd),
        trial(runs, all, 1.2, 'all', odd),
      ],
    })),
  },
  {
    name: 'shapes',
    title: 'shape, five baseline runs',
    columns: ['any red, unchanged', 'one +20 %', 'one +50 %', 'all +20 %'],
    rows: [
      ['noise of 2 %', { ...studied, runNoise: 0.02 }] as const,
      ['noise of 8 %', { ...studied, runNoise: 0.08 }] as const,
      ['nine tenths of it shared', { ...studied, shared: 0.9 }] as const,
      ['a tenth of it shared', { ...studied, shared: 0.1 }] as const,
      ['heavy tails (t, 4 degrees)', { ...studied, freedom: 4 }] as const,
      ['some timers noisier, up to 3 times', { ...studied, uneven: 3 }] as const,
      ['30 to 300 samples', { ...studied, samples: [30, 300] as [number, number] }] as const,
      ['steps of 10 ms', { ...studied, step: 10 }] as const,
      ['2 timers', { ...studied, timers: 2 }] as const,
      ['60 timers', { ...studied, timers: 60 }] as const,
      ['200 timers', { ...studied, timers: 200 }] as const,
    ].map(([title, shape]) => ({
      title,
      trials: [
        trial(5, all, 1, 'one', shape),
        trial(5, all, 1.2, 'one', shape),
        trial(5, all, 1.5, 'one', shape),
        trial(5, all, 1.2, 'all', shape),
      ],
    })),
  },
  {
    name: 'samples',
    title: 'metric; one baseline run, noise of 3 %',
    columns: ['20 samples', '200', '1,000', '10,000'],
    rows: ['median', 'p95', 'p99', 'p99.9'].flatMap((metric) =>
      [1, 1.2].map((factor) => ({
        title: factor === 1 ? `${metric}, unchanged` : `${metric}, +20 %`,
        trials: [20, 200, 1000, 10_000].map((samples) =>
          trial(1, `request "Request 1" ${metric} <= baseline + 10 %`, factor, 'one', {
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
    title: 'about 13 errors, unchanged, <= baseline + 10 %',
    columns: numbers.map((runs) => `${runs} baseline ${runs === 1 ? 'run' : 'runs'}`),
    rows: [
      ['one gate', 'request "Request 1" errors <= baseline + 10 %', { ...studied, errors: 13 }] as const,
      ['20 gates', 'request "*" errors <= baseline + 10 %', { ...studied, errors: 13 }] as const,
      [
        'one gate, bursts in every tenth run',
        'request "Request 1" errors <= baseline + 10 %',
        { ...studied, errors: 13, bursts: 0.1 },
      ] as const,
    ].map(([title, gates, shape]) => ({
      title,
      trials: numbers.map((runs) => trial(runs, gates, 1, 'one', shape)),
    })),
  },
]
