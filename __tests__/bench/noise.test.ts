import { studied } from '../../bench/noise/load.js'
import { failures, judgeHistory, nothing } from '../../bench/noise/suggestions.js'
import { redShare } from '../../bench/noise/trial.js'
import { everyRequest, tryRedShares } from './red-shares.js'

// npm run test:whole repeats them more often.
tryRedShares(15)

test('the same seed gives the same runs', async () => {
  const trial = { shape: studied, gates: everyRequest, runs: 3, slower: { factor: 1.15, timers: 1 } }
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
