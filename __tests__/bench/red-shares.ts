import { studied } from '../../bench/noise/load.js'
import { redShare } from '../../bench/noise/trial.js'

export const everyRequest = 'request "*" p95 <= baseline + 10%'
/** A quick form of npm run noise: few repetitions, so wide bounds. The figures are in docs/internals/noise.md. */
export function tryRedShares(repetitions: number): void {
  test.each([
    // runs, slower, how many timers, minimum and maximum of red runs
    [5, 1, 1, 0, 0.15],
    [1, 1, 1, 0, 0.1],
    [5, 1.2, 1, 0.15, 0.7],
    [5, 1.5, 1, 0.9, 1],
    [5, 1.2, 20, 0.8, 1],
    [1, 1.5, 1, 0.6, 1],
    [1, 2, 1, 0.95, 1],
    [1, 1.5, 10, 0.95, 1],
  ] as const)('%d baseline runs, a factor of %d for %d of 20', async (runs, factor, timers, least, most) => {
    const trial = { shape: studied, gates: everyRequest, runs, slower: { factor, timers } }
    const share = await redShare(trial, repetitions, 5)
    expect(share).toBeGreaterThanOrEqual(least)
    expect(share).toBeLessThanOrEqual(most)
  })
}
