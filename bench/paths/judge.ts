import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { testReport } from '../corpora/report.js'
import { step } from '../measure.js'
import { megabytes, rowOf } from '../row.js'
import { rounds } from '../rounds.js'

const gatesOf = (metrics: readonly string[]) =>
  Array.from({ length: 50 }, (_, index) => {
    const metric = metrics[index % metrics.length] ?? ''
    return index % 10 === 0 ? `requests ${metric}` : `request "Request ${index + 1}" ${metric}`
  })
const fixed = gatesOf(['p95 <= 5 s', 'mean <= 2 s', 'error-rate <= 5%', 'count >= 1', 'max < 60 s'])
const comparing = gatesOf([
  ...['p95 <= baseline + 10%', 'mean <= baseline + 10%', 'error-rate <= baseline + 1 pp'],
  ...['count >= 1', 'max < 60 s'],
])

export const judge: Path = {
  name: 'judge',
  async measure(bench) {
    const { scratch, folder, sizes } = bench
    const report = await testReport(bench, sizes.testReportBytes)
    const earlier: string[] = []
    for (const seed of [2, 3, 4, 5, 6]) earlier.push(await testReport(bench, sizes.testReportBytes, seed))
    const own = await built('bench/programs/judge.ts', folder)
    const library = await built('bench/programs/saxes.ts', folder)
    const judging = async (gates: readonly string[], name: string, baselines: readonly string[]) => {
      const file = path.join(scratch, name)
      await writeFile(file, gates.join('\n'))
      return () => step(own, [report, file, ...baselines])
    }
    const { plain, noise, saxes } = await rounds(bench, 'judge', {
      plain: await judging(fixed, 'gates.txt', []),
      noise: await judging(comparing, 'comparing.txt', earlier),
      saxes: () => step(library, [report]),
    })
    const input = `testreport.xml of ${megabytes(sizes.testReportBytes)}, ${fixed.length} gates`
    const rival = { name: 'saxes alone', ...saxes }
    const byNoise = `${input}, ${earlier.length} baseline runs`
    return [
      ...rowOf({ path: 'judge', input, ours: plain, rival, kind: 'ratio', atMost: 1.3 }),
      ...rowOf({ path: 'judge by the noise', input: byNoise, ours: noise, rival, kind: 'ratio', atMost: 3 }),
    ]
  },
}
