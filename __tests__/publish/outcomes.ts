import type { Comparison, ComparedFigure, ComparisonRow } from '../../src/comparison/comparison.js'
import { figureReader } from '../../src/figures/figures.js'
import { isMetric } from '../../src/figures/metrics.js'
import { judgedTwice, verdictOf, type GateResult } from '../../src/gates/result.js'
import { worstOf } from '../../src/actions/merge/merge.js'
import { afterBadEnd, goesOn } from '../../src/run/run.js'
import type { CheckOutcome, Leg, LoadTestOutcome, MergeOutcome, Outcome } from '../../src/outcome/outcome.js'
import type { Report, Timer, TimerKind } from '../../src/report/report.js'
import { placed } from '../gates/example-report.js'
import { lack } from '../../src/service/failure.js'
import { reasonsAbout } from '../../src/text/reason.js'

/** Outcomes of a shop's load tests. */

const sha = '4f5c1d09ab37e2f8c6b1a0d9e8f7a6b5c4d3e2f1'
const baseSha = 'def5678a1b2c3d4e5f60718293a4b5c6d7e8f901'

const requestTimes: [string, number, number][] = [
  ['Checkout.PlaceOrder', 1240, 890],
  ['Search.Results', 870, 640],
  ['Checkout.Payment', 655, 640],
  ['ProductDetail.Reviews', 540, 395],
  ['Homepage', 420, 415],
  ['ProductDetail', 380, 376],
  ['Cart.Add', 310, 312],
  ['Category.Browse', 290, 340],
  ['Account.Login', 250, 251],
  ['Account.Logout', 120, 118],
  ['Static.Bundle', 64, 66],
  ['Health', 12, 11],
]

export function timer(name: string, p95: number, count = 4000, errors = 0): Timer {
  return {
    name,
    count,
    errors,
    errorPercentage: count === 0 ? 0 : (errors * 100) / count,
    countPerSecond: count / 900,
    countPerMinute: count / 15,
    countPerHour: count * 4,
    min: Math.round(p95 * 0.1),
    max: Math.round(p95 * 3.4),
    mean: Math.round(p95 * 0.52 * 10) / 10,
    median: Math.round(p95 * 0.48),
    deviation: p95 * 0.21,
    percentiles: { p50: Math.round(p95 * 0.48), p95, p99: Math.round(p95 * 1.6), 'p99.9': p95 * 2.2 },
  }
}

/** Noise is up to 10 ms or 10 percent. */
function changeOf(value: number, baseline: number): ComparedFigure['change'] {
  const difference = value - baseline
  if (Math.abs(difference) <= 10 || Math.abs((difference * 100) / baseline) <= 10) return undefined
  return difference > 0 ? 'worse' : 'better'
}

/** Which figure of an outcome; a request unless it is of another kind, and the summary row without a name. */
interface Figure {
  kind?: TimerKind
  name?: string
  metric: string
}

/** Gives a figure other values, by default with the change that noise leaves. */
export function compare(
  { figures, comparison }: LoadTestOutcome,
  { kind = 'requests', name, metric }: Figure,
  { baseline, value, change }: { baseline: number; value: number; change?: ComparedFigure['change'] },
): void {
  const all = figures?.timers[kind]
  const one = name === undefined ? all?.summary : all?.timers.find((timer) => timer.name === name)
  const row = comparison?.rows.find((held) => held.kind === kind && held.name === name)
  if (!one || !row) throw new Error(`no ${kind} ${name ?? ''}`)
  if (metric === 'error-rate') one.errors = (value * (one.count ?? 0)) / 100
  else if (/^p\d/.test(metric)) one.percentiles[metric] = value
  else Object.assign(one, { [metric]: value })
  row.baseline[metric] = baseline
  const { [metric]: _, ...others } = row.changes ?? {}
  const found = change ?? changeOf(value, baseline)
  row.changes = found ? { ...others, [metric]: found } : others
}

