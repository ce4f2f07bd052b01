import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { type Report, type Scorecard, type Timer, type TimerKind } from '../../src/report/report.js'
import { errorsIn } from '../../src/report/formats/xlt-scorecard.js'
import { buildXPathWorker } from './built-worker.js'
import { report, timer } from './example-report.js'
import { judgedBy } from './judged.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()
const [file, worker] = [path.join(folder, 'testreport.xml'), path.join(folder, 'xpath-worker.mjs')]
beforeAll(async () => {
  const [errors, mean] = ['<errors>3</errors>', '<mean>200</mean>']
  writeFileSync(
    file,
    `<testreport><summary><requests>${errors}${mean}</requests><transactions>${errors}</transactions></summary><errors/></testreport>`,
  )
  await buildXPathWorker(worker)
})

type Errors = Record<string, number>

const failing = (name: string, errors: number, count = 1000) =>
  timer(name, { count, errors, errorPercentage: (errors * 100) / count })

/** Requests of 1,000 answers with these errors, and 1,000 transactions. */
function run(errors: Errors, transactions = 0, timers: Partial<Record<TimerKind, Timer[]>> = {}): Report {
  const requests = Object.entries(errors).map(([name, failed]) => failing(name, failed))
  const sum = Object.values(errors).reduce((all, one) => all + one, 0)
  const none = report(
    {},
    Object.fromEntries(Object.entries(timers).map(([kind, all]) => [kind, { timers: all }])),
  )
  none.timers.requests = { timers: requests }
  if (requests.length > 0) none.timers.requests.summary = failing('All Requests', sum, requests.length * 1000)
  if (transactions >= 0)
    none.timers.transactions = {
      summary: failing('All Transactions', transactions),
      timers: [failing('Order', transactions)],
    }
  return none
}

async function judged(now: Report, before: readonly Report[], text: string, ...[scorecard]: Scorecard[]) {
  // What an expression looks at is in its text.
  const more = { xpath: { file, worker, errorsIn }, ...(scorecard && { scorecard }) }
  const { verdict, results, tooManyErrors } = await judgedBy(text, now, before, more)
  const found = results.flatMap(({ builtIn, subject, result }) => (builtIn ? [`${subject} ${result}`] : []))
  return { verdict, found, tooManyErrors, reason: results[0]?.reason }
}

const mean = 'request "*" mean <= baseline + 10%'
const healthy = run({ A: 2, B: 0, C: 5 }, 7)
const five = [
  healthy,
  run({ A: 0, B: 1, C: 3 }, 4),
  run({ A: 4, B: 0, C: 6 }, 9),
  healthy,
  run({ A: 3, B: 0, C: 4 }, 6),
]

describe.each([
  ['one earlier run', [healthy]],
  ['five', five],
])('with %s', (_, before) => {
  test.each<[string, Report, string[]]>([
    ['as ever', healthy, []],
    ['a burst on one request', run({ A: 2, B: 90, C: 5 }, 95), []],
    [
      'all fail',
      run({ A: 1000, B: 1000, C: 1000 }, 1000),
      ['transactions', 'request "A"', 'request "B"', 'request "C"'],
    ],
    ['one always fails', run({ A: 2, B: 1000, C: 5 }, 7), ['request "B"']],
    ['13% more', run({ A: 2, B: 130, C: 5 }, 7), ['request "B"']],
    ['less than that', run({ A: 2, B: 129, C: 5 }, 135), []],
    ['only transactions', run({ A: 2, B: 0, C: 5 }, 400), ['transactions']],
    ['a new request', run({ A: 2, B: 0, C: 5, D: 300 }, 7), ['request "D"']],
  ])('%s', async (_, now, subjects) => {
    const { verdict, found, tooManyErrors } = await judged(now, before, '')
    expect(found).toEqual(subjects.map((one) => `${one} failed`))
    expect(verdict).toBe(subjects.length > 0 ? 'failed' : 'passed')
    expect(tooManyErrors).toBe(subjects.length > 0)
  })
})

