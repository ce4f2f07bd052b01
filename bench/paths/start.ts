import { fileURLToPath } from 'node:url'
import { node24 } from '../../sandbox/runner/node24.js'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { program } from '../measure.js'
import { rowOf } from '../pair.js'
import { rounds } from '../rounds.js'

export const start: Path = {
  name: 'start',
  async measure(bench) {
    const dist = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
    const coreOnly = await built('bench/programs/core-only.ts', bench.folder)
    const failing = (file: string) => async () => {
      const run = await program(node24(), [file], { exitCode: 1 })
      if (!/::error[ :]/.test(run.said)) throw new Error(`${file} reported no input error: ${run.said}`)
      return run
    }
    const { ours, core } = await rounds(
      bench,
      'start',
      { ours: failing(dist), core: failing(coreOnly) },
      bench.sizes.starts,
    )
    const rival = { name: 'a step that only loads @actions/core', ...core }
    return rowOf({
      ...{ path: 'start, to the first input error', input: 'no inputs', ours, rival },
      ...{ kind: 'ratio', atMost: 2 },
    })
  },
}