/** The row of a timer that another one was compared with. */
function rowOf(kind: TimerKind, name: string | undefined, now: Timer, earlier: Timer): ComparisonRow {
  const row: ComparisonRow = {
    ...{ kind, presence: 'both', baseline: {}, changes: {} },
    ...(name === undefined ? {} : { name }),
  }
  for (const metric of ['count', 'error-rate', 'throughput', 'mean', 'median', 'p50', 'p95', 'p99', 'max']) {
    const read = isMetric(metric) ? figureReader(metric, '/s') : () => undefined
    const [value, before] = [read(now), read(earlier)]
    if (value === undefined || before === undefined) continue
    row.baseline[metric] = before
    const change = changeOf(value, before)
    if (change) row.changes = { ...row.changes, [metric]: change }
  }
  return row
}

export function report(times: [string, number, number][] = requestTimes): Report {
  const names = times.map(([name]) => name)
  return {
    engineVersion: 'XLT 9.2.0',
    projectName: 'Shop',
    comments: ['Commit 4f5c1d0'],
    general: { startTime: 1772375700000, endTime: 1772376600000, duration: 900, hits: 48000 },
    timers: {
      transactions: {
        summary: timer('All Transactions', 5200, 3600, 12),
        timers: [timer('TOrder', 6100, 1200, 9), timer('TBrowse', 3900, 2400, 3)],
      },
      actions: {
        summary: { ...timer('All Actions', 1400, 14400, 12), apdex: 0.91 },
        timers: [
          { ...timer('PlaceOrder', 1800, 1200, 9), apdex: 0.82 },
          { ...timer('Search', 900, 4800, 3), apdex: 0.94 },
        ],
      },
      requests: {
        summary: timer('All Requests', 550, 48000, 61),
        timers: times.map(([name, p95], index) =>
          timer(name, p95, 4000, index === 0 ? 49 : index === 1 ? 12 : 0),
        ),
      },
      pageLoads: { summary: timer('All Page Load Timings', 2100, 1200), timers: [timer('Home', 2100, 1200)] },
      customTimers: { timers: [] },
    },
    webVitals: [
      {
        name: 'Homepage',
        vitals: {
          lcp: { score: 1850, rating: 'good', goodCount: 900, improveCount: 80, poorCount: 20 },
          cls: { score: 0.043, rating: 'good' },
          inp: { score: 230, rating: 'improve' },
        },
      },
    ],
    agents: [
      { name: 'ac0001_de-fra_00', totalMean: 41.2, totalMax: 72, ownMean: 33, ownMax: 60 },
      { name: 'ac0002_de-fra_01', totalMean: 84.5, totalMax: 99.97, ownMean: 70, ownMax: 92 },
    ],
    agentSummary: { totalMean: 62.9, totalMax: 99.97, ownMean: 51.5, ownMax: 92 },
    errors: [
      { message: 'Response code 503: Service Unavailable', count: 49, places: ['TOrder'] },
      { message: `No element found for ${names[1] ?? 'Search'}`, count: 12, places: ['TOrder', 'TBrowse'] },
    ],
    responseCodes: [
      { code: 200, text: 'OK', count: 46100 },
      { code: 302, text: 'Found', count: 1839 },
      { code: 503, text: 'Service Unavailable', count: 49 },
      { code: 0, text: '', count: 12 },
    ],
    events: [
      { name: 'Retry', transaction: 'TOrder', count: 3 },
      { name: 'Out of stock', count: 1204 },
    ],
    customValues: [{ name: 'CartSize', count: 1200, min: 1, mean: 2.97, max: 5 }, { name: 'Stock' }],
    loadProfile: [{ name: 'TOrder', settings: { numberOfUsers: '1...20', rampUpPeriod: '60' } }],
  }
}

export function comparison(times: [string, number, number][] = requestTimes): Comparison {
  const row = (kind: TimerKind, name: string | undefined, now: number, before: number): ComparisonRow => {
    const { count = 4000, errors = 5 } = (name === undefined && report(times).timers[kind].summary) || {}
    return rowOf(kind, name, timer('', now, count, errors), timer('', before, count, errors))
  }
  return {
    baseline: {
      ...{ name: '3 runs of main', runs: 3, commit: baseSha, startTime: '2026-02-28T14:35:00Z' },
      url: 'https://github.com/shop/shop/actions/runs/17',
    },
    rows: [
      row('requests', undefined, 550, 410),
      row('transactions', undefined, 5200, 5150),
      ...times.map(([name, now, before]) => row('requests', name, now, before)),
      { kind: 'requests', name: 'Legacy.Banner', presence: 'removed', baseline: { p95: 88 } },
    ],
    newErrors: ['Response code 503: Service Unavailable'],
  }
}