test('where the errors of transactions are not known, all requests count together, few answers each as well', async () => {
  const groups = (failed: number): Report => {
    const now = run({ A: 0 })
    const names = Array.from({ length: 100 }, (_, at) => failing(`Page ${at}`, failed, 4))
    now.timers.requests = { summary: failing('All Requests', failed * 100, 400), timers: names }
    for (const timer of [now.timers.transactions.summary, ...now.timers.transactions.timers])
      for (const field of ['errors', 'errorPercentage'] as const) delete timer?.[field]
    return now
  }
  for (const before of [[], [groups(0)], [groups(0), groups(0), groups(0)]])
    expect(await judged(groups(1), before, mean)).toMatchObject({
      ...{ verdict: 'failed', found: ['requests failed'], tooManyErrors: true },
    })
})

test('where the errors of all requests are not known, those of each count', async () => {
  const mixed = run({ A: 0, B: 200 }, -1)
  delete mixed.timers.requests.summary?.errors
  delete mixed.timers.requests.summary?.errorPercentage
  expect((await judged(mixed, [], mean)).found).toEqual(['request "B" failed'])
  // What is not measured has looked at nothing.
  expect((await judged(mixed, [], 'warn: requests errors = 0')).found).toEqual(['request "B" failed'])
  delete mixed.timers.requests.timers[1]?.count
  expect((await judged(mixed, [], mean)).found).toEqual(['request "B" failed'])
})

test.each([
  ['sum(//requests/request/errors)', ['requests']],
  ['count(/testreport/errors/error)', []],
  ["count(//requests/request[name = 'ErrorPage'])", []],
  ['//requests/request[name = "request"]/errors', ['requests']],
  ["//transactions/transaction[name = 'request']/errors", ['transactions']],
  ["//error[name = 'a request']", []],
])('%s looks at the errors of %j', (expression, kinds) => expect(errorsIn(expression)).toEqual(kinds))

test('failed answers under another name are those of the same request', async () => {
  const split = run({}, -1)
  split.timers.requests.timers.push(failing('B [200]', 0, 800), failing('B [500]', 200, 200))
  const before = run({ 'B [200]': 0 }, -1)
  expect((await judged(split, [before], mean)).found).toEqual(['request "B" failed'])
  expect((await judged(split, [before], 'request "B [200]" errors = 0')).found).toEqual([
    'request "B" failed',
  ])
  expect((await judged(split, [before], 'request "B*" error-rate <= 50%')).found).toEqual([])
  expect((await judged(split, [before], 'request "B" error-rate <= baseline + 30 pp')).found).toEqual([])
  // A request that is named B, without a status, is one of those that are B with any.
  const three = run({ B: 0 }, -1)
  three.timers.requests.timers.push(failing('B [500]', 300, 300))
  expect((await judged(three, [before], 'request "B" error-rate <= 50%')).found).toEqual([
    'request "B" failed',
  ])
})

test.each([
  [1, 30, 6, true],
  [5, 30, 6, true],
  [5, 30, 5, false],
  // A burst of one in ten, and what chance adds to that.
  [5, 100, 15, true],
  [5, 100, 14, false],
  [1, 20, 5, true],
  [1, 20, 4, false],
  [1, 3, 3, true],
  [5, 30, 3, false],
  // One of five is chance.
  [1, 5, 1, false],
  [5, 5, 2, false],
])('%i earlier runs, a request of %i answers of which %i fail', async (runs, count, errors, isRed) => {
  const of = (failed: number) => {
    const one = run({ B: 3, C: 5, D: 0 }, -1)
    one.timers.requests.timers.push(failing('A', failed, count))
    return one
  }
  const { found } = await judged(
    of(errors),
    Array.from({ length: runs }, () => of(0)),
    '',
  )
  expect(found).toEqual(isRed ? ['request "A" failed'] : [])
})

test.each([
  ['each too few to judge alone', 100, 10, 2, 0],
  ['where transactions stand for them', 100, 10, 2, 100],
  ['fewer than 13%', 100, 10, 1, 0],
])('requests with a baseline, %s', async (_, names, count, errors, transactions) => {
  const of = (failed: number) => {
    const one = run({}, transactions - 1)
    if (transactions > 0) one.timers.transactions.summary = failing('All Transactions', 0)
    const timers = Array.from({ length: names }, (_, name) => failing(`R${name}`, failed, count))
    one.timers.requests = { summary: failing('All Requests', failed * names, count * names), timers }
    return one
  }
  const { found } = await judged(of(errors), [of(0)], '')
  expect(found).toEqual(errors === 2 && transactions === 0 ? ['requests failed'] : [])
})

