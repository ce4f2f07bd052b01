import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BaselineRuns, FoundBaseline } from '../../src/baseline/baseline.js'
import { judgeReport } from '../../src/judgement/judgement.js'
import { parseGates } from '../../src/language/language.js'
import type { RunOrigin } from '../../src/noise/baseline.js'
import type { Report } from '../../src/report/report.js'
import { figuresAt } from '../report/report-at.js'
import { defined } from '../../src/text/fields.js'
import { ownFolder } from '../own-folder.js'

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testreport>
  <summary><requests><name>All Requests</name><count>1000</count><errors>7</errors></requests></summary>
</testreport>`

const folder = ownFolder()

test('a job that is cancelled while an xpath gate is evaluated has no verdict', async () => {
  const testReport = path.join(folder, 'testreport.xml')
  await writeFile(testReport, xml)
  const { gates } = parseGates('xpath(count(//request)) >= 0')
  expect(gates).toHaveLength(1)
  const endless = path.join(folder, 'endless.mjs')
  await writeFile(endless, 'setInterval(() => undefined, 1000)')
  const cancel = new AbortController()
  const judged = judgeReport({
    read: await figuresAt(testReport),
    gates,
    xpathWorker: pathToFileURL(endless),
    signal: cancel.signal,
  })
  cancel.abort(new Error('The job was cancelled.'))
  await expect(judged).rejects.toThrow('The job was cancelled.')
})

/** The report of the file, as runs of a baseline; `more` for each. */
async function runsOf(more: readonly Partial<Report>[]): Promise<BaselineRuns> {
  const testReport = path.join(folder, 'testreport.xml')
  await writeFile(testReport, measured)
  const { report } = await figuresAt(testReport)
  return {
    reports: more.map((one, startTime) => ({
      ...report,
      general: { ...report.general, startTime },
      ...one,
    })),
    origins: more.map(() => ({})),
    pages: more.map(() => undefined),
    info: { name: 'main', runs: more.length, label: 'Nightly' },
  }
}

async function judgedBy(lines: string, baseline?: FoundBaseline, label?: string, template?: number) {
  const testReport = path.join(folder, 'testreport.xml')
  await writeFile(testReport, measured)
  return judgeReport({
    read: await figuresAt(testReport),
    gates: parseGates(lines).gates,
    xpathWorker: pathToFileURL('unused.mjs'),
    signal: new AbortController().signal,
    ...defined({ baseline, label, template: template === undefined ? undefined : { number: template } }),
  })
}

const noneYet =
  'There is no baseline yet: no earlier successful run on the base branch has attached its figures. The first that does is the baseline.'
const comparing = 'requests p95 <= baseline + 10 %'
const first = { unfit: 'first-run', reason: 'First run.' } as const

describe('what is said about a baseline', () => {
  const found = { notes: ['A note.'], advice: ['Let it run.'] }

  it.each<[string, string, FoundBaseline | undefined, string, string[], string[]]>([
    ['none was asked for', comparing, undefined, 'invalid', [], []],
    ['there is none', comparing, found, 'invalid', [noneYet, 'A note.'], ['Let it run.']],
    ['no gate needs it', 'requests p95 <= 1 s', found, 'passed', [noneYet, 'A note.'], []],
    ['this run begins it', comparing, { ...found, first }, 'passed', ['A note.'], []],
    [
      'this run begins it, but lacks a figure',
      `${comparing}\nrequests p99 <= baseline`,
      { ...found, first },
      'invalid',
      ['A note.'],
      ['Let it run.'],
    ],
  ])('if %s', async (_, lines, baseline, verdict, notes, advice) => {
    expect(await judgedBy(lines, baseline)).toMatchObject({ verdict, notes, advice })
    expect((await judgedBy(lines, baseline)).comparison).toBeUndefined()
  })

  it('if none of its runs can be compared', async () => {
    const runs = await runsOf([{ partial: 'Some are missing.' }])
    const { comparison, verdict, notes, advice } = await judgedBy(comparing, { ...found, runs })
    expect([verdict, comparison, advice]).toEqual(['invalid', undefined, ['Let it run.']])
    expect(notes.slice(0, 2)).toEqual([
      'A note.',
      expect.stringMatching(/^The baseline run .* was left out: it has partial results only\.$/),
    ])
  })

  it.each<[string, Partial<Report>[], number, number | undefined]>([
    ['all of its runs', [{}, {}], 2, undefined],
    ['one of its runs', [{}, { partial: 'Some are missing.' }], 1, 1],
  ])('compared with %s', async (_, given, runs, leftOut) => {
    const { comparison, verdict, notes, advice } = await judgedBy(`${comparing}\nrequests p99 <= 1 s`, {
      ...found,
      runs: await runsOf(given),
    })
    expect(comparison?.baseline).toEqual({
      ...{ name: 'main', label: 'Nightly', runs },
      ...defined({ leftOut }),
    })
    expect(comparison?.rows[0]).toMatchObject({ kind: 'requests', baseline: { p95: 400 } })
    expect([verdict, notes[0], advice]).toEqual(['invalid', 'A note.', []])
  })

  it('over time, the latest run that is compared stands behind', async () => {
    const timeline = (step: number) => ({ timeline: { step, figures: {} } })
    const runs = await runsOf([timeline(1), timeline(2), { ...timeline(3), partial: 'Some are missing.' }])
    const { comparison } = await judgedBy(comparing, { ...found, runs })
    expect(comparison?.timeline?.step).toBe(2)
  })

  const told = (what: string) => `${what}, this one a copy of load test 7: what differs may be the load test.`

  it.each<[string, RunOrigin['template'][], number | undefined, string[]]>([
    ['the same one', [{ number: 7 }, { number: 7 }], 7, []],
    [
      'another',
      [{ number: 8 }, { number: 7 }],
      7,
      [told('1 of 2 baseline runs measured copies of load test 8')],
    ],
    ['an unknown one', ['unknown'], 7, [told('1 of 1 baseline run measured copies of an unknown template')]],
    [
      'several',
      ['unknown', { number: 8 }, { number: 8 }],
      7,
      [told('3 of 3 baseline runs measured copies of load test 8, an unknown template')],
    ],
    ['reports that are no run of a workflow', [undefined], 7, []],
    ['whatever, if that of this run is unknown', ['unknown', { number: 8 }], undefined, []],
  ])('whose template is %s', async (_, templates, own, expected) => {
    const runs = await runsOf(templates.map(() => ({})))
    const origins = templates.map((template) => defined({ template }))
    const { notes } = await judgedBy(
      comparing,
      { runs: { ...runs, origins }, notes: [], advice: [] },
      'x',
      own,
    )
    expect(notes).toEqual(expected)
  })

  it('a run that is not the one that was planned is compared with none', async () => {
    const runs = await runsOf([{}])
    const read = await figuresAt(path.join(folder, 'testreport.xml'))
    const judged = (report: Report) =>
      judgeReport({
        ...{ read: { ...read, report }, gates: parseGates(comparing).gates },
        ...{ baseline: { ...found, runs }, xpathWorker: pathToFileURL('unused.mjs') },
        signal: new AbortController().signal,
      })
    expect((await judged(read.report)).comparison?.baseline.runs).toBe(1)
    const cut = await judged({ ...read.report, partial: 'Some are missing.' })
    expect([cut.verdict, cut.comparison]).toEqual(['invalid', undefined])
  })

  it('labels are shown if they differ', async () => {
    const runs = await runsOf([{}])
    const { comparison } = await judgedBy(comparing, { ...found, runs }, 'Nightly')
    expect(comparison?.baseline).toEqual({ name: 'main', runs: 1 })
    expect(comparison).not.toHaveProperty('label')
    const other = await judgedBy(comparing, { ...found, runs }, 'By hand')
    expect(other.comparison).toMatchObject({ label: 'By hand', baseline: { label: 'Nightly' } })
  })
})

describe('gates are suggested', () => {
  it.each([
    ['after a run without gates', '', 0, 'passed', 1],
    ['after one with a baseline', '', 1, 'passed', 2],
    ['with three earlier runs, whatever the gates', 'requests count >= 1', 3, 'passed', 4],
    ['not with gates and fewer', 'requests count >= 1', 2, 'passed', undefined],
    ['not with gates alone', 'requests count >= 1', 0, 'passed', undefined],
    ['not after a run that failed', 'requests count = 0', 3, 'failed', undefined],
    ['not after one that measured too little', 'requests p99 <= 1 s', 3, 'invalid', undefined],
  ])('%s', async (_, lines, earlier, verdict, runs) => {
    const found = await runsOf(Array.from({ length: earlier }, () => ({})))
    const judged = await judgedBy(lines, earlier > 0 ? { runs: found, notes: [], advice: [] } : undefined)
    expect([judged.verdict, judged.suggestion?.runs]).toEqual([verdict, runs])
  })
})

const measured = `<?xml version="1.0" encoding="UTF-8"?>
<testreport>
  <summary><requests>
    <name>All Requests</name><count>1000</count><errors>0</errors><mean>200</mean><deviation>50</deviation>
    <percentiles><p95>400</p95></percentiles>
  </requests></summary>
</testreport>`