export function gate(line: number, text: string, more: Partial<GateResult> = {}): GateResult {
  const subject = more.subject ?? 'requests'
  const about = { gate: text, line, ...placed(subject), metric: 'p95', unit: 'ms', operator: '<=' } as const
  return { ...about, ...(text.includes(subject) ? {} : { isMatch: true }), result: 'passed', ...more }
}

export function gates(): GateResult[] {
  const quick = { name: 'Checkout stays quick', file: '.github/gates.yml', limit: 1200 }
  return [
    gate(2, 'requests error-rate <= 1 %', { metric: 'error-rate', unit: '%', value: 0.127, limit: 1 }),
    gate(3, 'requests p95 <= baseline + 10 % + 20 ms', {
      value: 550,
      limit: 471,
      baseline: 410,
      difference: 140,
      relativeDifference: 34.146,
      result: 'failed',
      noise: { percent: 5, samples: 48_000, failsBeyond: 471 },
    }),
    gate(4, 'request "Check*" p95 <= 1.2 s', {
      ...{ ...quick, subject: 'request "Checkout.PlaceOrder"', value: 1240, result: 'failed' },
    }),
    gate(4, 'request "Check*" p95 <= 1.2 s', { ...quick, subject: 'request "Checkout.Payment"', value: 655 }),
    gate(5, 'warn: requests p99 <= 800 ms', { metric: 'p99', value: 880, limit: 800, result: 'warned' }),
    gate(6, 'requests throughput >= 50 /s', {
      ...{ metric: 'throughput', unit: '/s', operator: '>=', value: 53.33, limit: 50 },
    }),
    { gate: 'scorecard passes', line: 7, subject: 'scorecard', unit: 'number', result: 'passed' },
  ]
}

const step: LoadTestOutcome['step'] = {
  actionVersion: '1.0.0',
  repository: 'shop/shop',
  commit: sha,
  pullRequest: 12,
  workflowRunUrl: 'https://github.com/shop/shop/actions/runs/4242',
  service: 'https://load.example.com',
  startedAt: '2026-03-01T14:30:00Z',
  seconds: 1312,
}

const page = 'https://load.example.com/org/shop/load-tests/42'

const run: NonNullable<LoadTestOutcome['run']> = {
  number: 42,
  url: page,
  name: 'Pull request 12',
  template: { number: 17, name: 'Nightly, 15 minutes' },
  state: 'FINISHED',
  startTime: '2026-03-01T14:35:00Z',
  endTime: '2026-03-01T14:50:00Z',
  durationSeconds: 900,
}

const artifact = (id: number, name: string) => ({ id, name, url: `${step.workflowRunUrl}/artifacts/${id}` })

const reportFile: NonNullable<LoadTestOutcome['report']> = {
  number: 8,
  path: '/tmp/report.tar.gz',
  ending: '.tar.gz',
  bytes: 12_345_678,
  artifact: artifact(9, 'load-test-report.tar.gz'),
}

const nothing = { reasons: [], advice: [], notes: [] }
const begun = { ...nothing, format: 1, kind: 'load-test', mode: 'run', gates: [] } as const

/** It got slower after two thirds; the baseline's run was shorter, and its users were the same all the time. */
export function overTime(): LoadTestOutcome {
  const outcome = regression()
  const column = (length: number, value: (at: number) => number | null) =>
    Array.from({ length }, (_, at) => value(at))
  const waves = (at: number, base: number) => Math.round(base * (1 + Math.sin(at * 1.7) / 10))
  const users = column(100, () => 28)
  const figures = {
    throughput: column(100, (at) => waves(at, Math.min(50, at * 3))),
    p50: column(100, (at) => (at === 40 ? null : waves(at, at > 65 ? 190 : 120))),
    p95: column(100, (at) => waves(at, at > 65 ? 610 : 330)),
    'error-rate': column(100, (at) => (at > 65 ? 2 : 0)),
    users,
  }
  const before = { p95: column(70, (at) => waves(at + 2, 330)), users }
  if (outcome.figures) outcome.figures.timeline = { step: 8, figures }
  if (outcome.comparison) outcome.comparison.timeline = { step: 10, figures: before }
  return outcome
}

