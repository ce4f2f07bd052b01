import { verdicts, type LoadTestOutcome, type Outcome } from '../../src/outcome/outcome.js'
import { annotations, closingLines, gateLines } from '../../src/publish/annotations.js'
import {
  differenceText,
  fromTo,
  gateFigures,
  partOf,
  signed,
  signedPercent,
} from '../../src/publish/words/figure-text.js'
import { plainNumber, quantity, valueAndLimit } from '../../src/figures/numbers.js'
import { headline, verdictMeaning } from '../../src/publish/words/words.js'
import { compareFigure, type Comparison } from '../../src/comparison/comparison.js'
import { differenceCell } from '../../src/publish/summary/figure-tables.js'
import { outputsOf, softened } from '../../src/publish/publication.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { verdictWords } from '../../src/publish/words/verdict-words.js'
import {
  accepted,
  cancelled,
  checked,
  comparison,
  error,
  everyOutcome,
  gate,
  green,
  hostile,
  huge,
  invalid,
  leg,
  loadTestFailed,
  merged,
  regression,
  report,
  started,
  without,
  withoutBaseline,
} from './outcomes.js'
import type { GateResult } from '../../src/gates/result.js'
import { defined } from '../../src/text/fields.js'
import { reasonsAbout } from '../../src/text/reason.js'

const outputOf = (name: string) => (outcome: Outcome) => String(outputsOf(outcome, undefined)[name])
const [gatesJson, metricsJson] = [outputOf('gates'), outputOf('metrics')]

test('a title that is cut says by whom it was accepted', () => {
  const long = { ...accepted(), step: { ...accepted().step, name: 'n'.repeat(60) } }
  const [first] = long.gates.filter(({ result }) => result === 'failed')
  const place = { kind: 'requests', name: 'R'.repeat(90) } as const
  const gates = first ? [{ ...first, place }] : []
  const title = headline({ ...long, gates })
  expect(title).toMatch(/^n{39}…: R{49}… 34% slower, accepted by octocat/)
  expect(title.length).toBeLessThanOrEqual(140)
})

test('a gate whose figure was measured is not compared, and one without a figure not measured', () => {
  const open = (more: Partial<GateResult>) => gate(1, 'g', { result: 'not-measured', reason: 'So.', ...more })
  const [compared, unmeasured] = [open({ value: 1 }), open({})]
  const of = (...gates: GateResult[]): LoadTestOutcome => ({ ...withoutBaseline(), gates })
  const words = gateLines([compared, unmeasured]).map(({ line }) => line.split(':')[0])
  expect(words).toEqual(['not compared', 'not measured'])
  expect(annotations(of(compared, compared)).map(({ title }) => title)).toContain('Gate not compared')
  for (const gates of [[compared], [compared, unmeasured], []])
    expect(verdictMeaning(of(...gates))).toMatch(
      / could not be judged\. That says nothing about the code, good or bad\.$/,
    )
  const both = renderSummary(of(compared, unmeasured))
  expect(both).toContain('### Gates not compared')
  expect(both).toContain('### Gates not measured')
  const failed = gate(1, 'f', { result: 'failed', metric: 'p95' })
  expect(verdictMeaning({ ...regression(), gates: [failed, compared, unmeasured] })).toContain(
    '. 1 not compared: requests p95. 1 not measured: requests p95. ',
  )
})

test('the line of a leg carries its cause', () => {
  const slow = verdictMeaning(merged([leg('a', regression())]))
  expect(slow).toMatch(
    /ms\), seen in 3 of 12 named requests\. The slowdown is more than noise\. These figures cannot tell whether /,
  )
  const limited = { ...regression(), gates: [gate(1, 'g', { value: 2, limit: 1, result: 'failed' })] }
  expect(verdictMeaning(merged([leg('a', limited)]))).toContain('. Fixed limits decided: ')
  expect(verdictMeaning(merged([leg('a', invalid())]))).toMatch(/ has no request "Chekout"\.$/)
})

