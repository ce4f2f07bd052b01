import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { repository } from '../corpora/repository.js'
import { program, step } from '../measure.js'
import { rounds } from '../rounds.js'
import { inputOf, rowOf, type Row } from '../row.js'

export const pack: Path = {
  name: 'pack',
  async measure(bench) {
    const { sizes, scratch } = bench
    const ownWay = await built('bench/programs/pack.ts', bench.folder)
    const worker = await built('src/archive/deflate-worker.ts', bench.folder)
    const target = path.join(scratch, 'archive.zip')
    const rows: Row[] = []
    for (const [name, size, seed, atMost] of [
      ['pack a repository', sizes.repository, 1, 0.5],
      ['pack small files', sizes.smallFiles, 2, 0.55],
    ] as const) {
      const source = await repository(bench, size, seed)
      const { ours, git } = await rounds(bench, name, {
        ours: () => step(ownWay, [source, target, worker]),
        git: () =>
          program('git', ['-C', source, 'archive', '--format=zip', '--prefix=bench/', '-o', target, 'HEAD']),
      })
      const rival = { name: 'git archive --format=zip', ...git }
      rows.push(...rowOf({ path: name, input: inputOf(size), ours, rival, kind: 'ratio', atMost }))
    }
    return rows
  },
}