type Rule = NonNullable<LoadTestOutcome['scorecard']>['rules'][number]

const rule = (name: string, more: Partial<Rule>): Rule => ({
  ...{ name, group: 'Speed', result: 'passed', failsTest: false, points: 8, totalPoints: 10, values: [] },
  ...more,
})

export function regression(): LoadTestOutcome {
  const results = gates()
  return {
    ...begun,
    verdict: 'failed',
    reasons: verdictOf(results).reasons,
    notes: [
      'The mean CPU use of 1 load generator was above 80%: ac0002_de-fra_01 84.5%. Measured times may be too high; use more or larger load generators.',
      '1 request of the baseline is missing from this run: "Legacy.Banner".',
    ],
    step,
    run,
    report: reportFile,
    gates: results,
    scorecard: {
      verdict: 'passed',
      points: 18,
      totalPoints: 20,
      pointsPercentage: 90,
      rating: 'A',
      rules: [
        rule('Errors below 1%', { group: 'Quality', failsTest: true, points: 10 }),
        rule('Checkout below 1 s', { result: 'not-passed', message: 'Too slow', values: ['1240'] }),
      ],
    },
    figures: report(),
    comparison: {
      ...comparison(),
      addedTime: [
        '"Checkout.PlaceOrder" takes 182 ms longer on average, 170 ms of it waiting for the server.',
      ],
    },
  }
}

/** Of the gates that failed, a second run confirms the first only. */
export function confirmed(): LoadTestOutcome {
  const first = regression()
  const run = { ...first.run, number: 4712, url: 'https://load.example.com/runs/4712', state: 'FINISHED' }
  const failed = first.gates.filter(({ result }) => result === 'failed')
  const second = first.gates.map((one): GateResult => {
    const isLast = failed.length > 1 && one === failed.at(-1)
    return isLast ? { ...one, value: one.limit ?? 0, result: 'passed' } : one
  })
  const { results, notes } = judgedTwice(first.gates, second, { first: first.run?.number ?? 0, second: 4712 })
  return {
    ...first,
    ...verdictOf(results),
    gates: results,
    notes: [...notes, ...first.notes],
    confirmation: {
      result: 'confirmed',
      ...verdictOf(second),
      run,
      gates: second,
      ...(first.report ? { report: { ...first.report, number: 1 } } : {}),
    },
  }
}

/** Gates failed, and a maintainer accepted that. */
export function accepted(): LoadTestOutcome {
  return {
    ...regression(),
    verdict: 'accepted',
    acceptance: {
      label: 'accepted-regression',
      by: 'octocat',
      role: 'maintain',
      at: '2026-03-01T15:20:07Z',
      commit: sha,
      pushedAt: '2026-03-01T14:31:40Z',
    },
  }
}

/** What a gate of the example found where nothing got slower. */
function calmer({ metric, subject, baseline }: GateResult): Partial<GateResult> {
  if (baseline !== undefined) return { value: 412, difference: 2, relativeDifference: 0.4878 }
  if (metric === 'p99') return { value: 659 }
  return subject.includes('PlaceOrder') ? { value: 892 } : {}
}

export function green(): LoadTestOutcome {
  const calm = requestTimes.map(([name, , before]): [string, number, number] => [name, before + 2, before])
  const figures = report(calm)
  const base = comparison(calm)
  figures.timers.requests.summary = timer('All Requests', 412, 48000, 3)
  figures.errors = []
  figures.agents = figures.agents.slice(0, 1)
  figures.agentSummary = { totalMean: 41.2, totalMax: 72 }
  figures.responseCodes = figures.responseCodes.slice(0, 2)
  base.newErrors = []
  base.rows = base.rows
    .filter(({ presence }) => presence === 'both')
    .map((row) => (row.name === undefined ? { ...row, changes: {} } : row))
  const outcome: LoadTestOutcome = {
    ...regression(),
    ...nothing,
    verdict: 'passed',
    gates: gates().map((one) => ({ ...one, ...calmer(one), result: 'passed' })),
    figures,
    comparison: base,
  }
  compare(outcome, { metric: 'error-rate' }, { baseline: 0.00625, value: 0.00625 })
  return outcome
}