test('a load test that did not finish has a report of an incomplete run, or none', () => {
  const { report: _, ...bare } = loadTestFailed()
  expect(verdictMeaning(loadTestFailed())).toMatch(
    /says nothing about the code\. Its report has only what was measured until then\.$/,
  )
  expect(verdictMeaning(bare)).toMatch(/says nothing about the code\.$/)
})

test('few errors that stayed as many have no change, which is no rate', () => {
  const of = (value: number) => {
    const counts = { now: 48_000, before: 48_000 }
    return differenceText({ ...compareFigure(value, 0.00625), counts }, '%')
  }
  expect([of(0.00625), of(0.0125)]).toEqual(['no change', '+100%'])
})

test('an accepted slowdown keeps its cause', () => {
  expect(verdictMeaning(accepted())).toContain('The slowdown is more than noise. ')
})

describe('gates that were not compared', () => {
  const open = (unfit: 'first-run' | 'new-baseline' = 'first-run') =>
    gate(1, 'requests p95 <= baseline', { result: 'not-compared', unfit, reason: `This is why: ${unfit}.` })
  const passed = gate(2, 'requests p95 <= 1 s', { value: 412, limit: 1000 })
  const warned = gate(3, 'warn: requests p95 <= 1 ms', { value: 412, limit: 1, result: 'warned' })
  const failed = gate(4, 'requests p95 <= 1 ms', { value: 412, limit: 1, result: 'failed' })

  test.each([
    [[open()], '0 of 1 gate (a limit) passed. 1 not compared: requests p95'],
    [[open(), open(), open(), open()], '0 of 4 gates (limits) passed. 4 not compared'],
    [[open(), passed, passed], '2 of 3 gates (limits) passed. 1 not compared: requests p95'],
    [[open(), warned], '0 of 2 gates (limits) passed. 1 warned: requests p95. 1 not compared: requests p95'],
    [[open('new-baseline'), passed], '1 of 2 gates (limits) passed. 1 not compared: requests p95'],
  ])('%#: %s', (gates, line) => {
    const outcome = { ...without(green(), 'comparison'), gates }
    const first = gates[0]?.unfit === 'new-baseline' ? 'new baseline' : 'first run'
    expect(headline(outcome)).toContain(
      `Load test: ${first}, nothing to compare with yet (requests p95 412 ms)`,
    )
    const toRead = line.includes('warned') ? ' but to read the warning' : ''
    expect(verdictMeaning(outcome)).toBe(`${line}. ${gates[0]?.reason} Nothing to do${toRead}.`)
  })

  test('what is new on the branch itself is left out', () => {
    const reason = 'The baseline has no p95 of request "Pay".'
    const gates = [
      gate(1, 'request "Pay" p95 <= baseline', { result: 'left-out', unfit: 'new', reason }),
      passed,
    ]
    expect(verdictMeaning({ ...green(), gates })).toMatch(
      /^1 of 2 gates \(limits\) passed\. 1 left out: requests p95\. /,
    )
  })

  test('a failed gate comes first, and they are listed', () => {
    const outcome: Outcome = { ...without(green(), 'comparison'), verdict: 'failed', gates: [open(), failed] }
    expect(headline(outcome)).toBe('Load test: requests too slow (p95 412 ms, limit ≤ 1 ms)')
    expect(renderSummary(outcome)).toContain('### Gates not compared')
  })
})

