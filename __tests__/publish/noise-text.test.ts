import { gateLine } from '../../src/publish/annotations.js'
import { wholeRunText } from '../../src/publish/words/figure-text.js'
import { gate as gateOf } from './outcomes.js'

const noise = { percent: 4.04, samples: 820, failsBeyond: 512 }
const gate = gateOf(1, 'requests p95 <= baseline + 10 %', { value: 470, limit: 451, noise })

test('one line shows how much noise explains', () => {
  expect(gateLine(gate)).toContain(
    'value 470 ms, limit ≤ 451 ms, noise allows up to 512 ms (±4%, 820 samples)',
  )
  expect(gateLine({ ...gate, operator: '>=', noise: { percent: 12.2, failsBeyond: 300 } })).toContain(
    'noise allows down to 300 ms (±12%)',
  )
  expect(gateLine({ ...gate, noise: { percent: 7, assumed: true, failsBeyond: 512 } })).toContain(
    'noise allows up to 512 ms (±7%, assumed)',
  )
  expect(gateLine({ ...gate, noise: { percent: 5, run: true } })).toContain('noise of the whole run ±5%')
  expect(gateLine({ ...gate, noise: { percent: 4 } })).toContain('noise allows any value (±4%)')
})

test('of what all matches of a wildcard have in common, one line says no value', () => {
  const first = gateOf(1, 'request "*" mean <= baseline', { result: 'not-compared' })
  expect(gateLine(first)).toMatch(/: several values$/)
  expect(gateLine({ ...first, result: 'not-measured' })).toContain(': value not measured')
  const { operator: _, ...scorecard } = gateOf(2, 'scorecard passes', { subject: 'scorecard' })
  expect(gateLine(scorecard)).toBe('scorecard passes')
  expect(gateLine({ ...scorecard, reason: 'It failed.' })).toBe('scorecard passes: It failed.')
})

test('one sentence describes the whole run', () => {
  const noise = {
    ...{ kind: 'requests' as const, metric: 'p95', percent: 13.2, noise: 4, timers: 20, shown: 20 },
    isSignificant: true,
  } as const
  expect(wholeRunText(noise)).toBe('All 20 requests together are 13% slower (p95), more than noise.')
  expect(wholeRunText({ ...noise, isAssumed: true })).toContain('(p95), more than assumed noise.')
  const within = { ...noise, percent: -5, isSignificant: false }
  expect(wholeRunText(within)).toContain('are 5% faster (p95), within noise.')
  // The key figure beside it may say that nothing changed.
  expect(wholeRunText({ ...within, percent: -4.9 })).toBe('')
  expect(wholeRunText({ ...noise, percent: -4.9 })).toContain('are 4.9% faster (p95), more than noise.')
  expect(wholeRunText({ ...noise, shown: 11 })).toContain('slower (p95, 11 show it), more than')
  const few = { ...noise, isAssumed: true, isSignificant: false } as const
  const until =
    'from three on they can. Until then, a gate with a fixed limit decides, or confirm: true where the step starts the load test.'
  expect(wholeRunText(few, 1)).toBe(
    `All 20 requests together are 13% slower (p95). One earlier run cannot tell whether that is chance; ${until}`,
  )
  expect(wholeRunText({ ...few, percent: -5 }, 2)).toContain(
    'are 5% faster (p95). Two earlier runs cannot tell',
  )
  expect(wholeRunText({ ...few, percent: 4.9 }, 1)).toBe('')
  expect(wholeRunText(undefined)).toBe('')
})
