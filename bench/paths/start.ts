import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24 } from '../../sandbox/runner/node24.js'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { program } from '../measure.js'
import { rounds } from '../rounds.js'
import { rowOf, type Row } from '../row.js'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** The start of dist, and its size. */
export const start: Path = {
  name: 'start',
  async measure(bench) {
    const coreOnly = await built('bench/programs/core-only.ts', bench.folder)
    const failing = (file: string) => async () => {
      const run = await program(node24(), [file], { exitCode: 1 })
      if (!/::error[ :]/.test(run.said)) throw new Error(`${file} reported no input error: ${run.said}`)
      return run
    }
    const { ours, core } = await rounds(
      bench,
      'start',
      { ours: failing(path.join(dist, 'index.js')), core: failing(coreOnly) },
      bench.sizes.starts,
    )
    const rival = { name: 'a step that only loads @actions/core', ...core }
    return [
      ...rowOf({
        ...{ path: 'start, to the first input error', input: 'no inputs', ours, rival },
        ...{ kind: 'ratio', atMost: 2 },
      }),
      await size(),
    ]
  },
}

async function size(): Promise<Row> {
  let bytes = 0
  for (const file of await readdir(dist)) bytes += (await stat(path.join(dist, file))).size
  return {
    ...{ path: 'size of dist', input: 'all files', unit: 'bytes', ours: bytes },
    ...{ kind: 'value', value: bytes, atMost: 4_000_000, memory: {}, runs: 1 },
  }
}
