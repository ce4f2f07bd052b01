import { collect } from '../../src/follow/follow.js'
import { parseGates } from '../../src/language/language.js'
import type { Uploaded } from '../../src/run/run.js'
import { simulatedClock } from '../fake-service.js'
import { toldOutcome, worded } from '../told.js'
import { tarGzOf } from '../unpack/archives.js'
import { json, serve } from '../service/raw-service.js'
import { ownFolder } from '../own-folder.js'

/* What becomes of a run that has ended, by what its record says and what can be downloaded. */

const temp = ownFolder()

const row = (name: string) => `<name>${name}</name><count>1000</count><errors>7</errors>`
const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testreport>
  <summary><requests>${row('All Requests')}</requests></summary>
  <requests><request>${row('Home')}</request></requests>
</testreport>`

const sha512 = 'a'.repeat(128)
const damaged = Buffer.from('0102030405', 'hex')
const [startTime, endTime] = [1_795_000_000_000, 1_795_000_900_000]

interface Ended {
  /** As the details have it. */
  state?: string
  times?: { startTime?: number; endTime?: number }
  record?: object
  /** What the downloads are answered with; a status where there is none. */
  report?: number | Buffer
  results?: number | Buffer
  gates?: string
  uploaded?: Uploaded
}

/** The outcome of collecting, or the fault that ended it; and the paths that were asked for. */
async function collected({ state = 'FINISHED', times = { startTime, endTime }, ...more }: Ended) {
  const { record = {}, results, gates = 'request "Home" errors <= 9', uploaded } = more
  const report = more.report ?? (await tarGzOf([['report/testreport.xml', xml]]))
  const { client, log, lines, calls } = await serve(({ path: asked }, response) => {
    const held = asked.includes('/reports/') ? report : results
    if (!asked.endsWith('/download'))
      json(response, { index: 8, executionState: { state, ...times }, ...record })
    else if (typeof held === 'number') json(response, { message: 'no' }, held)
    else response.end(held)
  })
  const world = {
    ...{ clock: simulatedClock(), log, temp, signal: new AbortController().signal },
    ...{ xpathWorker: new URL('file:///none') },
  }
  const wanted = {
    ...{ gates: parseGates(gates).gates, reportTimeout: 600_000, results: results !== undefined },
  }
  const seen = { number: 8, state: 'FINISHED' }
  const session = { inputs: wanted, world, client, ...toldOutcome() }
  const fault: unknown = await collect(session, { ...seen, state }, uploaded).then(
    (judgement) => judgement && session.tell(judgement),
    (error: unknown) => error,
  )
  return {
    outcome: worded(session.told()),
    fault,
    missed: lines.flatMap((line) => /^warning: (The results of .*)/.exec(line)?.[1] ?? []),
    downloads: calls().filter(({ path: asked, method }) => method === 'GET' && asked.endsWith('/1/download'))
      .length,
  }
}

const small = () => tarGzOf([['a.csv', 'a']])
const noResults: unknown = expect.stringMatching(/^The results of load test 8 could not be downloaded\. /)
const late: unknown = expect.stringMatching(/^The results of load test 8 were not available after 10 min/)
const tooMany: unknown = expect.stringContaining('must be at most 1')

test.each<[string, () => Promise<Ended>, string, unknown[], unknown[]]>([
  ['the report', async () => ({}), 'passed', [], []],
  ['report and results', async () => ({ results: await small() }), 'passed', [], []],
  [
    'a report that fails a gate',
    async () => ({ gates: 'request "Home" errors <= 1' }),
    'failed',
    [tooMany],
    [],
  ],
  // What is missing is reported with the verdict, and does not change it.
  ['damaged results', async () => ({ results: damaged }), 'passed', [noResults], []],
  ['results that are refused', async () => ({ results: 403 }), 'passed', [noResults], []],
  [
    'a failed gate and no results',
    async () => ({ results: 403, gates: 'request "Home" errors <= 1' }),
    'failed',
    [tooMany, noResults],
    [],
  ],
  [
    'an unmeasured gate and no results',
    async () => ({ results: 403, gates: 'request "Nobody" errors <= 1' }),
    'invalid',
    [expect.stringContaining('Nobody'), noResults],
    [],
  ],
  ['results that come too late', async () => ({ results: 404 }), 'passed', [late], []],
])('a finished run with %s', async (_, ended, verdict, reasons, notes) => {
  const { outcome, fault, missed } = await collected(await ended())
  expect(fault).toBeUndefined()
  expect({ verdict: outcome.verdict, reasons: outcome.reasons }).toEqual({ verdict, reasons })
  // A red step's annotations have its reasons.
  expect(missed).toEqual(verdict === 'passed' ? reasons : [])
  expect(outcome.notes).toEqual(notes)
  expect(outcome.report).toMatchObject({ number: 1 })
  expect(outcome.run).toMatchObject({ number: 8, state: 'FINISHED', durationSeconds: 900 })
})

test('a finished run whose report does not come is an error, with the way to collect it', async () => {
  const { outcome } = await collected({ report: 404 })
  expect(outcome).toMatchObject({
    verdict: 'error',
    reasons: [
      expect.stringMatching(
        /^Load test 8 has finished, but its report was not available after 10 min\. Downloading report 1 of load test 8 failed: the load-testing service answered 404\. Check .* The service said: no\./,
      ),
    ],
    advice: [
      expect.stringContaining('mode: collect and run-number: 8'),
      expect.stringContaining('judge it with the action judge'),
    ],
  })
})

const partial = 'Final report (Download from 1 of 3 agent controllers failed.)'
test.each<[string, object]>([
  ['label', { number: 1, label: partial }],
  ['name', { number: 1, name: partial }],
  ['label, of several reports', { number: 2, label: partial }],
])('a report with partial results by its %s on the service is not passed', async (_, listed) => {
  const { outcome } = await collected({ record: { reports: [{ number: 1, label: 'Interim' }, listed] } })
  expect(outcome).toMatchObject({
    verdict: 'invalid',
    reasons: [`The run has partial results only: ${partial}.`],
    figures: { partial },
  })
})

test('a finished run with a damaged report has no verdict', async () => {
  const { fault, outcome } = await collected({ report: damaged })
  expect(String(fault)).toContain('neither a .tar.gz nor a .zip')
  expect(outcome.reasons).toEqual([])
})

test.each(['ABORTED', 'ERROR'])(
  'a run that ended in %s has failed, whatever its report says',
  async (state) => {
    const whole = await collected({ state, record: { errorMessage: 'Out of memory.' } })
    expect(whole.outcome).toMatchObject({
      verdict: 'load-test-failed',
      reasons: [`Load test 8 ended in ${state}. The service only says: Out of memory.`],
      report: { number: 1 },
      gates: [],
    })
    const broken = await collected({ state, report: damaged, results: 403 })
    expect(broken.outcome.notes).toEqual([expect.stringContaining('neither a .tar.gz nor a .zip')])
    expect(broken.outcome).toMatchObject({
      verdict: 'load-test-failed',
      reasons: [`Load test 8 ended in ${state}.`, noResults],
    })
  },
)

test('the report of a run that failed is waited for five minutes, that of a finished one as long as is wanted', async () => {
  const failed = await collected({ state: 'ERROR', report: 404 })
  const finished = await collected({ report: 404 })
  expect([failed.downloads, finished.downloads]).toEqual([31, 61].map((looks) => looks + 1))
})

test('an end without a start time is an end: the report is asked for, and a reason is only named if there is one', async () => {
  const never = (record: object) =>
    collected({ state: 'ERROR', times: { endTime }, report: 404, results: 404, record })
  const untold = await never({})
  expect(untold.downloads).toBeGreaterThan(0)
  expect(untold.outcome).toMatchObject({
    verdict: 'load-test-failed',
    reasons: ['Load test 8 ended in ERROR.'],
  })
  expect(untold.outcome.advice).toEqual([expect.stringMatching(/^Look at .* for the cause/)])
  const told = await never({ errorMessage: 'The build failed.' })
  expect(told.outcome.advice).toEqual([expect.stringMatching(/^Correct what the reason names/)])
  expect((await collected({ times: { endTime } })).outcome.verdict).toBe('passed')
})

test('where the service says no state, both times show that the run ended, and its report is judged', async () => {
  const silent = { record: { executionState: { startTime, endTime } } }
  const { outcome } = await collected({ state: 'unknown', ...silent })
  expect(outcome.verdict).toBe('passed')
  expect(outcome.notes).toEqual([expect.stringContaining('does not say in which state load test 8 ended')])
  const once = await collected({ state: 'unknown', record: { executionState: { endTime } } })
  expect(once.outcome.verdict).toBe('load-test-failed')
})

test('details that lag behind do not take back an end that was seen', async () => {
  const { outcome } = await collected({
    record: { executionState: { state: 'RUNNING', startTime, endTime } },
  })
  expect(outcome).toMatchObject({ verdict: 'passed', run: { state: 'FINISHED' } })
})

const ours: Uploaded = { id: 'ca-2', sha512 }
test.each<[string, object, Uploaded | undefined, string]>([
  ['what was uploaded', { codeArchiveId: 'ca-2' }, ours, 'passed'],
  ['another archive', { codeArchiveId: 'ca-1' }, ours, 'error'],
  ['an archive with another SHA-512', { revision: 'b'.repeat(128) }, { sha512 }, 'error'],
  ['nobody knows what', {}, ours, 'passed'],
  ['an archive, and nothing was uploaded', { codeArchiveId: 'ca-1' }, undefined, 'passed'],
])('a run that is built from %s', async (_, record, uploaded, verdict) => {
  const { outcome } = await collected({ record, ...(uploaded && { uploaded }) })
  expect(outcome.verdict).toBe(verdict)
  expect(outcome.report).toBeDefined()
  if (verdict === 'passed') return
  expect(outcome.reasons).toEqual([expect.stringMatching(/^Load test 8 is built from the code archive /)])
  expect(outcome.advice).toEqual([expect.stringContaining('run the job again')])
  const failed = await collected({ state: 'ERROR', record, ...(uploaded && { uploaded }) })
  expect(failed.outcome.reasons).toHaveLength(2)
})
