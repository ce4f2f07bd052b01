import type { GateResult } from '../../src/gates/result.js'
import { gateLine } from '../../src/publish/words/verdict-words.js'
import { wholeRunText } from '../../src/publish/words/figure-text.js'

const gate: GateResult = {
  gate: 'requests p95 <= baseline + 10 %',
  line: 1,
  subject: 'requests',
  metric: 'p95',
  unit: 'ms',
  operator: '<=',
  value: 470,
  limit: 451,
  result: 'passed',
  noise: { percent: 4.04, samples: 820, failsBeyond: 512 },
}

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

test('one sentence describes the whole run', () => {
  const noise = {
    kind: 'requests' as const,
    percent: 13.2,
    noise: 4,
    timers: 20,
    shown: 20,
    metric: 'p95',
    isSignificant: true,
  }
  expect(wholeRunText(noise)).toBe('All 20 requests together are 13% slower (p95), more than noise.')
  expect(wholeRunText({ ...noise, isAssumed: true })).toBe(
    'All 20 requests together are 13% slower (p95), more than assumed noise.',
  )
  expect(wholeRunText({ ...noise, percent: -5, isSignificant: false })).toBe(
    'All 20 requests together are 5% faster (p95), within noise.',
  )
  // The key figure beside it may say that nothing changed.
  expect(wholeRunText({ ...noise, percent: -4.9, isSignificant: false })).toBe('')
  expect(wholeRunText({ ...noise, percent: -4.9 })).toContain('are 4.9% faster (p95), more than noise.')
  expect(wholeRunText({ ...noise, shown: 11 })).toBe(
    'All 20 requests together are 13% slower (p95, 11 show it), more than noise.',
  )
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
