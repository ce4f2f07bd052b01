import { studied } from '../../bench/noise/load.js'
import { failures, judgeHistory, nothing } from '../../bench/noise/suggestions.js'
import { redShare, usual } from '../../bench/noise/trial.js'

/* A quick form of npm run noise: few repetitions, so wide bounds. The figures are in docs/internals/noise.md. */

test.each([
  // runs, slower, how many timers, minimum and maximum of red runs
  [5, 1, 1, 0, 0.15],
  [5, 1.2, 1, 0.15, 0.7],
  [5, 1.5, 1, 0.9, 1],
  [1, 1.5, 1, 0.6, 1],
  [1, 2, 1, 0.95, 1],
] as const)('%d baseline runs, a factor of %d for %d of 20', async (runs, factor, timers, least, most) => {
  const trial = { ...usual, runs, slower: { factor, timers } }
  const share = await redShare(trial, 60, 5)
  expect(share).toBeGreaterThanOrEqual(least)
  expect(share).toBeLessThanOrEqual(most)
})

test('the same seed gives the same runs', async () => {
  const trial = { ...usual, runs: 3, slower: { factor: 1.15, timers: 1 } }
  expect(await redShare(trial, 10, 9)).toBe(await redShare(trial, 10, 9))
})

test('suggested gates leave unchanged runs green, find a slow run, and promise about what they find', async () => {
  const found = nothing()
  for (let seed = 0; seed < 12; seed++) {
    await judgeHistory({ ...studied, failures }, { length: 12, seed }, found)
  }
  expect(found.unchanged.measured).toBeLessThanOrEqual(5)
  expect(found.all.measured).toBeGreaterThanOrEqual(85)
  // So few runs tell it to some 8 percent.
  for (const { promised, measured } of [found.one, found.twice]) {
    expect(Math.abs(promised - measured)).toBeLessThanOrEqual(25)
  }
})