/** An outcome without the optional facts. */
export function without(outcome: LoadTestOutcome, part: 'comparison' | 'run'): LoadTestOutcome {
  const { [part]: _, ...rest } = outcome
  return rest
}

/** The same if neither the service nor an input names the run's page. */
export function withoutPage(outcome: LoadTestOutcome): LoadTestOutcome {
  if (!outcome.run) return outcome
  const { url: _, ...run } = outcome.run
  return { ...outcome, run }
}

export function invalid(): LoadTestOutcome {
  return {
    ...without(regression(), 'comparison'),
    ...nothing,
    verdict: 'invalid',
    reasons: reasonsAbout('gate', 'The report has no request "Chekout". Did you mean "Checkout.Payment"?'),
    gates: [
      gate(1, 'requests p95 <= 600 ms', { value: 550, limit: 600 }),
      gate(2, 'request "Chekout" p95 <= 600 ms', {
        subject: 'request "Chekout"',
        result: 'not-measured',
        reason: 'The report has no request "Chekout". Did you mean "Checkout.Payment"?',
        hint: 'Did you mean "Checkout.Payment"?',
      }),
    ],
  }
}

/** The pull request that adds the workflow: there is nothing to compare with yet. */
const errorGate = () =>
  gate(1, 'transactions error-rate <= 1 %', {
    ...{ subject: 'transactions', metric: 'error-rate', unit: '%', value: 0.33, limit: 1 },
  })

/** A gate that compares, of the run that is as fast as before. */
const compared = (more: Partial<GateResult>) =>
  gate(2, 'requests p95 <= baseline + 10 % + 20 ms', { value: 412, ...more })

/** A pull request that adds the workflow. */
export function firstRun(): LoadTestOutcome {
  const reason =
    'First run: this pull request adds the workflow. Once it is merged, the first run on main is the baseline.'
  return {
    ...without(green(), 'comparison'),
    gates: [errorGate(), compared({ result: 'not-compared', reason })],
  }
}

/** A pull request whose base has the workflow, but no run of it. */
export function withoutBaseline(): LoadTestOutcome {
  const reason = 'There is no baseline to compare with.'
  return {
    ...without(green(), 'comparison'),
    verdict: 'invalid',
    reasons: reasonsAbout('gate', reason),
    advice: [
      'Let this workflow run on main first, on push or by hand: its first green run there is the baseline. Then run this job again.',
    ],
    notes: [
      'There is no baseline yet: no earlier successful run on the base branch has attached its figures. The first that does is the baseline.',
    ],
    gates: [errorGate(), compared({ result: 'not-measured', reason })],
  }
}

/** The only load generator was lost on the way. */
export function cutShort(): LoadTestOutcome {
  const reason = 'The run did not go as planned, so the comparison is not valid.'
  const open = compared({
    ...{ value: 950, limit: 451, baseline: 412, difference: 538, relativeDifference: 130.6 },
    ...{ result: 'not-measured', reason },
  })
  const { figures, ...rest } = without(green(), 'comparison')
  return {
    ...rest,
    ...(figures && { figures: { ...figures, general: { ...figures.general, duration: 14 } } }),
    verdict: 'invalid',
    reasons: [
      ...reasonsAbout('gate', `requests p95 is 950 ms; it must be at most 451 ms. ${reason}`),
      ...reasonsAbout('run', 'The run measured 14 s of the planned 10 min.'),
    ],
    advice: [
      'Look in the log of the load test for why it ended early, such as a load generator that ran out of memory. Then run it again.',
    ],
    gates: [{ ...errorGate(), value: 0 }, open],
  }
}

