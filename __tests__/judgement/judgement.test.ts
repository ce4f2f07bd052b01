import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BaselineRuns, FoundBaseline } from '../../src/baseline/baseline.js'
import { judgeReport, type Case } from '../../src/judgement/judgement.js'
import { parseGates } from '../../src/language/language.js'
import type { RunOrigin } from '../../src/noise/baseline.js'
import type { Report } from '../../src/report/report.js'
import { figuresAt } from '../report/report-at.js'
import { defined } from '../../src/text/fields.js'
import { ownFolder } from '../own-folder.js'
import { slowed, tryGates, type PastRun } from '../../src/actions/history/history.js'
import type { Trial } from '../../src/outcome/outcome.js'
import { report, requestReport, timer, unused } from '../gates/example-report.js'

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

async function measuredReport() {
  const testReport = path.join(folder, 'testreport.xml')
  await writeFile(testReport, measured)
  return figuresAt(testReport)
}

/** The report of the file, as runs of a baseline; `more` for each. */
async function runsOf(more: readonly Partial<Report>[]): Promise<BaselineRuns> {
  const { report } = await measuredReport()
  return {
    reports: more.map((one, startTime) => ({ ...report, general: { ...report.general, startTime }, ...one })),
    origins: more.map(() => ({})),
    info: { name: 'main', runs: more.length, label: 'Nightly' },
  }
}