describe('figures', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [0.00012345, '0.000123'],
    [1.005, '1'],
    [1.2345, '1.23'],
    [1234.5, '1,235'],
    [-1234.5, '−1,235'],
    [-0.0000001, '0'],
    [1e15, '1.00e+15'],
    [NaN, '–'],
    [Infinity, '–'],
  ])('%d is %s', (value, text) => expect(plainNumber(value)).toBe(text))

  test.each([
    [550, 'ms', '550 ms'],
    [99.97, '%', '99.97%'],
    [53.33, '/s', '53.3 /s'],
    [7, '/min', '7 /min'],
    [48000, 'number', '48,000'],
    [99_999, 'ms', '99,999 ms'],
    [100_000, 'ms', '100 s'],
    [-3_600_000, 'ms', '−3,600 s'],
    [100_000, 'number', '100,000'],
    [undefined, 'ms', '–'],
  ] as const)('%d in %s is %s', (value, unit, text) => expect(quantity(value, unit)).toBe(text))

  test.each([
    [550.04, 550, '550.04 ms', '550 ms'],
    [550.4, 550.3, '550.4 ms', '550.3 ms'],
    [549.99999, 550, '549.99999 ms', '550 ms'],
    [550, 550, '550 ms', '550 ms'],
    [1e-14, 0, '1e-14 ms', '0 ms'],
    [undefined, 460.00000000000006, '–', '460 ms'],
    [3, undefined, '3 ms', '–'],
    [98_500, 100_000, '98.5 s', '100 s'],
    [100_000, 99_999, '100 s', '99.999 s'],
  ])('%d against %d', (value, limit, first, second) =>
    expect(valueAndLimit(value, limit, 'ms')).toEqual({ value: first, limit: second }),
  )

  test.each([
    [140, 'ms', '+140 ms'],
    [-140, 'ms', '−140 ms'],
    [0, 'ms', '0 ms'],
    [0.5, '%', '+0.5 points'],
    [undefined, 'ms', '–'],
  ] as const)('the difference %d in %s is %s', (difference, unit, text) =>
    expect(signed(difference, unit)).toBe(text),
  )

  test.each([
    [34.146, '+34%'],
    [9.96, '+10%'],
    [0.4878, '+0.5%'],
    [-12.4, '−12%'],
    [0, '0%'],
    [0.01, '0%'],
    [12345, '+12,345%'],
  ])('%d percent is %s', (percent, text) => expect(signedPercent(percent)).toBe(text))

  test('times of 100 s and more are in seconds, as is all that stands with them', () => {
    const long = { value: 131_000, baseline: 99_000, difference: 32_000, relativeDifference: 32.32 }
    expect(fromTo(long, 'ms')).toBe('99 → 131 s')
    expect(differenceText(long, 'ms')).toBe('+32 s (+32%)')
    expect(differenceText({ ...long, value: 99_500 }, 'ms', 100_000)).toBe('+0.5 s (+32%)')
    const shown = gate(1, 'requests p95 <= baseline + 10%', { ...long, limit: 108_900 })
    expect(gateFigures({ ...shown, noise: { percent: 4, failsBeyond: 99_900 } })).toBe(
      'value 131 s, limit ≤ 109 s, noise allows up to 99.9 s (+0.9%), baseline 99 s, difference +32 s (+32%)',
    )
  })

  test('a difference without a relative one stands alone', () => {
    expect(differenceText({ difference: 5 }, 'number')).toBe('+5')
    expect(differenceText({ difference: 140, relativeDifference: 34.1 }, 'ms')).toBe('+140 ms (+34%)')
    expect(differenceText({ relativeDifference: Infinity }, 'ms')).toBe('–')
    // As the figures beside it are written: 92.2 and 185; 410 and 551; −92.2 and 3.
    expect(differenceText(compareFigure(185.4, 92.2), 'ms')).toBe('+93 ms (+101%)')
    expect(differenceText(compareFigure(550.6, 410.4), 'ms')).toBe('+141 ms (+34%)')
    expect(differenceText(compareFigure(3, -92.2), 'ms')).toMatch(/^\+95\.2 ms/)
  })
})

test('what did not change is not called worse, although it is for how long it took', () => {
  const cell = (value: number) => differenceCell(compareFigure(value, 1000, 'worse'), 'number')
  expect(cell(1000)).toEqual({ text: 'no change' })
  expect(cell(1001)).toEqual({ text: '+1 (+0.1%) worse', tone: 'bad' })
})

test.each([
  [1, 1, 'the only request'],
  [2, 2, 'both named requests'],
  [3, 3, 'all 3 named requests'],
  [1, 2, '1 of 2 named requests'],
  [1200, 1201, '1,200 of 1,201 named requests'],
])('%d of %d are %s', (count, all, text) => {
  expect(partOf(count, all, 'request')).toBe(text)
})

