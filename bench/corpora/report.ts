import { readFileSync } from 'node:fs'
import { blockFile, textFile, writeArchive, type ArchiveFile } from '../../sandbox/report/archive-file.js'
import { testReportXml } from '../../sandbox/report/archive.js'
import { writeLargeTestReport } from '../../sandbox/report/large.js'
import { seededRandom } from '../../sandbox/report/random.js'
import { quietRun } from '../../sandbox/report/simulated-run.js'
import type { Bench } from '../bench.js'
import { cached } from './cached.js'
import { seededBlocks, seededSizes } from './bytes.js'

/** The share of pictures in the bytes of a report's files; the rest are pages. */
const pictures = 0.75
/** Roughly the share of a page's bytes that gzip leaves. */
const packedText = 0.3

/**
 * A report archive (tar.gz) of about `bytes` bytes: charts and result browsers with their pictures, and at the end,
 * the worst place, the two XML files.
 */
export function reportArchive(
  bench: Bench,
  { files, bytes }: { files: number; bytes: number },
  seed = 1,
): Promise<string> {
  return cached(bench, `report-${files}-${bytes}-${seed}.tar.gz`, async (target) => {
    const run = { ...quietRun, seed, errorRate: 0.01 }
    const unpacked = bytes / (pictures + (1 - pictures) * packedText)
    const scorecard = readFileSync('__tests__/engine/golden/10.0.0-beta-1/normal/scorecard.xml', 'utf8')
    const content: ArchiveFile[] = [...pages(seed, files, unpacked)]
    content.push(textFile('20260117-101500/scorecard.xml', scorecard))
    content.push(textFile('20260117-101500/testreport.xml', testReportXml(run)))
    await writeArchive(target, 'tar.gz', content, { time: run.endTime, level: 6 })
  })
}

/** A testreport.xml alone. */
export function testReport(bench: Bench, bytes: number, seed = 1): Promise<string> {
  return cached(bench, `testreport-${bytes}-${seed}.xml`, (target) =>
    writeLargeTestReport(target, bytes, seed),
  )
}

function* pages(seed: number, files: number, bytes: number): Generator<ArchiveFile> {
  const random = seededRandom(seed, 'pages')
  const { text, noise } = seededBlocks(seed)
  for (const [index, size] of seededSizes(seed, files, bytes).entries()) {
    const isPicture = random.next() < pictures
    const name = `20260117-101500/results/${index % 100}/page-${index}.${isPicture ? 'webp' : 'html'}`
    const block = isPicture ? noise : text
    yield blockFile(name, size, block, random.between(0, block.length - 1))
  }
}
