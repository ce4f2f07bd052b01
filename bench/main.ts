import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { node24 } from '../sandbox/runner/node24.js'
import { full, quick, type Bench } from './bench.js'
import { program } from './measure.js'
import { writePage } from './page.js'
import { download } from './paths/download.js'
import { history } from './paths/history.js'
import { judge } from './paths/judge.js'
import { pack } from './paths/pack.js'
import { start } from './paths/start.js'
import { wholeStep } from './paths/whole-step.js'
import { tableOf, type Row } from './row.js'

/*
 * npm run bench                       everything, written to docs/internals/performance.md and .json
 * npm run bench -- --only pack,start  some paths; the figures of the others stay
 * npm run bench -- --quick            small inputs, one run each, to see that everything works; nothing is written
 *
 * Corpora are kept in BENCH_DIR, by default in the system's temporary folder.
 */
const paths = [pack, download, judge, history, start, wholeStep]

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
})
const only = values.only?.split(',')
const unknown = only?.filter((name) => !paths.some((one) => one.name === name)) ?? []
if (unknown.length > 0)
  throw new Error(`There is no path ${unknown.join()}, only ${paths.map(({ name }) => name).join()}.`)

const folder = path.resolve(process.env.BENCH_DIR ?? path.join(tmpdir(), 'load-test-action-bench'))
await mkdir(folder, { recursive: true })
const scratch = await mkdtemp(path.join(folder, 'scratch-'))
const bench: Bench = { sizes: values.quick ? quick : full, folder, scratch }
const rows: Row[] = []
try {
  for (const one of paths) {
    if (only && !only.includes(one.name)) continue
    rows.push(...(await one.measure(bench)))
    await rm(scratch, { recursive: true })
    await mkdir(scratch)
  }
} finally {
  await rm(scratch, { recursive: true, force: true })
}
console.log(`\n${tableOf(rows, !values.quick)}`)
if (!values.quick) {
  const node = (await program(node24(), ['--version'])).said.trim().replace(/^v/, '')
  const machine = { cores: availableParallelism(), node, platform: `${process.platform} ${process.arch}` }
  await writePage({ machine, rows }, only !== undefined)
  console.log('\nWrote docs/internals/performance.json and the table of docs/internals/performance.md.')
}
