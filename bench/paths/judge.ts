import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Path } from '../bench.js'
import { built } from '../built.js'
import { testReport } from '../corpora/report.js'
import { step } from '../measure.js'
import { megabytes, pairOf } from '../pair.js'
import { rounds } from '../rounds.js'

const gates = Array.from({ length: 50 }, (_, index) => {
  const metric = ['p95 <= 5 s', 'mean <= 2 s', 'error-rate <= 5 %', 'count >= 1', 'max < 60 s'][index % 5]
  return index % 10 === 0 ? `requests ${metric}` : `request "Request ${index + 1}" ${metric}`
})

export const judge: Path = {
  name: 'judge',
  async measure(bench) {
    const { scratch, folder, sizes } = bench
    const report = await testReport(bench, sizes.testReportBytes)
    const gatesFile = path.join(scratch, 'gates.txt')
    await writeFile(gatesFile, gates.join('\n'))
    const own = await built('bench/programs/judge.ts', folder)
    const library = await built('bench/programs/saxes.ts', folder)
    const { ours, saxes } = await rounds(bench, 'judge', {
      ours: () => step(own, [report, gatesFile]),
      saxes: () => step(library, [report]),
    })
    const input = `testreport.xml of ${megabytes(sizes.testReportBytes)}, ${gates.length} gates`
    return [pairOf('judge', input, ours, { name: 'saxes alone', ...saxes }, 1.3)]
  },
}
