import path from 'node:path'
import { validityNotes } from '../../src/gates/gates.js'
import { overloadOf, runFaults, shortOf, whyOther } from '../../src/comparison/run-faults.js'
import { defined } from '../../src/text/fields.js'
import { reportAt } from '../report/report-at.js'
import type { LoadProfileEntry, Report } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'
import { judgedBy } from '../gates/judged.js'
import { worded } from '../told.js'

/* A run that is not the one that was planned. */

const scenario = (settings: Record<string, string | number>): LoadProfileEntry => ({
  name: 'TOrder',
  settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
})
const planned = (seconds: number | string) => [scenario({ measurementPeriod: seconds })]
const fiveMinutes = (settings: Record<string, number>) => scenario({ measurementPeriod: 300, ...settings })
const iterations = (count: number) => scenario({ measurementPeriod: 600, numberOfIterations: count })

/** A run with that many transactions and ten times as many requests. */
function run(general: Report['general'], loadProfile: LoadProfileEntry[], transactions = 6000): Report {
  const count = (name: string, of: number) => ({ timers: [timer(name, { count: of, errors: 0 })] })
  return report(
    { general, loadProfile },
    { transactions: count('TOrder', transactions), requests: count('Order', transactions * 10) },
  )
}

describe('the measured time', () => {
  test.each<[string, LoadProfileEntry[], number, number | undefined]>([
    ['all of it', planned(600), 600, undefined],
    ['90%', planned(600), 540, undefined],
    ['below 90%', planned(600), 539, 600],
    ['next to nothing', planned(600), 14, 600],
    ['nothing', planned(600), 0, 600],
    ['grouped digits', planned('1,200'), 1080, undefined],
    ['grouped digits, too short', planned('1,200'), 1079, 1200],
    ['two days', planned('172,800'), 155_519, 172_800],
    ['no period', [scenario({ numberOfUsers: '1...6' })], 14, undefined],
    ['a period that is not a number', planned('10m'), 14, undefined],
    ['a negative one', planned('-600'), 14, undefined],
    ['one with a unit before it', planned('PT600'), 14, undefined],
    [
      'a delay longer than the warm-up',
      [fiveMinutes({ initialDelay: 50, warmUpPeriod: 100 }), fiveMinutes({ initialDelay: 140 })],
      278,
      310,
    ],
    ['one of two that is not a number', [...planned('10m'), ...planned('PT1'), ...planned(600)], 14, 600],
    ['no scenarios', [], 14, undefined],
    // What counts is the last end since the first start.
    ['the longest of two', [...planned(60), ...planned(600)], 540, undefined],
    ['the longest of two, too short', [...planned(60), ...planned(600)], 539, 600],
    ['a delay', [...planned(300), fiveMinutes({ initialDelay: 300, rampUpPeriod: 60 })], 539, 600],
    ['a delay of the only one', [fiveMinutes({ initialDelay: 300 })], 270, undefined],
    ['a warm-up', [fiveMinutes({ warmUpPeriod: 300 })], 270, undefined],
    ['a warm-up, too short', [fiveMinutes({ warmUpPeriod: 300 })], 269, 300],
    ['a warm-up of one of two', [...planned(300), fiveMinutes({ warmUpPeriod: 100 })], 359, 400],
    ['a shutdown', [fiveMinutes({ shutdownPeriod: 300 })], 270, undefined],
    ['a ramp-up', [fiveMinutes({ rampUpPeriod: 200 })], 269, 300],
    // Iterations end whenever they are done.
    ['iterations', [iterations(2)], 14, undefined],
    ['iterations in one of two', [...planned(20), iterations(2)], 18, undefined],
    ['iterations in one of two, too short', [...planned(200), iterations(2)], 179, 200],
    [
      'iterations that begin first',
      [fiveMinutes({ initialDelay: 300 }), scenario({ numberOfIterations: 2 })],
      539,
      600,
    ],
    ['no iterations', [iterations(0)], 539, 600],
  ])('%s', (_, profile, duration, seconds) => {
    expect(shortOf(run({ duration }, profile))).toEqual(
      seconds === undefined ? undefined : { measured: duration, planned: seconds, isCut: false },
    )
  })

  // The first and the last record may be some pauses away from start and end, at most two reports of the generator.
  test.each<[number, number, number, boolean]>([
    [40, 34, 8, false],
    [40, 15, 8, true],
    [60, 41, 3, false],
    [60, 39, 3, true],
    [12, 10, 25, false],
    [12, 10, 26, true],
    [12, 10, 6000, true],
    [600, 539, 1, true],
    [5, 4, 6000, false],
  ])('of %d s, %d s with %d transactions', (period, duration, transactions, isShort) => {
    expect(shortOf(run({ duration }, planned(period), transactions)) !== undefined).toBe(isShort)
  })

  const startTime = Date.UTC(2026, 0, 17)
  const after = (seconds: number) => startTime + seconds * 1000

  // Cut with -from, -to, -l or -noRampUp.
  test.each<[string, Report['general'], boolean | undefined]>([
    ['the load test ran on', { duration: 300, elapsed: 600, startTime, endTime: after(300) }, true],
    ['to 90%', { duration: 300, elapsed: 540, startTime, endTime: after(300) }, true],
    ['not to 90%', { duration: 300, elapsed: 539, startTime, endTime: after(300) }, false],
    ['it ended then', { duration: 300, elapsed: 300, startTime, endTime: after(300) }, false],
    ['it is not known', { duration: 300, startTime, endTime: after(300) }, false],
    ['the report covers all of it', { duration: 300, elapsed: 600, startTime, endTime: after(600) }, false],
    ['it is not known what it covers', { duration: 300, elapsed: 600 }, false],
    ['90% are left', { duration: 540, elapsed: 600, startTime, endTime: after(540) }, undefined],
  ])('a part of a run: %s', (_, general, isCut) => {
    expect(shortOf(run(general, planned(600)))?.isCut).toBe(isCut)
  })

  test('the longest scenario says how long a load test runs', () => {
    const two = [...planned(300), ...planned(600)]
    const part = { duration: 200, startTime, endTime: after(200) }
    expect(shortOf(run({ ...part, elapsed: 600 }, two))?.isCut).toBe(true)
    expect(shortOf(run({ ...part, elapsed: 300 }, two))?.isCut).toBe(false)
  })

  test('without any record only two reports of the load generator count as a pause', () => {
    expect(shortOf(report({ general: { duration: 25 }, loadProfile: planned(46) }))).toBeDefined()
    expect(shortOf(report({ general: { duration: 26 }, loadProfile: planned(46) }))).toBeUndefined()
  })

  test.each([
    ['start', { startTime }],
    ['end', { endTime: after(300) }],
  ])('a part of a run of which only the %s is known may be all of it', (_, known) => {
    expect(shortOf(run({ duration: 300, elapsed: 600, ...known }, planned(600)))?.isCut).toBe(false)
  })
})