export function started(): LoadTestOutcome {
  return {
    ...begun,
    mode: 'start',
    verdict: 'started',
    advice: [
      'To judge it later without a new load test, run this step with the inputs mode: collect and run-number: 42.',
    ],
    step: { ...step, seconds: 40 },
    run: { number: 42, url: page, state: 'REQUESTED' },
  }
}

/** An outcome of mode check: a problem that stops a run, one that does not, and an unknown. */
export function checked(): CheckOutcome {
  const sentence = lack(['LOADTEST_DETAILS'])
  return {
    ...nothing,
    format: 1,
    kind: 'check',
    verdict: 'error',
    reasons: reasonsAbout('check', sentence),
    step: { ...step, seconds: 3 },
    checks: [
      { subject: 'address', result: 'fits', sentence: 'https://load.example.com answers.' },
      { subject: 'scope LOADTEST_DETAILS', result: 'does-not-fit', sentence, endsRun: true },
      {
        ...{ subject: 'operation stop', result: 'does-not-fit' },
        sentence: 'The OpenAPI document of the service has no …/stop. Ask its operator for one that has it.',
      },
      {
        ...{ subject: 'comment', result: 'unknown' },
        sentence: 'Only a run shows whether one can be written: the job needs pull-requests: write.',
      },
    ],
  }
}

export function timedOut(): LoadTestOutcome {
  return {
    ...started(),
    mode: 'run',
    verdict: 'timed-out',
    reasons: reasonsAbout('run', 'Load test 42 had not ended after 5 h 45 min; its last state was RUNNING.'),
    advice: goesOn({ number: 42, state: 'RUNNING', url: page }),
    step: { ...step, seconds: 20_700 },
    run: { number: 42, url: page, state: 'RUNNING' },
  }
}

export function cancelled(): LoadTestOutcome {
  return { ...timedOut(), verdict: 'cancelled', reasons: reasonsAbout('step', 'The job was cancelled.') }
}

export function loadTestFailed(): LoadTestOutcome {
  return {
    ...begun,
    verdict: 'load-test-failed',
    step,
    run: { ...run, state: 'ABORTED' },
    report: reportFile,
    reasons: reasonsAbout(
      'run',
      'Load test 42 ended in ABORTED. The service only says: the load generators stopped answering.',
    ),
    advice: afterBadEnd({ ...run, state: 'ABORTED' }, false),
  }
}

export function error(): LoadTestOutcome {
  return {
    ...begun,
    verdict: 'error',
    reasons: reasonsAbout(
      'credentials',
      'Getting an access token failed: the load-testing service answered 401. Check client-id and client-secret. If the credentials have expired, create new ones on the service, in the configuration of the project or its organization (Integrations, API Client Credentials).',
    ),
    step,
  }
}

/** A leg of a matrix. */
export function leg(
  name: string,
  outcome: LoadTestOutcome,
  place = { job: 'load-test', index: 0, total: 1 },
): Leg {
  const number = 42 + place.index
  const url = `https://load.example.com/org/shop/load-tests/${number}`
  return {
    name,
    verdict: outcome.verdict,
    artifact: artifact(70, `load-test-${name}-outcome.json`),
    outcome: {
      ...outcome,
      step: { ...outcome.step, leg: place, name: `load-test-${name}` },
      digest: artifact(71, `load-test-${name}-digest.html`),
      ...(outcome.run ? { run: { ...outcome.run, number, url, template: { number: 17, name } } } : {}),
    },
  }
}

/** A leg that left no outcome. */
export function missingLeg(name: string): Leg {
  return { name, verdict: 'error', fault: 'It left no outcome: its job was cancelled. Look at its log.' }
}

/** Mode merge's outcome of legs. */
export function merged(
  legs: readonly Leg[] = [
    leg('checkout', regression(), { job: 'load-test', total: 3, index: 0 }),
    missingLeg('login'),
    leg('search', green(), { job: 'load-test', total: 3, index: 2 }),
  ],
): MergeOutcome {
  return {
    ...nothing,
    format: 1,
    kind: 'merge',
    verdict: worstOf(legs),
    reasons: legs.flatMap(({ name, fault, outcome }) => {
      const why = fault ?? outcome?.reasons[0]?.text
      return why === undefined ? [] : reasonsAbout('leg', `${name}: ${why}`)
    }),
    step: { ...step, seconds: 4 },
    legs,
    digest: artifact(80, 'load-test-digest.html'),
  }
}

