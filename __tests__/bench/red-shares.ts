import { studied } from '../../bench/noise/load.js'
import { redShare } from '../../bench/noise/trial.js'

export const everyRequest = 'request "*" p95 <= baseline + 10 %'
/** A quick form of npm run noise: few repetitions, so wide bounds. The figures are in docs/noise.md. */
export function tryRedShares(repetitions: number): void {
  test.each([
    // runs, slower, minimum and maximum of red runs
    [5, 1, 'one', 0, 0.15],
    [1, 1, 'one', 0, 0.15],
    [5, 1.2, 'one', 0.4, 0.9],
    [5, 1.5, 'one', 0.9, 1],
    [5, 1.2, 'all', 0.88, 1],
  ] as const)('%d baseline runs, a factor of %d for %s', async (runs, factor, of, least, most) => {
    const trial = { shape: studied, gates: everyRequest, runs, slower: { factor, of } }
    const share = await redShare(trial, repetitions, 5)
    expect(share).toBeGreaterThanOrEqual(least)
    expect(share).toBeLessThanOrEqual(most)
  })
}