test('more load or less, and a run that broke off, excuse no errors', async () => {
  const now = run({ A: 500, B: 500, C: 500 }, 500)
  for (const [duration, reason] of [
    [100, /^The load may explain it: .* The limit is built in/],
    [6000, /^The limit is built in/],
  ] as const) {
    expect(await judged({ ...now, general: { ...now.general, duration } }, [healthy], '')).toMatchObject({
      verdict: 'failed',
      reason: expect.stringMatching(reason) as string,
    })
  }
  expect((await judged({ ...now, partial: '1 of 3' }, [healthy], '')).verdict).toBe('failed')
})

const kinds = (...errorsOf: TimerKind[]): Scorecard => ({ verdict: 'passed', rules: [], errorsOf })
const [all, part] = [run({ A: 1000, B: 1000, C: 1000 }, 1000), run({ A: 130, B: 130, C: 129 }, 129)]
const [tx, requests] = ['transactions failed', 'requests failed']
const unnamed = run({ A: 500 }, -1)
unnamed.timers.requests.timers = []
const actions = (...timers: Timer[]) => run({}, -1, { actions: timers })

test.each<[string, Report, string, string[], boolean, ...Scorecard[]]>([
  // Without a baseline: 13% of the transactions or of the requests.
  ['', all, '', [tx, requests], true],
  ['', part, '', [], false],
  ['', run({ A: 130, B: 130, C: 130 }, 0), '', [requests], true],
  ['', run({ A: 0 }, 130), '', [tx], true],
  ['a gate for times', all, 'requests p95 <= 10 s', [tx, requests], true],
  ['without transactions', run({ A: 500 }, -1), '', [requests], true],
  ['without names', unnamed, '', [requests], true],
  ['other kinds', actions(failing('Pay', 300)), '', ['action "Pay" failed'], true],
  [
    'beside few answers',
    actions(failing('Pay', 300), failing('Buy', 3, 20)),
    '',
    ['action "Pay" failed'],
    true,
  ],
  ['other kinds beside them', run({ A: 0 }, 0, { actions: [failing('Pay', 300)] }), '', [], false],
  ['nothing counted', run({}, 0, {}), '', [], false],
  // Gates of one's own.
  ['of transactions', all, 'transactions errors >= 0', [requests], true],
  ['each of them', all, 'transaction "*" error-rate <= 100%', [requests], true],
  ['of all', all, 'transactions errors >= 0\nrequests error-rate <= 100%', [], false],
  ['only a warning', all, 'warn: transactions errors = 0\nwarn: requests error-rate <= 1%', [], true],
  ['of some names', all, 'transactions errors >= 0\nrequest "A" errors >= 0', [requests], true],
  [
    'of one of two',
    actions(failing('Pay', 300), failing('Buy', 300)),
    'action "Pay" errors >= 0',
    ['action "Buy" failed'],
    true,
  ],
  ['of all names', all, 'transactions errors >= 0\nrequest "?" errors >= 0', [], false],
  ['that compares, in a first run', all, 'warn: transactions error-rate <= baseline', [tx, requests], true],
  ['of a name that is missing', all, 'warn: transaction "X" errors = 0', [tx, requests], true],
  ['XPath', all, 'xpath(/testreport/summary/transactions/errors) >= 0', [requests], true],
  [
    'XPath beside others',
    all,
    'requests p95 <= 10 s\nxpath(/testreport/summary/transactions/errors) >= 0',
    [requests],
    true,
  ],
  [
    'XPath beside others that is not measured',
    all,
    'requests p95 <= 10 s\nwarn: xpath(/testreport/summary/requests/errors/none) = 0',
    [tx, requests],
    true,
  ],
  ['XPath of messages', all, 'xpath(count(/testreport/errors/error)) >= 0', [tx, requests], true],
  ['XPath of times', all, 'xpath(/testreport/summary/requests/mean) >= 0', [tx, requests], true],
  ['XPath that failed', all, 'xpath(/testreport/summary/requests/errors) = -1', [tx], true],
  ['XPath that warned', all, 'warn: xpath(/testreport/summary/requests/errors) = -1', [tx], true],
  ['XPath that is not measured', all, 'warn: xpath(/testreport/errors/none) = 0', [tx, requests], true],
  // The scorecard.
  ['no rule about errors', all, '', [tx, requests], true, kinds()],
  ['a rule', all, '', [requests], true, kinds('transactions')],
  ['rules', all, '', [], false, kinds('transactions', 'requests')],
  [
    'rules, one of which failed',
    all,
    '',
    [],
    true,
    { ...kinds('transactions', 'requests'), verdict: 'failed' },
  ],
  ['asked for', all, 'requests p95 <= 10 s\nscorecard passes', [], false, kinds('transactions', 'requests')],
  ['not asked for', all, 'requests p95 <= 10 s', [tx, requests], true, kinds('transactions', 'requests')],
  ['only a warning', all, 'warn: scorecard passes', [tx, requests], true, kinds('transactions', 'requests')],
])('without a baseline: %s (case %#)', async (_, now, text, found, tooManyErrors, ...scorecard) => {
  const judgement = await judged(now, [], text, ...scorecard)
  expect(judgement.found).toEqual(found)
  expect(judgement.tooManyErrors).toBe(tooManyErrors)
  if (found.length > 0) expect(judgement.verdict).toBe('failed')
})

