import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { reportArchive } from '../corpora/report.js'
import { program, step } from '../measure.js'
import { rounds } from '../rounds.js'
import { megabytes, rowOf } from '../row.js'
import { withServer } from '../server.js'

/** A report with everything that is read from it on the way, which takes at least one gunzip. */
export const download: Path = {
  name: 'download',
  async measure(bench) {
    const report = await reportArchive(bench, bench.sizes.report)
    const { size: bytes } = await stat(report)
    const server = await built('bench/programs/instant-service.ts', bench.folder)
    const own = await built('bench/programs/download.ts', bench.folder)
    const temp = path.join(bench.scratch, 'download')
    const { ours, gzip, idle } = await withServer(server, [report], (url) => {
      const as = (manner: string) => async () => {
        await rm(temp, { recursive: true, force: true })
        await mkdir(temp)
        return step(own, [url, temp, manner])
      }
      return rounds(bench, 'download', {
        ours: as('read'),
        gzip: () => program('gzip', ['-t', report]),
        idle: as('idle'),
      })
    })
    const input = megabytes(bytes)
    return [
      ...rowOf({
        ...{ path: 'download a report and read it on the way', input, ours, kind: 'ratio', atMost: 1.25 },
        rival: { name: 'gzip -t of the same file', ...gzip },
      }),
      ...rowOf({
        ...{ path: 'download, memory', input, unit: 'bytes', ours, kind: 'difference', atMost: 64_000_000 },
        rival: { name: 'the idle step', ...idle },
      }),
    ]
  },
}
