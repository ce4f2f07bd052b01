import { readFile } from 'node:fs/promises'
import { replaced, withFigures } from '../../bench/page.js'
import { median, rounds } from '../../bench/rounds.js'
import { isReached, type Row } from '../../bench/row.js'
import { quick } from '../../bench/sizes.js'
import { markdown, tableOf, type Results } from '../../bench/table.js'

const results = async () => JSON.parse(await readFile('docs/internals/performance.json', 'utf8')) as Results
const page = () => readFile('docs/internals/performance.md', 'utf8')

test('docs/internals/performance.md shows what docs/internals/performance.json contains', async () => {
  expect(await withFigures(await page(), await results())).toBe(await page())
})

test('the two sides take turns, and the first round does not count', async () => {
  const order: string[] = []
  const side = (name: string, times: number[]) => async () => {
    order.push(name)
    return { milliseconds: times.shift() ?? 0, peakBytes: 1e6 * times.length }
  }
  const seen = await rounds(
    { sizes: quick, log: () => undefined },
    'a path',
    { ours: side('ours', [900, 1, 5, 3]), rival: side('rival', [900, 10, 30, 20]) },
    3,
  )
  expect(order.join(' ')).toBe('rival ours ours rival rival ours ours rival')
  expect(seen).toEqual({
    ours: { milliseconds: 3, peakBytes: 1e6, runs: 3 },
    rival: { milliseconds: 20, peakBytes: 1e6, runs: 3 },
  })
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

const row: Row = {
  path: 'pack',
  input: '3 files',
  unit: 'ms',
  ours: 700,
  rival: { name: 'git archive', value: 1000 },
  compared: { kind: 'ratio', value: 0.7, goal: { bound: 'at most', value: 0.6 } },
  memory: { ours: 64_000_000 },
  runs: 5,
}

test.each([
  ['at most', 0.6, true],
  ['at most', 0.61, false],
  ['at least', 0.6, true],
  ['at least', 0.59, false],
] as const)('%s 0.6 by %d', (bound, value, reached) => {
  expect(isReached({ kind: 'ratio', value, goal: { bound, value: 0.6 } })).toBe(reached)
})

test('a missed goal is reported, but not in runs that are too small for it', () => {
  const machine = { cores: 2, node: '24.0.0', platform: 'linux x64' }
  expect(markdown({ machine, rows: [row] })).toContain(
    '| pack | 3 files | 700 ms | git archive, 1.00 s | 0.70 | at most 0.60, **missed** | 64.0 MB |',
  )
  expect(tableOf([row], false)).not.toContain('missed')
})

test('rows that are measured again are replaced, and new ones come last', () => {
  const row = (name: string, ours: number): Row => ({
    ...{ path: name, input: 'all', unit: 'ms', ours, memory: {}, runs: 5 },
    compared: { kind: 'value', value: ours },
  })
  const rows = [row('pack', 1), row('judge', 2)]
  expect(replaced(rows, [row('start', 3), row('pack', 4)])).toEqual([
    row('pack', 4),
    row('judge', 2),
    row('start', 3),
  ])
})