async function judgedBy(
  lines: string,
  baseline?: FoundBaseline,
  { now, ...more }: Partial<Pick<Case, 'label' | 'template'>> & { now?: Partial<Report> } = {},
) {
  const read = await measuredReport()
  return judgeReport({
    read: { ...read, report: { ...read.report, ...now } },
    gates: parseGates(lines).gates,
    xpathWorker: pathToFileURL('unused.mjs'),
    signal: new AbortController().signal,
    ...more,
    ...defined({ baseline }),
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
    [
      'there is none',
      `${comparing}\nrequests p95 <= 1 s`,
      found,
      'invalid',
      [noneYet, 'A note.'],
      ['Let it run.'],
    ],
    ['no gate needs it', 'requests p95 <= 1 s', found, 'passed', [noneYet, 'A note.'], []],
    ['this run begins it', comparing, { ...found, first }, 'passed', ['A note.'], []],
    [
      'this run begins it, but lacks a figure',
      `${comparing}\nrequests p99 <= baseline`,
      { ...found, first },
      'invalid',
      ['A note.'],
      [],
    ],
    ['only a figure is missing', 'scorecard passes', found, 'invalid', [noneYet, 'A note.'], []],
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
    runs.reports.reverse()
    const { comparison } = await judgedBy(comparing, { ...found, runs })
    expect(comparison?.timeline?.step).toBe(2)
    expect(comparison?.trend?.map(({ startTime }) => startTime?.slice(-5))).toEqual([
      '.000Z',
      '.001Z',
      '.002Z',
    ])
  })

  it.each<[string, Partial<Report>, boolean, true | undefined, string[]]>([
    ['as many answers in the time', { general: { duration: 75 } }, true, undefined, []],
    ['more', { general: { duration: 60 } }, true, true, [expect.stringContaining('load is not')]],
    ['what broke off', { partial: 'Some are missing.' }, false, undefined, []],
  ])('of %s', async (_, now, isCompared, otherLoad, expected) => {
    const runs = await runsOf([{ general: { duration: 75 } }])
    const { comparison, notes } = await judgedBy(comparing, { ...found, notes: [], runs }, { now })
    expect([comparison !== undefined, comparison?.otherLoad, notes]).toEqual([
      isCompared,
      otherLoad,
      expected,
    ])
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
    const baseline = { runs: { ...runs, origins }, notes: [], advice: [] }
    const { notes } = await judgedBy(
      comparing,
      baseline,
      defined({ template: own === undefined ? undefined : { number: own } }),
    )
    expect(notes).toEqual(expected)
  })

  it('labels are shown if they differ', async () => {
    const runs = await runsOf([{}])
    const { comparison } = await judgedBy(comparing, { ...found, runs }, { label: 'Nightly' })
    expect(comparison?.baseline).toEqual({ name: 'main', runs: 1 })
    expect(comparison).not.toHaveProperty('label')
    const other = await judgedBy(comparing, { ...found, runs }, { label: 'By hand' })
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

const day = 24 * 60 * 60 * 1000

/** A run on each day, with this p95 of Login in milliseconds. */
function nights(...times: number[]): PastRun[] {
  return times.map((p95) => requestReport([timer('Login', { percentiles: { p95 } })])).map(asRun)
}

function asRun(one: Report, night: number): PastRun {
  const startTime = Date.UTC(2026, 0, 1) + night * day
  const general = { ...one.general, startTime }
  return {
    report: { ...one, general },
    verdict: 'passed',
    page: `https://github.com/o/r/actions/runs/${night}`,
    name: `commit${night}`,
  }
}

async function tried(
  gates: string,
  runs: readonly PastRun[],
  { baselineRuns = 5, slowdowns = [] }: { baselineRuns?: number; slowdowns?: number[] } = {},
): Promise<Trial> {
  const parsed = parseGates(gates)
  expect(parsed.faults).toEqual([])
  const { signal } = new AbortController()
  return tryGates(parsed.gates, runs, { baselineRuns, slowdowns, signal })
}

const resultsOf = ({ gates }: Trial) => gates.map(({ results }) => results.map(({ result }) => result))
const loginCompared = 'request "Login" p95 <= baseline + 10% strict'

describe('each run is compared with the ones before it', () => {
  test('the first has nothing to compare with; a value at the limit passes, one above it fails', async () => {
    const trial = await tried(loginCompared, nights(400, 440, 463))
    expect(resultsOf(trial)).toEqual([['not-compared', 'passed', 'failed']])
    expect(trial.verdicts).toEqual(['passed', 'passed', 'failed'])
    expect(trial.gates[0]?.results[2]?.reason).toBe(
      'request "Login" p95 is 463 ms; it must be at most 462 ms.',
    )
  })

  test.each([
    [1, ['not-compared', 'passed', 'failed', 'passed', 'passed']],
    [2, ['not-compared', 'passed', 'failed', 'failed', 'passed']],
    [3, ['not-compared', 'passed', 'failed', 'failed', 'failed']],
  ])(
    'with %i runs as a baseline, one that would have failed counts only if no other is left',
    async (baselineRuns, results) => {
      const trial = await tried(loginCompared, nights(400, 400, 500, 500, 500), { baselineRuns })
      expect(resultsOf(trial)).toEqual([results])
    },
  )

  test.each([
    ['is the level of the next ones', [400, 400, 500, 500, 400], 2, ['passed', 'failed', 'passed', 'passed']],
    // The median of 500 and 440; by 440 alone, 500 would be too much.
    ['stays a baseline when later ones have passed', [400, 500, 440, 500], 1, ['failed', 'passed', 'passed']],
  ])('a run that a label accepted %s', async (_, times, accepted, results) => {
    const runs = nights(...times).map((run, night) =>
      night === accepted ? { ...run, isNewLevel: true as const } : run,
    )
    expect(resultsOf(await tried(loginCompared, runs))).toEqual([['not-compared', ...results]])
  })

  test('a run that fails as a whole would have failed, and is no baseline', async () => {
    const failed = { errors: 1000, errorPercentage: 100 }
    const runs = [{}, failed, {}].map((figures) => {
      const requests = { summary: timer('All', figures), timers: [timer('Login', figures)] }
      return report({}, { requests })
    })
    const trial = await tried(loginCompared, runs.map(asRun))
    expect(trial.verdicts).toEqual(['passed', 'failed', 'passed'])
    expect(resultsOf(trial)).toEqual([['not-compared', 'passed', 'passed']])
  })

  const errors = (percent: number) => ({ errors: percent * 10, errorPercentage: percent })

  test('a run with far more errors than usual is no baseline, though its gates passed', async () => {
    const failing = { percentiles: { p95: 250 }, ...errors(50) }
    const runs = [errors(0), failing, errors(0)].map((figures) => requestReport([timer('Login', figures)]))
    const gates = `request "*" error-rate <= 60%\n${loginCompared}`
    expect((await tried(gates, runs.map(asRun))).verdicts).toEqual(['passed', 'passed', 'passed'])
  })

  test('a gate about errors that only warns is met for each of its matches', async () => {
    const runs = [0, 50].map((percent) =>
      requestReport([timer('Login', errors(percent)), timer('Cart', errors(percent))]),
    )
    const trial = await tried('warn: request "*" error-rate <= 1%', runs.map(asRun))
    expect([trial.verdicts, resultsOf(trial)]).toEqual([['passed', 'passed'], [['passed', 'warned']]])
  })

  test.each([
    ['passed', 'failed'],
    ['accepted', 'failed'],
    ['invalid', 'failed'],
    ['load-test-failed', 'not-compared'],
    ['error', 'not-compared'],
    ['of another version', 'not-compared'],
  ])('after a run whose verdict is %s, a slower one is %s', async (verdict, result) => {
    const runs = nights(400, 500).map((run, night) => (night === 0 ? { ...run, verdict } : run))
    const trial = await tried(loginCompared, runs)
    expect(resultsOf(trial)[0]?.[1]).toBe(result)
  })

  test('noise excuses as much as in the step', async () => {
    const runs = nights(400, 410, 450)
    const excused = await tried('request "Login" p95 <= baseline + 10%', runs)
    expect(excused.gates[0]?.results[2]).toEqual({ result: 'passed' })
    expect(resultsOf(await tried(loginCompared, runs))[0]?.[2]).toBe('failed')
  })

  test('a run without some timers is compared by the others', async () => {
    const both = requestReport([timer('Login'), timer('Search')])
    const runs = [both, both, requestReport([timer('Login')])].map(asRun)
    const trial = await tried('request "*" p95 <= baseline + 10%', runs)
    expect(resultsOf(trial)).toEqual([['not-compared', 'passed', 'not-measured']])
    expect(trial.gates[0]?.results[2]?.reason).toBe(
      'The report has no request "Search". Earlier runs have it.',
    )
  })
})

describe('a gate in a run', () => {
  test('of the matches of a wildcard the worst one counts', async () => {
    const times = [timer('A'), timer('B', { percentiles: { p95: 900 } }), unused('C')]
    const trial = await tried('request "*" p95 <= 500 ms', [requestReport(times)].map(asRun))
    expect(trial.gates[0]?.results).toEqual([
      { result: 'failed', reason: 'request "B" p95 is 900 ms; it must be at most 500 ms.' },
    ])
  })

  test('a gate that warns decides nothing, and says whether it failed or has no figure', async () => {
    const gates =
      'warn: request "Login" p95 <= 450 ms\nwarn: request "Search" p95 <= 1 s\nrequests p95 <= 500 ms'
    const trial = await tried(gates, nights(400, 500))
    expect(resultsOf(trial)).toEqual([
      ['passed', 'warned'],
      ['not-measured', 'not-measured'],
      ['passed', 'passed'],
    ])
    expect(trial.verdicts).toEqual(['passed', 'passed'])
    expect(trial.gates.map(({ gate, line }) => [gate, line])).toEqual([
      ['warn: request "Login" p95 <= 450 ms', 1],
      ['warn: request "Search" p95 <= 1 s', 2],
      ['requests p95 <= 500 ms', 3],
    ])
  })

  test('after a run that only warned, the next one is compared with it', async () => {
    const runs = nights(400, 500, 500)
    const trial = await tried(`warn: request "Login" p95 <= 450 ms\n${loginCompared}`, runs, {
      baselineRuns: 1,
    })
    expect(resultsOf(trial)[1]).toEqual(['not-compared', 'failed', 'passed'])
    const warned = await tried(`warn: ${loginCompared}`, runs, { baselineRuns: 2 })
    // The median of 400 and 500 ms is the baseline, as no run has failed.
    expect(resultsOf(warned)).toEqual([['not-compared', 'warned', 'warned']])
    expect(warned.gates[0]?.results[2]?.reason).toContain('at most 495 ms')
  })

  test('an xpath gate is never measured, and no verdict depends on it', async () => {
    const trial = await tried('xpath(1) = 1\nrequests p95 <= 500 ms', nights(400))
    const reason = 'An outcome file does not have the testreport.xml that xpath gates read.'
    expect(trial.gates[0]?.results).toEqual([{ result: 'not-measured', reason }])
    expect(trial.verdicts).toEqual(['passed'])
  })

  test('a scorecard counts where the outcome has one', async () => {
    const runs = nights(400, 400, 400).map((run, night) => {
      const verdict = (['passed', 'failed'] as const)[night]
      return verdict ? { ...run, scorecard: { verdict, rules: [] } } : run
    })
    const trial = await tried('scorecard passes', runs)
    expect(resultsOf(trial)).toEqual([['passed', 'failed', 'not-measured']])
    expect(trial.verdicts).toEqual(['passed', 'failed', 'invalid'])
  })

  test('a run that is not the one that was planned is invalid, unless a gate failed', async () => {
    const agents = [
      { name: 'a', totalMean: 10, ownMean: 5 },
      { name: 'b', totalMean: 10 },
    ]
    const broken = [requestReport([timer('Login')], { agents })].map(asRun)
    expect((await tried('requests p95 <= 500 ms', broken)).verdicts).toEqual(['invalid'])
    expect((await tried('requests p95 <= 300 ms', broken)).verdicts).toEqual(['failed'])
  })

  test('names in a reason cannot break its line, and it is short', async () => {
    const name = `\u202e::error::${'x'.repeat(1000)}\n`
    const trial = await tried('request "*" p95 <= 1 ms', [requestReport([timer(name)])].map(asRun))
    const reason = trial.gates[0]?.results[0]?.reason ?? ''
    expect(reason).toHaveLength(200)
    expect(reason).not.toMatch(/[\u202e\n]/)
  })
})

describe('slowdowns', () => {
  const slowdowns = [10, 20, 50]

  test('a gate finds those that take its figure beyond the limit', async () => {
    const trial = await tried('request "Login" p95 <= 440 ms', nights(400, 300), { slowdowns })
    expect(trial.gates[0]?.slowdowns).toEqual([
      { percent: 10, found: 0, runs: 2 },
      { percent: 20, found: 1, runs: 2 },
      { percent: 50, found: 2, runs: 2 },
    ])
  })

  test('only runs that the gate passed count', async () => {
    const runs = nights(400, 500, 400)
    const trial = await tried(`request "Login" p95 <= 450 ms\n${loginCompared}`, runs, {
      ...{ slowdowns: [50], baselineRuns: 1 },
    })
    expect(resultsOf(trial)).toEqual([
      ['passed', 'failed', 'passed'],
      ['not-compared', 'failed', 'passed'],
    ])
    expect(trial.gates.map((gate) => gate.slowdowns)).toEqual([
      [{ percent: 50, found: 2, runs: 2 }],
      // 600 ms beside 500 ms.
      [{ percent: 50, found: 1, runs: 1 }],
    ])
  })

  test('gates that are not about times have none', async () => {
    const gates = ['requests errors <= 10', 'requests throughput >= 1 /s', 'scorecard passes', 'xpath(1) = 1']
    const trial = await tried(gates.join('\n'), nights(400), { slowdowns })
    expect(trial.gates.map((gate) => gate.slowdowns)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('all times become longer, and nothing else changes', () => {
    const vitals = { lcp: { score: 1000, rating: 'good' }, cls: { score: 0.1 } }
    const before = report(
      { webVitals: [{ name: 'Home', vitals }] },
      {
        requests: { summary: timer('All'), timers: [timer('A')] },
        actions: { timers: [timer('B', { apdex: 0.9 })] },
      },
    )
    const after = slowed(before, 10)
    const times = {
      ...{ min: 22, max: 2200, mean: 231.55, median: 220, deviation: 88 },
      percentiles: { p50: 220, p95: 440, p99: 880, 'p99.9': 1650 },
    }
    expect(after).toEqual({
      ...before,
      timers: {
        ...before.timers,
        requests: { summary: timer('All', times), timers: [timer('A', times)] },
        actions: { timers: [timer('B', { apdex: 0.9, ...times })] },
      },
      webVitals: [{ name: 'Home', vitals: { lcp: { score: 1100, rating: 'good' }, cls: { score: 0.1 } } }],
    })
    const { mean: _, ...withoutMean } = timer('A')
    const partly = slowed(requestReport([withoutMean]), 50)
    expect(Object.keys(partly.timers.requests.timers[0] ?? {})).not.toContain('mean')
  })
})

test('a job that is cancelled ends it', async () => {
  const cancel = new AbortController()
  const { gates } = parseGates('requests p95 <= 1 s')
  const trial = tryGates(gates, nights(400), { baselineRuns: 5, slowdowns: [], signal: cancel.signal })
  cancel.abort(new Error('The job was cancelled.'))
  await expect(trial).rejects.toThrow('The job was cancelled.')
})
