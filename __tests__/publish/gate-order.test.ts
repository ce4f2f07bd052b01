import { openFirst } from '../../src/publish/words/verdict-words.js'
import { gate } from './outcomes.js'

test('gates by their outcome, then as written; results of one gate by how far they are beyond the limit', () => {
  const result = (line: number, how: 'failed' | 'not-measured' | 'warned' | 'passed', value: number) =>
    gate(line, `gate ${line}`, { result: how, value, limit: 100 })
  const gates = [
    result(2, 'warned', 120),
    result(1, 'failed', 110),
    result(1, 'passed', 90),
    result(3, 'not-measured', 0),
    result(1, 'failed', 300),
    result(4, 'failed', 900),
    result(1, 'failed', 200),
  ]
  expect(openFirst(gates).map(({ line, value }) => [line, value])).toEqual([
    [1, 300],
    [1, 200],
    [1, 110],
    [4, 900],
    [3, 0],
    [2, 120],
    [1, 90],
  ])
})

test('of results of one gate that know their samples, what adds most in all comes first', () => {
  const result = (value: number, samples: number) =>
    gate(1, 'g', { value, limit: 400, result: 'failed', noise: { percent: 4, samples } })
  const gates = [result(900, 30), result(410, 2000), result(500, 140)]
  expect(openFirst(gates).map(({ value }) => value)).toEqual([410, 900, 500])
})

test('100,000 results of one gate are put in order within the time of a test', async () => {
  const one = gate(1, 'request "*" p95 <= 1 ms', { result: 'failed', limit: 1 })
  const gates = Array.from({ length: 100_000 }, (_, value) => ({ ...one, value }))
  expect(openFirst(gates)[0]?.value).toBe(99_999)
  // Only now can the test's limit take effect.
  await new Promise((resolve) => setTimeout(resolve, 1))
})
