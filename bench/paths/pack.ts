import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { repository } from '../corpora/repository.js'
import { program, step } from '../measure.js'
import { rounds, type Medians } from '../rounds.js'
import { inputOf, rowOf } from '../row.js'

export const pack: Path = {
  name: 'pack',
  async measure(bench) {
    const { sizes, scratch } = bench
    const ownWay = await built('bench/programs/pack.ts', bench.folder)
    const worker = await built('src/archive/deflate-worker.ts', bench.folder)
    const admZip = await built('bench/programs/adm-zip.ts', bench.folder)
    const target = path.join(scratch, 'archive.zip')
    const ours = (source: string) => () => step(ownWay, [source, target, worker])
    const git = (source: string) => () =>
      program('git', ['-C', source, 'archive', '--format=zip', '--prefix=bench/', '-o', target, 'HEAD'])

    const large = await repository(bench, sizes.repository)
    const whole = await rounds(bench, 'pack', {
      ours: ours(large),
      git: git(large),
      admZip: () => step(admZip, [large, target]),
    })
    const small = await repository(bench, sizes.smallFiles, 2)
    const smallFiles = await rounds(bench, 'pack small files', { ours: ours(small), git: git(small) })
    const rival = (of: Medians) => ({ name: 'git archive --format=zip', ...of })
    const [input, smallInput] = [inputOf(sizes.repository), inputOf(sizes.smallFiles)]
    const shared = { input, ours: whole.ours, kind: 'ratio' } as const
    return [
      ...rowOf({ ...shared, path: 'pack a repository', rival: rival(whole.git), atMost: 0.5 }),
      ...rowOf({
        ...{
          path: 'pack small files',
          input: smallInput,
          ours: smallFiles.ours,
          kind: 'ratio',
          atMost: 0.55,
        },
        rival: rival(smallFiles.git),
      }),
      ...rowOf({
        ...{ ...shared, path: 'pack, memory', unit: 'bytes', atMost: 0.65 },
        rival: { name: 'adm-zip addLocalFolder, writeZip', ...whole.admZip },
      }),
    ]
  },
}
