import { studied } from '../../bench/noise/load.js'
import { failures, judgeHistory, nothing } from '../../bench/noise/suggestions.js'
import { tryRedShares } from './red-shares.js'

tryRedShares(60)

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
