import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { judgeReport } from '../../src/judgement/judgement.js'
import { parseGates } from '../../src/gates/language/language.js'
import type { Report } from '../../src/report/report.js'
import { readReport } from '../../src/report/report-files.js'

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testreport>
  <summary><requests><name>All Requests</name><count>1000</count><errors>7</errors></requests></summary>
</testreport>`

let folder: string
beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'judgement-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a job that is cancelled while an xpath gate is evaluated has no verdict', async () => {
  const testReport = path.join(folder, 'testreport.xml')
  await writeFile(testReport, xml)
  const { gates } = parseGates('xpath(count(//request)) >= 0')
  expect(gates).toHaveLength(1)
  const endless = path.join(folder, 'endless.mjs')
  await writeFile(endless, 'setInterval(() => undefined, 1000)')
  const cancel = new AbortController()
  const judged = judgeReport({
    files: { testReport },
    gates,
    xpathWorker: pathToFileURL(endless),
    signal: cancel.signal,
    redact: (value) => value,
  })
  cancel.abort(new Error('The job was cancelled.'))
  await expect(judged).rejects.toThrow('The job was cancelled.')
})

describe('gates are suggested', () => {
  const suggestedBy = async (lines: string, earlier: number) => {
    const testReport = path.join(folder, 'testreport.xml')
    await writeFile(testReport, measured)
    const { report } = await readReport({ testReport })
    const reports = Array.from({ length: earlier }, (_, at): Report => {
      return { ...report, general: { ...report.general, startTime: at } }
    })
    const nothing = Array.from({ length: earlier }, () => ({}))
    const info = { name: 'main', runs: earlier }
    const runs = { reports, origins: nothing, pages: reports.map(() => undefined), info }
    const judged = await judgeReport({
      files: { testReport },
      gates: parseGates(lines).gates,
      xpathWorker: pathToFileURL('unused.mjs'),
      signal: new AbortController().signal,
      redact: (value) => value,
      ...(earlier > 0 ? { baseline: { runs, notes: [], advice: [] } } : {}),
    })
    return [judged.verdict, judged.suggestion?.runs]
  }

  it.each([
    ['after a run without gates', '', 0, 'passed', 1],
    ['after one with a baseline', '', 1, 'passed', 2],
    ['with three earlier runs, whatever the gates', 'requests count >= 1', 3, 'passed', 4],
    ['not with gates and fewer', 'requests count >= 1', 2, 'passed', undefined],
    ['not with gates alone', 'requests count >= 1', 0, 'passed', undefined],
    ['not after a run that failed', 'requests count = 0', 3, 'failed', undefined],
    ['not after one that measured too little', 'requests p99 <= 1 s', 3, 'invalid', undefined],
  ])('%s', async (_, lines, earlier, verdict, runs) => {
    expect(await suggestedBy(lines, earlier)).toEqual([verdict, runs])
  })
})

const measured = `<?xml version="1.0" encoding="UTF-8"?>
<testreport>
  <summary><requests>
    <name>All Requests</name><count>1000</count><errors>0</errors><mean>200</mean><deviation>50</deviation>
    <percentiles><p95>400</p95></percentiles>
  </requests></summary>
</testreport>`