describe('headline', () => {
  const scored: Outcome = { ...regression(), gates: [], scorecard: { verdict: 'failed', rules: [] } }
  const uncompared = without(green(), 'comparison')
  const { scorecard: _, ...unscored } = { ...uncompared, gates: [] }
  const shift = { kind: 'requests', percent: 1, noise: 2, timers: 12, shown: 12, metric: 'p95' } as const
  const compared = (more: Partial<Comparison>, gates = green().gates): Outcome => {
    const { comparison, ...rest } = green()
    if (!comparison) throw new Error('the example has no baseline')
    return { ...rest, gates, comparison: { ...comparison, ...more } }
  }
  const excused = (noise: GateResult['noise']): Outcome =>
    compared({ noise: { ...shift, isSignificant: false } }, [
      { ...gate(1, 'g', { value: 2, limit: 1, result: 'passed', reason: 'Why.' }), ...defined({ noise }) },
    ])
  const warning = green().gates.map((one, index) =>
    index === 4 ? { ...one, result: 'warned' as const } : one,
  )

  test.each<[Outcome, string, string?]>([
    [{ ...green(), gates: warning }, 'as fast as in 3 runs of main', ', 1 warning'],
    [{ ...uncompared, gates: [] }, 'passed the rules of its test suite'],
    [unscored, 'passed, and no gates were given'],
    [{ ...uncompared, gates: green().gates.slice(0, 1) }, 'within its limits'],
    [compared({ otherLoad: true }), 'passed, but the load or length differs from before'],
    [
      compared({ noise: { ...shift, percent: -12, isSignificant: true } }),
      '12% faster than in 3 runs of main',
    ],
    [
      compared({ noise: { ...shift, percent: 4, isSignificant: true } }),
      '4% slower than in 3 runs of main, but within its limits',
    ],
    [
      compared({ noise: { ...shift, isSignificant: false, isAssumed: true } }),
      'no change that stands out from noise',
    ],
    [{ ...uncompared, gates: warning }, 'passed', ', 1 warning'],
  ])('what passed, %#: %s', (outcome, text, more = '') => {
    // Beside a change of another size, a pair would contradict it.
    const figures = /as fast|stands out/.test(text) ? '410 → 412' : '412'
    expect(headline(outcome)).toBe(`Load test: ${text} (requests p95 ${figures} ms)${more}`)
  })

  test('what noise excused is named', () => {
    expect(headline(excused({ percent: 7, assumed: true }))).toMatch(/≤ 1\sms\), which may be chance$/)
    expect(headline(excused({ percent: 7 }))).toMatch(/: requests too slow .*\), but within noise$/)
  })

  const failing = (...gates: Partial<GateResult>[]): LoadTestOutcome => ({
    ...without(regression(), 'comparison'),
    gates: gates.map((more) => gate(1, 'g', { value: 2, limit: 1, result: 'failed', ...more })),
  })
  const together = (times: readonly number[], more: object = {}): Outcome => {
    const requests = times.map((now, i): [string, number, number] => [`R${i}`, now, 1000])
    const { rows, ...of } = comparison(requests)
    return {
      ...failing({ value: 500, baseline: 400, ...more }),
      figures: report(requests),
      comparison: { ...of, rows: rows.filter(({ presence }) => presence === 'both') },
    }
  }
  const ofRequest = (value: number) => ({ subject: `request "R${value}"`, value, limit: 100 })
  const errors = { metric: 'error-rate', unit: '%', value: 12 } as const
  const atLeast = { limit: 100, operator: '>=' } as const

  test.each<[Outcome, string]>([
    [failing({ value: 900, subject: 'request "Login"' }), 'Login too slow (p95 900 ms, limit ≤ 1 ms)'],
    [failing(ofRequest(110), ofRequest(300)), 'R300 too slow (p95 300 ms, limit ≤ 100 ms), and 1 more'],
    [
      failing(
        { ...ofRequest(110), noise: { percent: 1, samples: 10_000 } },
        { ...ofRequest(300), noise: { percent: 1, samples: 10 } },
      ),
      'R110 too slow (p95 110 ms, limit ≤ 100 ms), and 1 more',
    ],
    [failing(errors), '12% of requests failed'],
    [failing({ ...errors, baseline: 0.1 }), '12% of requests failed (0.1% before)'],
    [failing({ ...errors, value: 0.00625, limit: 0 }), '3 of 48,000 requests failed'],
    [
      failing({ ...atLeast, metric: 'throughput', unit: '/s', value: 84, baseline: 120 }),
      'throughput of requests 30% lower (120 /s → 84 /s)',
    ],
    [failing({ ...atLeast, metric: 'count', unit: 'number', value: 90 }), 'requests: count 90, limit ≥ 100'],
    [together([1300, 1200]), 'requests 25% slower (p95 400 → 500 ms), seen in both named requests'],
    [together([1300, 1000]), 'requests 25% slower (p95 400 → 500 ms), seen in 1 of 2 named requests'],
    [together([1000, 1000]), 'requests 25% slower (p95 400 → 500 ms)'],
    [together([1300]), 'requests 25% slower (p95 400 → 500 ms)'],
    [together([1300, 1200], { place: { kind: 'requests', name: 'R0' } }), 'R0 25% slower (p95 400 → 500 ms)'],
    [
      together([1300, 1200], { limit: 450, baseline: undefined }),
      'requests too slow (p95 500 ms, limit ≤ 450 ms)',
    ],
    [together([1300, 1200], { value: 390, limit: 380 }), 'requests too slow (p95 390 ms, limit ≤ 380 ms)'],
    [scored, 'the rules of its test suite failed'],
    [without(cancelled(), 'run'), 'cancelled before there was a result'],
  ])('what did not pass, %#: %s', (outcome, text) => expect(headline(outcome)).toBe(`Load test: ${text}`))

  test('a gate without a figure is named; a step with a name has it in place of the kind, a matrix has not', () => {
    const { metric: _metric, place: _place, value: _value, ...bare } = gate(1, 'g', { result: 'failed' })
    expect(headline({ ...regression(), gates: [bare] })).toBe('Load test: the gate g failed')
    const named = <T extends Outcome>(outcome: T) => ({
      ...outcome,
      step: { ...outcome.step, name: 'nightly' },
    })
    expect(headline(named(green()))).toMatch(/^nightly: as fast as /)
    expect(headline(named(merged()))).toMatch(/^Load tests: 2 of 3 did not pass: /)
  })

  test.each(verdicts)('%s has a headline, with a run and without', (verdict) => {
    for (const outcome of [
      { ...regression(), verdict },
      { ...error(), verdict },
    ]) {
      expect(headline(outcome)).toMatch(/^Load test: [a-z\d].{5,129}$/)
      expect(verdictMeaning(outcome)).toMatch(/^[A-Z\w].*\.$/)
      expect(verdictWords[verdict].word).not.toBe('')
    }
  })

  /** Requests that took 1 s before, and the CPU of a load generator. */
  const slowedTo = (times: readonly number[], cpu?: number, before?: number): LoadTestOutcome => {
    const requests = times.map((now, i): [string, number, number] => [`R${i}`, now, 1000])
    const agents = cpu === undefined ? [] : [{ name: 'a', totalMean: cpu }]
    const compared = { ...comparison(requests), ...defined({ cpu: before }) }
    return { ...regression(), figures: { ...report(requests), agents }, comparison: compared }
  }

  test.each([
    [[1300, 1300, 1050], 'Other requests are as fast as before; a slower machine would slow them, too.'],
    [[1200, 1300, 1490], 'Typical requests take 1.2 to 1.5 times as long: suspect code that they share, or'],
    [[1200, 1300, 1510], 'Typical requests take 1.2 to 1.5 times as long; a slower machine would slow all'],
    // Of four, one may look as fast as before.
    [
      [1000, 1200, 1300, 1490],
      'Typical requests take 1.2 to 1.3 times as long: suspect code that they share,',
    ],
    [[1000, 1050, 1200, 1300, 1300, 1300, 1300], 'Other requests are as fast as before'],
  ])('the factors of requests speak for or against a machine: %j', (times, text) => {
    expect(verdictMeaning(slowedTo(times))).toContain(text)
    expect(verdictMeaning(slowedTo(times, 84.5))).not.toMatch(/machine|as long/)
  })

  test('of fewer than three requests, the factors say nothing', () => {
    expect(verdictMeaning(slowedTo([1300, 1300]))).not.toMatch(/machine|as long/)
  })

  test.each([
    [50, 40, 'or a slower server, not the load generator, which sends the requests (50% CPU, 40% before).'],
    [51, undefined, 'or a slower server or load generator, which sends the requests (51% CPU).'],
    [
      84.5,
      undefined,
      'the code or the load generators, which send the requests: one was overloaded (84.5% CPU, limit 80%).',
    ],
    [84.5, 41, 'one was overloaded (84.5% CPU, 41% before, limit 80%).'],
  ])('where all are slower by one factor, a load generator with %d% CPU is told', (cpu, before, text) => {
    expect(verdictMeaning(slowedTo([1300, 1300, 1300], cpu, before))).toContain(text)
  })

  test.each([
    [[undefined, { percent: 5 }], 'The slowdown is more than noise.'],
    [[{ percent: 5, assumed: true as const }], 'The slowdown is more than assumed noise.'],
    [[undefined], ''],
  ])('chance is ruled out where a gate that failed knows noise: %j', (noises, text) => {
    const gates = noises.map((noise) =>
      gate(1, 'g', { value: 2, limit: 1, baseline: 1, result: 'failed', ...defined({ noise }) }),
    )
    const meaning = verdictMeaning({ ...regression(), gates })
    expect(meaning).toContain(text)
    expect(/more than (?:assumed )?noise/.test(meaning)).toBe(text !== '')
  })

  test('what passed says whether there is anything to do', () => {
    const [first, ...others] = green().gates
    if (!first) throw new Error('the example has no gates')
    const whole = (percent: number) => compared({ noise: { ...shift, percent, isSignificant: true } })
    const { comparison: _, ...alone } = green()
    expect(verdictMeaning(green())).toMatch(/ No time changed by more than noise\. Nothing to do\.$/)
    expect(verdictMeaning({ ...alone, gates: [] })).toMatch(/ with no earlier run\. Nothing to do\.$/)
    expect(verdictMeaning({ ...green(), notes: ['A note.'] })).toMatch(
      / Nothing to do but to read the note\.$/,
    )
    expect(verdictMeaning(whole(-5))).toMatch(/ Nothing to do\.$/)
    const worse = [
      compared({}, [{ ...first, result: 'warned' }, ...others]),
      { ...green(), comparison: comparison() },
      whole(5),
    ]
    for (const one of worse)
      expect(verdictMeaning(one)).toMatch(/ Nothing to do(?: but to read the warning)?\.$/)
  })

  test('the factors are those of the metric that failed', () => {
    const outcome = slowedTo([1300, 1300, 1300])
    for (const { baseline } of outcome.comparison?.rows ?? [])
      baseline['mean'] = (baseline['mean'] ?? 0) * 1.3
    const by = (metric: string, baseline = 1) =>
      verdictMeaning({
        ...outcome,
        gates: [gate(1, 'g', { metric, value: 2, limit: 1, baseline, result: 'failed' })],
      })
    expect(by('p95')).toContain('Typical requests take 1.3 times as long: suspect code that')
    expect(by('mean')).toContain('Other requests are as fast as before')
    expect(by('mean', 2)).not.toContain('Other requests')
  })

  test.each(Object.entries(everyOutcome))('of %s is one short line', (_, make) => {
    expect(headline(make())).toMatch(/^[^\r\n\u2028\u202e]{5,140}$/u)
  })
})

