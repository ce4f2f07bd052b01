import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { reportArchive } from '../corpora/report.js'
import { program, step } from '../measure.js'
import { megabytes, memoryOf } from '../pair.js'
import { rounds, type Medians } from '../rounds.js'
import type { Comparison, Row } from '../row.js'
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

type Seen = Record<'saved' | 'ours' | 'curl' | 'idle', Medians>

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
      idle: own('idle'),
    })
  })
}

/** To disk, as curl does it; and with all that is read of it on the way. */
function throughput(bytes: number, { saved, ours, curl }: Seen): Row[] {
  // Of throughputs: the other way round than times.
  const row = (path: string, one: Medians, goal?: Comparison['goal']): Row => ({
    path,
    input: megabytes(bytes),
    unit: 'ms',
    ours: one.milliseconds,
    rival: { name: 'curl -o', value: curl.milliseconds },
    compared: {
      kind: 'ratio',
      value: curl.milliseconds / one.milliseconds,
      ...(goal ? { goal } : {}),
    },
    memory: memoryOf(one, curl),
    runs: one.runs,
  })
  return [
    row('download a report', saved, { bound: 'at least', value: 0.9 }),
    row('download it and read it on the way', ours),
  ]
}

function memory(bytes: number, { ours, idle }: Seen): Row[] {
  if (ours.peakBytes === undefined || idle.peakBytes === undefined) return []
  return [
    {
      path: 'download, memory',
      input: megabytes(bytes),
      unit: 'bytes',
      ours: ours.peakBytes,
      rival: { name: 'the idle step', value: idle.peakBytes },
      compared: {
        kind: 'difference',
        value: ours.peakBytes - idle.peakBytes,
        goal: { bound: 'at most', value: mostAboveIdle },
      },
      memory: memoryOf(ours, idle),
      runs: ours.runs,
    },
  ]
}
