import { readFile } from 'node:fs/promises'
import { withFigures, type Results } from '../../bench/page.js'
import { tableOf, type Row } from '../../bench/row.js'

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
  ...{ kind: 'ratio', value: 0.7, atMost: 0.6 },
  memory: { ours: 64_000_000 },
  runs: 5,
}

test('a missed goal is reported, but not in runs that are too small for it', () => {
  expect(tableOf([row], true)).toContain(
    '| pack | 3 files | 700 ms | git archive, 1.00 s | 0.70 | at most 0.60, **missed** | 64.0 MB |',
  )
  expect(tableOf([{ ...row, value: 0.6 }], true)).not.toContain('missed')
  expect(tableOf([row], false)).not.toContain('missed')
})
