import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { judgeReport } from '../../src/judgement/judgement.js'
import { parseGates } from '../../src/gates/language/language.js'

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
