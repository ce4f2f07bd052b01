import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { reportArchive } from '../corpora/report.js'
import { program, step } from '../measure.js'
import { inputOf, rowOf } from '../pair.js'
import { rounds } from '../rounds.js'
import { withServer } from '../server.js'

/** What reading the XML files adds to a download that only saves. */
export const read: Path = {
  name: 'read',
  async measure(bench) {
    const report = await reportArchive(bench, bench.sizes.report)
    const server = await built('bench/programs/instant-service.ts', bench.folder)
    const download = await built('bench/programs/download.ts', bench.folder)
    const temp = path.join(bench.scratch, 'read')
    const emptied = async () => {
      await rm(temp, { recursive: true, force: true })
      await mkdir(temp)
    }
    const { reading, saving, tar } = await withServer(server, [report], (url) =>
      rounds(bench, 'read', {
        reading: () => emptied().then(() => step(download, [url, temp, 'read'])),
        saving: () => emptied().then(() => step(download, [url, temp, 'save'])),
        tar: () => emptied().then(() => program('tar', ['-xzf', report, '-C', temp])),
      }),
    )
    const added = { ...reading, milliseconds: Math.max(0, reading.milliseconds - saving.milliseconds) }
    const input = inputOf(bench.sizes.report)
    return rowOf({
      ...{ path: 'read the XML files while they come', input, ours: added, kind: 'ratio', atMost: 0.2 },
      rival: { name: 'tar -xzf', ...tar },
    })
  },
}