describe('a check', () => {
  test('problems are counted separately from what needs a look', () => {
    const outcome = checked()
    expect(verdictMeaning(outcome)).toContain('1 of 4 checks found a problem, 2 are in doubt. Nothing was')
    const doubtful = { ...outcome, verdict: 'passed' as const, checks: outcome.checks?.slice(2) ?? [] }
    expect(headline(doubtful)).toBe('Load test check: 0 of 2 checks ok, 2 are in doubt')
  })

  test('its sentences are no reasons beside its lines', () => {
    expect(renderSummary(checked())).not.toContain('### Reasons')
  })

  test('on the page, what stops a run comes first, then what is in doubt, and an address is whole', () => {
    const rows = renderSummary(checked()).split('### What was checked')[1]?.trim().split('\n') ?? []
    expect(rows.slice(0, 4).map((row) => row.split(':', 1)[0])).toEqual([
      '- ❌ scope LOADTEST&#95;DETAILS (problem)',
      '- ⚠️ operation stop (in doubt)',
      '- ⚠️ comment (in doubt)',
      '- ✅ address (ok)',
    ])
    expect(rows[3]).toContain('<code>https&#58;//load.example.com</code> answers.')
  })

  test('of many errors the last counts the others', () => {
    const one = checked().checks?.[1]
    const many = { ...checked(), checks: one ? Array<typeof one>(12).fill(one) : [] }
    expect(annotations(many)[9]?.message).toBe('3 more errors: the log and the job summary list them.')
  })
})

