import { studied } from '../../bench/noise/load.js'
import { redShare } from '../../bench/noise/trial.js'
import { everyRequest, tryRedShares } from './red-shares.js'

// npm run test:whole repeats them more often.
tryRedShares(15)

test('the same seed gives the same runs', async () => {
  const trial = { shape: studied, gates: everyRequest, runs: 3, slower: { factor: 1.15, timers: 1 } }
  expect(await redShare(trial, 10, 9)).toBe(await redShare(trial, 10, 9))
})
