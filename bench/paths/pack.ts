import path from 'node:path'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { repository } from '../corpora/repository.js'
import { program, step } from '../measure.js'
import { rounds } from '../rounds.js'
import { inputOf, pairOf } from '../pair.js'
import type { Row } from '../row.js'

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
    return [
      pairOf(
        'pack a repository',
        inputOf(sizes.repository),
        whole.ours,
        {
          name: 'git archive --format=zip',
          ...whole.git,
        },
        0.5,
      ),
      pairOf(
        'pack small files',
        inputOf(sizes.smallFiles),
        smallFiles.ours,
        {
          name: 'git archive --format=zip',
          ...smallFiles.git,
        },
        0.55,
      ),
      ...memoryRow(bench, whole),
    ]
  },
}

type Packed = Awaited<ReturnType<typeof rounds<'ours' | 'admZip'>>>

function memoryRow({ sizes }: Bench, { ours, admZip }: Packed): Row[] {
  if (ours.peakBytes === undefined || admZip.peakBytes === undefined) return []
  return [
    {
      path: 'pack, memory',
      input: inputOf(sizes.repository),
      unit: 'bytes',
      ours: ours.peakBytes,
      rival: { name: 'adm-zip addLocalFolder, writeZip', value: admZip.peakBytes },
      compared: {
        kind: 'ratio',
        value: ours.peakBytes / admZip.peakBytes,
        goal: { bound: 'at most', value: 0.65 },
      },
      memory: { ours: ours.peakBytes, rival: admZip.peakBytes },
      runs: ours.runs,
    },
  ]
}
