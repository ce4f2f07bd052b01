import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { reportArchive } from '../corpora/report.js'
import { program, step } from '../measure.js'
import { megabytes, rowOf } from '../pair.js'
import { rounds, type Medians } from '../rounds.js'
import type { Row } from '../row.js'
import { withServer } from '../server.js'

const mostAboveIdle = 64_000_000

export const download: Path = {
  name: 'download',
  async measure(bench) {
    const rows: Row[] = []
    for (const [index, size] of bench.sizes.downloads.entries()) {
      const report = await reportArchive(bench, size)
      const { size: bytes } = await stat(report)
      const seen = await measured(bench, report)
      if (index === bench.sizes.downloads.length - 1) rows.unshift(...throughput(bytes, seen))
      rows.push(...memory(bytes, seen))
    }
    return rows
  },
}

type Seen = Record<'saved' | 'ours' | 'curl' | 'gzip' | 'idle', Medians>

async function measured(bench: Bench, report: string): Promise<Seen> {
  const server = await built('bench/programs/instant-service.ts', bench.folder)
  const ours = await built('bench/programs/download.ts', bench.folder)
  const temp = path.join(bench.scratch, 'download')
  return withServer(server, [report], (url) => {
    const own = (manner: string) => async () => {
      await rm(temp, { recursive: true, force: true })
      await mkdir(temp)
      return step(ours, [url, temp, manner])
    }
    return rounds(bench, `download ${path.basename(report)}`, {
      saved: own('save'),
      ours: own('read'),
      curl: () => program('curl', ['-sS', '-o', path.join(bench.scratch, 'curl'), `${url}/download`]),
      gzip: () => program('gzip', ['-t', report]),
      idle: own('idle'),
    })
  })
}

/** To disk, as curl does it; and with everything that is read from it on the way, which takes at least one gunzip. */
function throughput(bytes: number, { saved, ours, curl, gzip }: Seen): Row[] {
  const input = megabytes(bytes)
  const toDisk = { path: 'download a report', input, ours: saved, rival: { name: 'curl -o', ...curl } }
  const value = curl.milliseconds / saved.milliseconds
  return [
    // For throughputs the ratio is inverted: higher is better.
    ...rowOf({ ...toDisk, kind: 'ratio', atMost: 1 }).map((row): Row => ({
      ...row,
      compared: { kind: 'ratio', value, goal: { bound: 'at least', value: 0.9 } },
    })),
    ...rowOf({
      ...{ path: 'download it and read it on the way', input, ours, kind: 'ratio', atMost: 1.25 },
      rival: { name: 'gzip -t of the same file', ...gzip },
    }),
  ]
}

function memory(bytes: number, { ours, idle }: Seen): Row[] {
  return rowOf({
    ...{ path: 'download, memory', input: megabytes(bytes), unit: 'bytes', ours },
    rival: { name: 'the idle step', ...idle },
    ...{ kind: 'difference', atMost: mostAboveIdle },
  })
}
