import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseGates } from '../../src/language/language.js'
import { judgeReport } from '../../src/judgement/judgement.js'
import { readReport, reportFiles } from '../../src/report/reading/report-reader.js'
import type { Report } from '../../src/report/report.js'
import { secrets } from '../../src/text/redaction.js'
import { timed } from './timed.js'

/**
 * Reads a testreport.xml and judges it by the gates of a file, one per line. Further files are its baseline, read before
 * the time is taken, as a step reads it before the run.
 */
const [, , testReport = '', gatesFile = '', ...baselines] = process.argv
const text = await readFile(gatesFile, 'utf8')
// As a step has them: what it was given, and a token that it got.
const token = ['header', 'payload', 'signature'].map((part) =>
  Buffer.from(part.repeat(20)).toString('base64url'),
)
for (const secret of ['q7+W/e=Z & 8%20s3cr3t-9f', token.join('.')]) secrets.add(secret)
const reports: Report[] = []
const scratch = await mkdtemp(path.join(tmpdir(), 'judge-'))
const readFrom = async (file: string) => readReport(await reportFiles([file], path.join(scratch, 'report')))
for (const file of baselines) reports.push((await readFrom(file)).report)
const runs = { reports, origins: [], pages: [], info: { name: 'the earlier runs', runs: reports.length } }
const baseline = reports.length > 0 ? { runs, notes: [], advice: [] } : undefined
await timed(async () => {
  const { gates, faults } = parseGates(text)
  // Without an xpath gate, the worker is never started.
  const noWorker = new URL('file:///none')
  const { signal } = new AbortController()
  const judged = await judgeReport({
    read: await readFrom(testReport),
    gates,
    ...(baseline && { baseline }),
    xpathWorker: noWorker,
    signal,
  })
  // A small report has timers with few samples.
  const open = judged.gates.filter(({ result, unfit }) => result === 'not-measured' && unfit === undefined)
  if (faults.length > 0 || open.length > 0 || judged.gates.length === 0) {
    throw new Error(`The gates do not match the report: ${JSON.stringify([faults, open])}`)
  }
})
await rm(scratch, { recursive: true })