describe('annotations', () => {
  test('lead to the line of a file with gates', () => {
    const [failed] = annotations(regression()).filter(({ file }) => file === '.github/gates.yml')
    expect(failed).toMatchObject({ kind: 'error', title: 'Gate failed', line: 4 })
  })

  test('make each reason an error if there are no gates, the first with what to do', () => {
    const outcome: Outcome = {
      ...error(),
      reasons: [
        { about: 'inputs', text: 'Both are wrong:', introduces: true },
        ...reasonsAbout('inputs', 'timeout is "soon".', 'mode is "fast".'),
      ],
      advice: ['Write a duration.', 'Look again.'],
    }
    expect(annotations(outcome)).toMatchObject([
      {
        title: 'Load test: no verdict. Both are wrong',
        message: 'timeout is "soon". Write a duration.',
      },
      { title: 'Error', message: 'mode is "fast".' },
    ])
  })

  test('say of an error without advice what to do; the log does not repeat it', () => {
    const broke = 'Reading the list failed: the connection broke (EPIPE).'
    const of = (...texts: string[]) => ({ ...error(), reasons: reasonsAbout('step', ...texts) })
    const messages = (outcome: Outcome) => annotations(outcome).map(({ message }) => message)
    const again = 'Then run the job again.'
    expect(messages(of(broke))).toEqual([
      `${broke} Mend what is named above, unless it passes by itself. ${again}`,
    ])
    expect(messages(of(`${broke} Look there.`))).toEqual([`${broke} Look there. ${again}`])
    expect(messages(of(broke, 'More.'))).toEqual([broke, 'More.'])
    const run = { number: 8, state: 'FINISHED' }
    expect(messages({ ...of(broke), run })[0]).toContain(
      'mode: collect and run-number: 8, which starts no new',
    )
    expect(messages({ ...of(broke), run, mode: 'collect' })[0]).toContain(again)
    const mistake = { ...error(), reasons: reasonsAbout('inputs', 'A is required.') }
    expect(messages(mistake)[0]).toMatch(
      /above\. Then run the job again, by a push if the workflow was changed\.$/,
    )
    for (const texts of [[broke], [`${broke} Look there.`]])
      expect(closingLines(of(...texts))).toHaveLength(1)
    expect(closingLines(of(broke, 'More.'))[0]?.line).toMatch(/^Mend what is named above\. /)
    expect(messages({ ...merged(), verdict: 'error' }).join()).not.toContain('Look at the log of its job')
  })

  test('have an error for what is not green even without a reason', () => {
    const bare: Outcome = { ...error(), reasons: [], advice: [], notes: [] }
    const red = verdicts.filter((verdict) => verdict !== 'passed' && verdict !== 'started')
    const all = red.flatMap((verdict) => annotations({ ...bare, verdict }))
    expect(all.filter(({ kind }) => kind === 'error')).toHaveLength(red.length)
  })

  test('only warn of failures that do not make the step red', () => {
    const kinds = [regression(), checked()].flatMap((one) => annotations(one, 'warning'))
    expect(kinds.filter(({ kind }) => kind === 'error')).toEqual([])
  })

  test.each([
    [10, undefined],
    [11, '2 more errors: the log and the job summary list them.'],
    [500, '491 more errors: the log and the job summary list them.'],
  ])('show at most ten of %d errors; the log has the others', (count, last) => {
    const gates = Array.from({ length: count }, (_, index) =>
      gate(index + 1, `gate ${index + 1}`, { result: 'failed' }),
    )
    const outcome = { ...regression(), gates }
    const errors = annotations(outcome).filter(({ kind }) => kind === 'error')
    expect(errors).toHaveLength(10)
    expect(errors.at(-1)?.message).toContain(last ?? 'gate 10')
    const log = [...errors.map(({ message }) => message), ...closingLines(outcome).map(({ line }) => line)]
    for (const { gate: text } of gates.slice(0, 200)) {
      expect(
        log.filter((line) => line.startsWith(`${text} for`) || line.startsWith(`${text}:`)),
      ).toHaveLength(1)
    }
    expect(log.length).toBeLessThan(230)
  })

  test('let no text issue a command or begin a line', () => {
    for (const outcome of [hostile(), huge()]) {
      for (const { title, message } of annotations(outcome)) {
        expect(`${title}${message}`).not.toMatch(/[\r\n\u2028\u202e]|::|##\[/)
        expect(title.length).toBeLessThanOrEqual(255)
        expect(message.length).toBeLessThanOrEqual(2001)
      }
    }
  })
})

describe('outputs', () => {
  test('gates: all results, beginning with those that did not pass', () => {
    const results = JSON.parse(gatesJson(regression())) as GateResult[]
    const order = ['failed', 'failed', 'warned', 'passed', 'passed', 'passed', 'passed']
    expect(results.map(({ result }) => result)).toEqual(order)
    expect(results).toEqual(expect.arrayContaining(regression().gates))
  })

  test('gates: results that do not fit are counted', () => {
    const text = gatesJson(huge())
    expect(text.length).toBeLessThanOrEqual(100_000)
    const results = JSON.parse(text) as unknown[]
    expect(results.at(-1)).toEqual({ omitted: 1500 - (results.length - 1) })
  })

  test('metrics: figures of run and baseline, under the names of the gate language', () => {
    const metrics: unknown = JSON.parse(metricsJson(regression()))
    expect(metrics).toMatchObject({
      'duration-seconds': 900,
      requests: { p95: 550, 'p99.9': 1210, median: 264 },
      transactions: { p95: 5200 },
      actions: { apdex: 0.91 },
      'page-loads': { p95: 2100 },
      agents: { cpu: 84.5 },
      baseline: { requests: { p95: 410 } },
    })
    expect(metricsJson(started())).toBe('{}')
  })

  test('nothing in them can end a shell string, issue a command or hide', () => {
    for (const text of [gatesJson(hostile()), metricsJson(hostile())]) {
      expect(text).toMatch(/^[ -~]+$/)
      expect(text).not.toMatch(/[<>&'`$!%;]|::|##\[/)
    }
    expect(JSON.parse(gatesJson(hostile()))).toContainEqual(
      expect.objectContaining({ name: '::error::owned' }),
    )
  })
})

test.each([
  ['failed', 'failed', false],
  ['failed', 'error', true],
  ['invalid', 'error', true],
  ['timed-out', 'error', false],
  ['timed-out', 'never', true],
  ['passed', 'never', false],
  ['accepted', 'error', false],
  ['started', 'never', false],
  ['cancelled', 'never', false],
] as const)('a verdict %s with fail-on: %s says why its step is green: %s', (verdict, failOn, says) => {
  const { notes } = softened({ ...regression(), notes: [], verdict }, failOn)
  expect(notes).toEqual(says ? [`The step is green all the same, by fail-on: ${failOn}.`] : [])
})
