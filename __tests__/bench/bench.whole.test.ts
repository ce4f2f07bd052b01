import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Results } from '../../bench/page.js'
import { ownFolder } from '../own-folder.js'

const bench = (args: string[]) =>
  promisify(execFile)(
    process.execPath,
    [path.join('node_modules', 'tsx', 'dist', 'cli.mjs'), 'bench/main.ts', ...args],
    { env: { ...process.env, BENCH_DIR: folder } },
  )
const results = async () => JSON.parse(await readFile('docs/internals/performance.json', 'utf8')) as Results
const page = () => readFile('docs/internals/performance.md', 'utf8')

const folder = ownFolder()

test('the quick mode measures every row of the table, and writes nothing into docs', async () => {
  const before = [await results(), await page()]
  const { stdout } = await bench(['--quick'])
  const table = stdout.slice(stdout.lastIndexOf('\n| path '))
  // Memory is read from /proc.
  const shown = (await results()).rows.filter(
    ({ path: row }) => process.platform === 'linux' || !row.includes('memory'),
  )
  for (const { path: row } of shown) {
    // A name, and later on the line a figure with its unit.
    const line = table.split('\n').find((text) => text.startsWith(`| ${row}`))
    expect(line).toMatch(/ \d+(?:\.\d+)?(?: (?:ms|s|kB|MB))? /)
    expect(line).toContain('| at most ')
  }
  expect([await results(), await page()]).toEqual(before)
  expect((await readdir(folder)).filter((name) => /scratch|half/.test(name))).toEqual([])
})

test('only the paths that are asked for are measured', async () => {
  const { stdout } = await bench(['--quick', '--only', 'start'])
  expect(stdout).toContain('size of dist')
  expect(stdout).toContain('start, to the first input error')
  expect(stdout).not.toContain('pack')
  await expect(bench(['--only', 'pakc'])).rejects.toThrow()
})
