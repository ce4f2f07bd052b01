import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { reportArchive } from '../corpora/report.js'
import { step } from '../measure.js'
import { inputOf, pairOf } from '../pair.js'
import { rounds } from '../rounds.js'
import { withServer } from '../server.js'
import { variables } from '../variables.js'

export const attach: Path = {
  name: 'attach',
  async measure(bench) {
    const report = await reportArchive(bench, bench.sizes.report)
    const github = await built('bench/programs/github.ts', bench.folder)
    const attaching = await built('bench/programs/attach.ts', bench.folder)
    const folder = path.join(bench.scratch, 'unpacked')
    const run = (manner: string) => async () => {
      await rm(folder, { recursive: true, force: true })
      // A separate GitHub, because a name can be taken only once.
      return withServer(github, [], (env) =>
        step(attaching, [report, folder, manner], { env: variables(env) }),
      )
    }
    const { whole, unpacked } = await rounds(bench, 'attach', {
      whole: run('whole'),
      unpacked: run('unpacked'),
    })
    const rival = { name: 'unpack, zip again and upload', ...unpacked }
    return [pairOf('attach the report', inputOf(bench.sizes.report), whole, rival, 0.2)]
  },
}