/** Names that try to break something, and what each tries. */
export const hostileNames = [
  'a|b',
  'a\\|b',
  '<img src=x onerror="document.title=1">',
  '<script>document.body.dataset.owned = 1</script>',
  '</details></summary><h1>owned',
  '</svg><style>*{display:none}</style>',
  '@team',
  '@shop/admins and mail someone@example.com',
  '`',
  '``` \n```mermaid',
  '::error::owned',
  '##[error]owned',
  'line\r\nbreak\u2028and\u0085more',
  '\u202eevil\u2066\u200b',
  'x'.repeat(5000),
  '|'.repeat(5000),
  'https://evil.example.com/?a=b&c=d and www.evil.example.com',
  '[x](javascript:alert(1))',
  '![x](https://evil.example.com/p.png)',
  '#123 GH-123 shop/shop#5',
  'fixed in 4f5c1d09ab37e2f8c6b1a0d9e8f7a6b5c4d3e2f1 and abc1234',
  '<!-- load-test-action: key -->',
  '--> <b>x</b>',
  '&lt;b&gt; &#60;b&#62; &copy;',
  '$x$ $$y$$ :tada: ~~z~~ *b* __c__',
  '"] line [1, 2] %%{init: {}}%% ; end',
  '- item',
  '1. item',
  '# heading',
  '> quote',
  '\ud800 lone \udc00',
  'z\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301',
  '\u0007\u001b[31mred\u0000',
  '{{ 1+1 }} ${{ github.token }} %0A::error::x',
  '',
  ' ',
]

export function hostile(): LoadTestOutcome {
  const times = hostileNames.map((name, index): [string, number, number] => [name, 900 - index, 300])
  const figures = report(times)
  const base = comparison(times)
  const outcome = regression()
  const joined = hostileNames.join(' ')
  figures.engineVersion = joined
  figures.errors = hostileNames.map((message, at) => ({ message, count: 100 - at, places: hostileNames }))
  figures.agents = hostileNames.map((name) => ({ name, totalMean: 90 }))
  figures.webVitals = hostileNames.map((name) => ({ name, vitals: { lcp: { score: 1, rating: name } } }))
  figures.responseCodes = hostileNames.map((text, index) => ({ code: 400 + index, text, count: 5 }))
  figures.timers.actions.timers = hostileNames.map((name) => timer(name, 10))
  base.newErrors = hostileNames
  base.addedTime = hostileNames
  figures.events = hostileNames.map((name) => ({ name, transaction: name, count: 1 }))
  figures.customValues = hostileNames.map((name) => ({ name, mean: 1 }))
  base.label = joined
  base.baseline = { name: joined, label: joined, runs: 2, commit: '@team `x`', url: 'javascript:alert(1)' }
  return {
    ...outcome,
    ...{ reasons: reasonsAbout('run', ...hostileNames), advice: hostileNames, notes: hostileNames },
    step: {
      ...{ ...outcome.step, repository: 'shop/shop](x)', commit: '<b>@team</b>' },
      workflowRunUrl: 'https://user:pass@evil.example.com/',
    },
    run: {
      ...{ ...run, name: joined, template: { number: 1, name: joined } },
      state: '<img src=x onerror=alert(1)>|@team',
      url: 'https://load.example.com/x|y)z "q" <b> [a](b) `c` $d$ \\e?@team#&copy;|',
    },
    report: { ...reportFile, artifact: { id: 1, name: 'a|b`<img>', url: 'javascript:alert(1)' } },
    gates: hostileNames.flatMap((name, index) => [
      gate(index + 1, `request "${name}" p95 <= 1 ms`, {
        ...{ name, file: '.github/gates.yml', subject: `request "${name}"`, reason: name },
        ...{ value: 5, limit: 1, result: 'failed' },
      }),
      gate(index + 1, `request "${name}" p95 <= 9 ms`, { subject: name, value: 5, limit: 9 }),
    ]),
    scorecard: {
      verdict: 'error',
      error: joined,
      rules: hostileNames.map((name) =>
        rule(name, { group: name, result: 'error', failsTest: true, message: name, values: [name] }),
      ),
    },
    figures,
    comparison: base,
  }
}