/** Reports that the engine itself wrote: `npm run engine-reports`. */
const golden = (release: string, kind: string) =>
  reportAt(path.resolve('__tests__/engine/golden', release, kind, 'testreport.xml'))

describe.each(['9.0.0', '10.0.0-beta-1'])('a report of the engine %s', (release) => {
  test.each(['normal', 'slow', 'errors', 'visitors', 'iterations', 'other-periods', 'cut'])(
    '%s: as planned',
    async (kind) => {
      expect(runFaults(await golden(release, kind))).toEqual([])
    },
  )

  test.each([
    ['aborted', /^The run measured 10 s of the planned 1 min\.$/],
    ['only-agent-lost', /^The run measured 7 s of the planned 12 s\.$/],
    ['agent-lost', /^1 of 2 load generators ended early: "ac001_00"\.$/],
  ])('%s: not as planned', async (kind, sentence) => {
    const lost = await golden(release, kind)
    const [fault, ...others] = runFaults(lost)
    expect(fault?.sentence).toMatch(sentence)
    expect(others).toEqual([])
    const first = { unfit: 'first-run', reason: 'First run: yes.' } as const
    for (const gates of ['', 'requests p95 <= 1000 s', 'requests p95 <= baseline + 1 % strict']) {
      const judged = await judgedBy(gates, lost, [], { first })
      expect(judged.verdict).toBe('invalid')
      expect(judged.reasons).toEqual([{ about: 'run', text: fault?.sentence }])
      expect(judged.advice).toEqual([expect.stringContaining('in the log of the load test')])
    }
  })

  test('agent-lost-late: its share tells, beside a run with both', async () => {
    const lost = await golden(release, 'agent-lost-late')
    expect(runFaults(lost)).toEqual([])
    const [one, other] = lost.agents
    if (!one || !other) throw new Error('There are not two.')
    expect(runFaults(lost, [lost])).toEqual([])
    const equal = [one, other].map((agent) => ({ ...agent, transactions: 130 }))
    expect(runFaults(lost, [{ ...lost, agents: equal }])[0]?.sentence).toMatch(
      /^The load generator "Agent-ac001_00\S+" made \d+ of \d+ transactions, \d\d% instead of its usual 50%: it may have ended early\.$/,
    )
  })

  test('cut: a note says how much of the run it is', async () => {
    const notes = validityNotes(await golden(release, 'cut'))
    expect(notes).toEqual(['The report covers 10 s of the planned 20 s, although the load test ran on.'])
  })
})

