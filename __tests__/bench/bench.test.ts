import { readFile } from 'node:fs/promises'
import { withFigures } from '../../bench/page.js'

import { isReached, type Row } from '../../bench/row.js'

import { markdown, tableOf, type Results } from '../../bench/table.js'

const results = async () => JSON.parse(await readFile('docs/internals/performance.json', 'utf8')) as Results
const page = () => readFile('docs/internals/performance.md', 'utf8')

test('docs/internals/performance.md shows what docs/internals/performance.json contains', async () => {
  expect(await withFigures(await page(), await results())).toBe(await page())
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