test("with a baseline, a gate of one's own that is met does not make far more errors usual", async () => {
  expect(await judged(all, [healthy], 'transactions errors >= 0\nrequests errors >= 0')).toMatchObject({
    ...{ verdict: 'passed', found: [], tooManyErrors: true },
  })
})

test.each(['failed', 'error'] as const)(
  'a scorecard with the verdict %s stands beside the errors',
  async (verdict) => {
    const { gates } = parseGates('')
    const judgement = await judge({ gates, report: all, scorecard: { verdict, rules: [] } })
    const { reasons, results } = judgement
    expect(judgement.verdict).toBe('failed')
    const text = verdict === 'failed' ? 'The scorecard failed.' : 'The scorecard could not be evaluated.'
    expect(reasons.at(-1)).toEqual({ about: 'scorecard', text })
    expect(results[0]).toMatchObject({
      gate: 'transactions error-rate < 13%',
      line: 0,
      value: 100,
      limit: 13,
    })
    expect(results[0]?.reason).toBe(
      'The limit is built in, because no gate looks at these errors. A gate of your own replaces it, such as: transactions error-rate <= 20%',
    )
  },
)

test('the gate that is proposed for a custom timer can be judged beside one without errors', async () => {
  const now = run({}, -1, { customTimers: [failing('check: home', 150), timer('trend')] })
  const { verdict, reason = '' } = await judged(now, [], '')
  const [, proposed = ''] = / such as: (.*)$/.exec(reason) ?? []
  expect([verdict, proposed]).toEqual(['failed', 'custom-timer "check: home" error-rate <= 20%'])
  expect((await judged(now, [], proposed)).verdict).toBe('passed')
})

test('of few answers as many have to fail as the page says', async () => {
  const page = readFileSync('docs/gates.md', 'utf8')
  const [, shown = ''] = /Of few answers more have to fail, at least ([\d, of]+)\./.exec(page) ?? []
  const pairs = [...shown.matchAll(/(\d+) of (\d+)/g)].map(
    ([, few, all]) => [Number(few), Number(all)] as const,
  )
  expect(pairs).toHaveLength(3)
  const of = (errors: number, count: number) =>
    report(
      {},
      { requests: { summary: failing('All', errors, count), timers: [failing('A', errors, count)] } },
    )
  for (const [few, all] of pairs) {
    for (const before of [[], [of(0, all)]]) {
      expect((await judged(of(few, all), before, '')).verdict).toBe('failed')
      expect((await judged(of(few - 1, all), before, '')).verdict).toBe('passed')
    }
  }
})