const whole = run({ duration: 600 }, planned(600))
const broken = run({ duration: 14 }, planned(600), 140)
const slow = (of: Report): Report => ({
  ...of,
  timers: {
    ...of.timers,
    requests: {
      timers: of.timers.requests.timers.map((one) => ({ ...one, percentiles: { p95: 4000 } })),
    },
  },
})

const judged = async (...given: Parameters<typeof judgedBy>) => worded(await judgedBy(...given))

describe('the verdict of a run that broke off', () => {
  const short = 'The run measured 14 s of the planned 10 min.'
  const comparing = 'request "Order" p95 <= baseline + 10 %'

  test.each([
    ['', 'invalid'],
    ['request "Order" p95 <= 1 s', 'invalid'],
    ['warn: request "Order" p95 <= 1 ms', 'invalid'],
    [comparing, 'invalid'],
    ['request "Order" p95 <= 1 ms', 'failed'],
  ])('%s: %s', async (gates, verdict) => {
    const { verdict: found, reasons } = await judged(gates, broken, [whole])
    expect(found).toBe(verdict)
    expect(reasons.at(-1)).toBe(short)
  })

  test('a comparison that fails is not measured, one that passes has passed, and strict decides', async () => {
    const gates = [
      comparing,
      `warn: ${comparing}`,
      'request "Order" error-rate <= baseline',
      `${comparing} strict`,
    ]
    const { verdict, results, reasons } = await judged(gates.join('\n'), slow(broken), [whole])
    expect(results.map(({ result }) => result)).toEqual(['not-measured', 'warned', 'passed', 'failed'])
    expect(results.slice(0, 2).map(({ reason }) => reason)).toEqual(
      Array(2).fill('The run did not go as planned, so the comparison is not valid.'),
    )
    expect(verdict).toBe('failed')
    expect(reasons.at(-1)).toBe(short)
  })

  test('it never becomes a baseline', async () => {
    const { verdict, doubts } = await judged(comparing, whole, [broken])
    expect(verdict).toBe('invalid')
    expect(doubts).toEqual([
      'The baseline run without a date was left out: it measured 14 s of the planned 10 min.',
    ])
    const beside = await judged(comparing, slow(whole), [broken, whole])
    expect(beside.verdict).toBe('failed')
    expect(beside.baseline?.reports).toEqual([whole])
  })

  test('nor is one that lost a load generator at once; a part of a run is one', async () => {
    const agents = [
      { name: 'Agent-ac1_00-host-1', transactions: 9 },
      { name: 'ac1_01', transactions: 9 },
    ]
    expect((await judged(comparing, whole, [{ ...whole, agents }])).doubts).toEqual([
      'The baseline run without a date was left out: it lost load generators.',
    ])
    const times = { startTime: Date.UTC(2026, 0, 1), endTime: Date.UTC(2026, 0, 1, 0, 5) }
    const half = run({ duration: 300, elapsed: 600, ...times }, planned(600), 3000)
    const { verdict, doubts } = await judged(comparing, whole, [half])
    expect([verdict, doubts]).toEqual(['passed', []])
  })
})

describe('a run in which nothing was measured', () => {
  const never = timer('Order', { count: 0 })
  const { count: _, ...uncounted } = timer('Order')

  test.each<[string, Partial<Report['timers']>, boolean]>([
    ['no timer', {}, false],
    ['timers that were not used', { requests: { summary: never, timers: [never] } }, false],
    ['a timer that was', { requests: { summary: never, timers: [never, timer('Pay')] } }, true],
    ['a summary row alone', { pageLoads: { summary: timer('All'), timers: [] } }, true],
    ['a timer without a count', { customTimers: { timers: [uncounted] } }, true],
  ])('%s', async (_, timers, hasMeasured) => {
    const { verdict, reasons } = await judged('', report({}, timers))
    expect(verdict).toBe(hasMeasured ? 'passed' : 'invalid')
    expect(reasons).toEqual(hasMeasured ? [] : ['Nothing was measured: no timer of the report was used.'])
  })
})