/** A label and a role with foreign names. */
export function hostileAcceptance(): LoadTestOutcome {
  const joined = hostileNames.join(' ')
  const { acceptance } = accepted()
  if (!acceptance) throw new Error('the example was not accepted')
  return {
    ...hostile(),
    verdict: 'accepted',
    acceptance: { ...acceptance, label: joined, by: joined, role: joined, commit: joined },
  }
}

/** What the runs of the green example support. */
export function suggested(): LoadTestOutcome {
  const p95 = { unit: 'ms', low: 612, high: 640, noise: 4, samples: 48_000 } as const
  const found = { slower: 20, chance: 0.31, chanceIfTwice: 0.58, longerForTenth: 5 }
  return {
    ...green(),
    suggestion: {
      runs: 6,
      gates: [
        { gate: 'transactions error-rate <= 0.5%', unit: '%', low: 0, high: 0.25, samples: 3600 },
        { gate: 'requests p95 <= baseline + 10%', ...p95 },
        { gate: 'request "Search" mean <= baseline + 10%', unit: 'ms', low: 90, high: 90, noise: 5.2 },
        { gate: 'requests p95 <= 760 ms', ...p95 },
      ],
      leftOut: [
        { gate: 'request "Pay" mean', reason: 'There are too few samples: 3 samples, and mean needs 5.' },
      ],
      power: [{ subject: 'request "Search"', ...found }],
    },
  }
}

/** Names that a gate can hold, and others that only sentences have. */
export function hostileSuggestion(): LoadTestOutcome {
  const outcome = suggested()
  const gates = hostileNames.map((name) => ({
    ...{ gate: `request "${name}" mean <= baseline + 5%`, unit: 'ms' as const, low: 1, high: 2 },
  }))
  const power = hostileNames.map((name) => ({
    ...{ subject: `request "${name}"`, slower: 20, chance: 0.5, chanceIfTwice: 1 },
  }))
  const leftOut = hostileNames.map((name) => ({ gate: name, reason: name }))
  return { ...outcome, suggestion: { runs: 2, isAssumed: true, gates, leftOut, power } }
}

export function huge(): LoadTestOutcome {
  const times = Array.from({ length: 1500 }, (_, index): [string, number, number] => [
    `Request.${index}.${'part|@x.'.repeat(8)}`,
    index % 900,
    (index % 900) + 5,
  ])
  const outcome = regression()
  return {
    ...outcome,
    figures: {
      ...report(times),
      errors: times.map(([message, count]) => ({ message, count, places: [] })),
    },
    comparison: comparison(times),
    gates: times.map(([name, value], index) =>
      gate(1, 'request "*" p95 <= 450 ms', {
        subject: `request "${name}"`,
        value,
        limit: 450,
        result: value > 450 ? 'failed' : index % 10 === 0 ? 'not-measured' : 'passed',
      }),
    ),
    reasons: reasonsAbout('run', ...times.slice(0, 1000).map(([name]) => `Something about ${name}.`)),
  }
}

/** Legs that are named after commits. */
export function mergedByCommit(): MergeOutcome {
  return merged([leg('a'.repeat(40), regression()), missingLeg('b'.repeat(80))])
}

/** Those that have a digest. */
export const everyDigested: Record<string, () => LoadTestOutcome | MergeOutcome> = {
  green,
  regression,
  overTime,
  confirmed,
  accepted,
  hostileAcceptance,
  invalid,
  firstRun,
  withoutBaseline,
  cutShort,
  started,
  timedOut,
  cancelled,
  loadTestFailed,
  error,
  merged,
  mergedByCommit,
  suggested,
  hostile,
  hostileSuggestion,
  huge,
}

export const everyOutcome: Record<string, () => Outcome> = { ...everyDigested, checked }