describe('lost load generators', () => {
  const named = (...names: string[]) => names.map((name) => ({ name, transactions: 500 }))
  const withAgents = (agents: Report['agents'], duration = 600): Report => ({
    ...whole,
    general: { duration },
    loadProfile: [],
    agents,
  })

  test.each<[string, Report['agents'], number, string[]]>([
    ['none is listed', [], 600, []],
    ['one, under the name of its results', named('ac1_00'), 600, []],
    ['both, under other names', named('a', 'b'), 600, []],
    ['both have reported', named('Agent-a-host-1', 'Agent-b-host-1'), 600, []],
    ['one has not', named('Agent-a-host-1', 'b'), 600, ['1 of 2 load generators ended early: "b".']],
    ['one could not have yet', named('Agent-a-host-1', 'b'), 10, []],
    ['one could have', named('Agent-a-host-1', 'b'), 11, ['1 of 2 load generators ended early: "b".']],
    ['one has its own CPU use', [...named('Agent-a-host-1'), { name: 'b', ownMean: 12 }], 600, []],
    [
      'one has a CPU use of zero',
      [...named('Agent-a-host-1'), { name: 'b', ownMean: 0 }],
      600,
      ['1 of 2 load generators ended early: "b".'],
    ],
  ])('%s', (_, agents, duration, sentences) => {
    expect(runFaults(withAgents(agents, duration)).map(({ sentence }) => sentence)).toEqual(sentences)
  })

  const shares = (...made: (number | undefined)[]) =>
    withAgents(made.map((transactions, index) => ({ name: `Agent-${index}`, ...defined({ transactions }) })))

  test.each<[string, Report, Report[], boolean]>([
    ['no earlier run', shares(100, 900), [], false],
    ['equal ones before', shares(100, 900), [shares(500, 500)], true],
    ['unequal ones before, too', shares(100, 900), [shares(100, 900)], false],
    ['in the other order', shares(900, 100), [shares(100, 900)], false],
    ['two thirds of the usual', shares(1000, 2000), [shares(500, 500)], false],
    ['less than that', shares(999, 2001), [shares(500, 500)], true],
    ['the median of several counts', shares(100, 900), [shares(100, 900), shares(5, 5), shares(1, 9)], false],
    ['with another number of them, nothing is known', shares(100, 900), [shares(300, 300, 300)], false],
    ['few transactions say nothing', shares(0, 99), [shares(500, 500)], false],
    ['enough of them do', shares(0, 100), [shares(500, 500)], true],
    ['only one', shares(10), [shares(500)], false],
    ['an older engine does not count them', shares(undefined, 900), [shares(500, 500)], false],
    ['nor did it before', shares(100, 900), [shares(undefined, 500)], false],
    ['three, of which one does not count them', shares(undefined, 100, 900), [shares(300, 300, 300)], false],
    ['nothing at all', shares(0, 0), [shares(500, 500)], false],
    ['nothing at all before', shares(100, 900), [shares(0, 0)], false],
    ['the last one', shares(900, 100), [shares(500, 500)], true],
  ])('the share of one beside the others: %s', (_, of, earlier, isLost) => {
    expect(runFaults(of, earlier)).toHaveLength(isLost ? 1 : 0)
  })

  test('the engine says that it could not fetch all results', () => {
    const of = { ...whole, partial: 'Download from 1 of 2 agent controllers failed.' }
    expect(runFaults(of).map(({ sentence }) => sentence)).toEqual([
      'The run has partial results only: Download from 1 of 2 agent controllers failed.',
    ])
    expect(runFaults({ ...of, partial: 'a.b failed' })[0]?.sentence).toBe(
      'The run has partial results only: a.b failed.',
    )
  })

  test('the verdict says so', async () => {
    const { verdict, reasons } = await judged('requests count >= 0', shares(100, 900), [shares(500, 500)])
    expect(verdict).toBe('invalid')
    expect(reasons.at(-1)).toBe(
      'The load generator "Agent-0" made 100 of 1000 transactions, 10% instead of its usual 50%: it may have ended early.',
    )
  })
})

describe('overloaded load generators', () => {
  const cpu = (...all: (number | undefined)[]) =>
    report({ agents: all.map((totalMean, at) => ({ name: `a${at}`, ...defined({ totalMean }) })) })

  test.each<[string, Report, ReturnType<typeof overloadOf>]>([
    ['80% is not too much', cpu(80), undefined],
    ['one of two', cpu(20, 80.1), { of: 'of 1 load generator', figures: 'a1 80.1%' }],
    [
      'two, the busiest first',
      cpu(81, undefined, 95),
      { of: 'of 2 load generators', figures: 'a2 95%, a0 81%' },
    ],
    [
      'all, of which only the mean is known',
      report({ agentSummary: { totalMean: 90 } }),
      { of: 'over all load generators', figures: '90%' },
    ],
    ['a mean of 80%', report({ agentSummary: { totalMean: 80 } }), undefined],
    ['a mean beside those of each', { ...cpu(20), agentSummary: { totalMean: 90 } }, undefined],
    ['nothing known', report({}), undefined],
  ])('%s', (_, of, overload) => {
    expect(overloadOf(of)).toEqual(overload)
  })
})

test('an earlier run in which nothing was measured cannot be compared', () => {
  const now = report({}, { requests: { timers: [timer('A')] } })
  expect(whyOther(now, report({}))).toBe('it measured nothing')
  expect(whyOther(now, now)).toBeUndefined()
})
