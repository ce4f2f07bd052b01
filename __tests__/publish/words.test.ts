import { verdicts, type LoadTestOutcome, type Outcome } from '../../src/outcome/outcome.js'
import { annotations, closingLines } from '../../src/publish/annotations.js'
import {
  differenceText,
  fromTo,
  gateFigures,
  partOf,
  signed,
  signedPercent,
} from '../../src/publish/words/figure-text.js'
import { plainNumber, quantity, valueAndLimit } from '../../src/figures/numbers.js'

import { headline, verdictMeaning, checkLines } from '../../src/publish/words/words.js'
import { compareFigure, type Comparison } from '../../src/comparison/comparison.js'
import { differenceCell } from '../../src/publish/summary/figure-tables.js'
import { outputsOf } from '../../src/publish/publication.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { gateLines, verdictWords } from '../../src/publish/words/verdict-words.js'
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

test('a gate whose figure was measured is not compared, and one without a figure not measured', () => {
  const open = (more: Partial<GateResult>) => gate(1, 'g', { result: 'not-measured', reason: 'So.', ...more })
  const [compared, unmeasured] = [open({ value: 1 }), open({})]
  const of = (...gates: GateResult[]): LoadTestOutcome => ({ ...withoutBaseline(), gates })
  expect(gateLines([compared, unmeasured]).map(({ line }) => line.split(':')[0])).toEqual([
    'not compared',
    'not measured',
  ])
  expect(annotations(of(compared, compared)).map(({ title }) => title)).toContain('Gate not compared')
  expect(verdictMeaning(of(compared))).toMatch(/^It could not be compared, /)
  expect(verdictMeaning(of(compared, unmeasured))).toMatch(/^It could not be judged as asked, /)
  expect(verdictMeaning(of())).toMatch(/^It could not be judged as asked, /)
  const both = renderSummary(of(compared, unmeasured))
  expect(both).toContain('### Gates not compared')
  expect(both).toContain('### Gates not measured')
  const failed = gate(1, 'f', { result: 'failed', metric: 'p95' })
  expect(verdictMeaning({ ...regression(), gates: [failed, compared, unmeasured] })).toContain(
    '. 1 not compared. 1 not measured. ',
  )
})

test('the line of a leg carries its cause', () => {
  const slow = verdictMeaning(merged([leg('a', regression())]))
  expect(slow).toMatch(
    /ms\), seen in 3 of 12 named requests\. The slowdown is larger than noise explains\. The cause may be the code or a load /,
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
  expect(verdictMeaning(accepted())).toContain('The slowdown is larger than noise explains. ')
})

describe('gates that were not compared', () => {
  const open = (unfit: 'first-run' | 'new-baseline' = 'first-run') =>
    gate(1, 'requests p95 <= baseline', { result: 'not-compared', unfit, reason: `This is why: ${unfit}.` })
  const passed = gate(2, 'requests p95 <= 1 s', { value: 412, limit: 1000 })
  const warned = gate(3, 'warn: requests p95 <= 1 ms', { value: 412, limit: 1, result: 'warned' })
  const failed = gate(4, 'requests p95 <= 1 ms', { value: 412, limit: 1, result: 'failed' })

  test.each([
    [[open()], '1 gate (a limit) not compared yet'],
    [[open(), open()], '2 gates (limits) not compared yet'],
    [[open(), passed], '1 of 2 gates (limits) passed, 1 not compared yet'],
    [[open(), passed, passed, open()], '2 of 4 gates (limits) passed, 2 not compared yet'],
    [[open(), warned], '1 gate (a limit) not compared yet, 1 warned: requests p95'],
    [[open('new-baseline'), passed], '1 of 2 gates (limits) passed, 1 not compared yet'],
  ])('%#: %s', (gates, line) => {
    const outcome = { ...without(green(), 'comparison'), gates }
    const first = gates[0]?.unfit === 'new-baseline' ? 'new baseline' : 'first run'
    expect(headline(outcome)).toContain(
      `Load test: ${first}, nothing to compare with yet (requests p95 412 ms)`,
    )
    expect(verdictMeaning(outcome)).toBe(`${line}. ${gates[0]?.reason} Nothing has to be done.`)
    expect(JSON.parse(gatesJson(outcome))).toHaveLength(gates.length)
    const errors = annotations(outcome).filter(({ kind }) => kind === 'error')
    expect(errors).toEqual([])
    expect(annotations(outcome).at(-1)).toMatchObject({
      kind: 'notice',
      message: expect.stringContaining(gates[0]?.reason ?? '') as string,
    })
  })

  test('what is new on the branch itself is left out', () => {
    const reason = 'The baseline has no p95 of request "Pay".'
    const gates = [
      gate(1, 'request "Pay" p95 <= baseline', { result: 'left-out', unfit: 'new', reason }),
      passed,
    ]
    expect(verdictMeaning({ ...green(), gates })).toMatch(
      /^1 of 2 gates \(limits\) passed, 1 left out \(new since the baseline\)\. /,
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
    [0.043, '0.043'],
    [0.00012345, '0.000123'],
    [1.005, '1'],
    [1.2345, '1.23'],
    [12.34, '12.3'],
    [550.4, '550'],
    [1234.5, '1,235'],
    [1234567, '1,234,567'],
    [-1234.5, '−1,235'],
    [-0.0000001, '0'],
    [1e15, '1.00e+15'],
    [NaN, '–'],
    [Infinity, '–'],
  ])('%d is %s', (value, text) => expect(plainNumber(value)).toBe(text))

  test.each([
    [550, 'ms', '550 ms'],
    [12.34, '%', '12.3%'],
    [99.97, '%', '99.97%'],
    [100, '%', '100%'],
    [53.33, '/s', '53.3 /s'],
    [7, '/min', '7 /min'],
    [7, '/h', '7 /h'],
    [48000, 'number', '48,000'],
    [99_999, 'ms', '99,999 ms'],
    [100_000, 'ms', '100 s'],
    [-3_600_000, 'ms', '−3,600 s'],
    [100_000, 'number', '100,000'],
    [undefined, 'ms', '–'],
  ] as const)('%d in %s is %s', (value, unit, text) => expect(quantity(value, unit)).toBe(text))

  test.each([
    [550, 471, '550 ms', '471 ms'],
    [550.04, 550, '550.04 ms', '550 ms'],
    [550.4, 550.3, '550.4 ms', '550.3 ms'],
    [550.3, 550.4, '550.3 ms', '550.4 ms'],
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
    [0.4, 'ms', '+0.4 ms'],
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
  [2, 2, 'all 2 named requests'],
  [1, 2, '1 of 2 named requests'],
  [1200, 1201, '1,200 of 1,201 named requests'],
])('%d of %d are %s', (count, all, text) => {
  expect(partOf(count, all, 'request')).toBe(text)
})

describe('headline', () => {
  const failedScorecard: Outcome = { ...regression(), gates: [], scorecard: { verdict: 'failed', rules: [] } }
  const brokenScorecard: Outcome = {
    ...invalid(),
    gates: [],
    scorecard: { verdict: 'error', error: 'x', rules: [] },
  }
  const gone = without(cancelled(), 'run')
  const bare: Outcome = { ...without(green(), 'comparison'), gates: [] }
  const alone: Outcome = {
    ...regression(),
    gates: [
      gate(1, 'x', { value: 900, limit: 1, subject: 'request "Login"', result: 'failed', difference: 900 }),
    ],
  }
  const { scorecard: _, ...unscored } = { ...bare, scorecard: undefined }
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
  const failing = (more: object): Outcome => ({
    ...without(regression(), 'comparison'),
    gates: [gate(1, 'g', { value: 2, limit: 1, result: 'failed', place: { kind: 'requests' }, ...more })],
  })
  const together = (times: readonly number[], more: object = {}): Outcome => {
    const requests = times.map((now, i): [string, number, number] => [`R${i}`, now, 1000])
    const { rows, ...of } = comparison(requests)
    return {
      ...regression(),
      figures: report(requests),
      comparison: { ...of, rows: rows.filter(({ presence }) => presence === 'both') },
      gates: [
        {
          ...gate(1, 'g', {
            value: 500,
            limit: 1,
            baseline: 400,
            result: 'failed',
            place: { kind: 'requests' },
          }),
          ...more,
        },
      ],
    }
  }
  test.each<[Outcome, string]>([
    [
      {
        ...green(),
        gates: green().gates.map((one, index) => ({ ...one, result: index === 4 ? 'warned' : 'passed' })),
      },
      'Load test: as fast as in 3 runs of main (requests p95 412 ms), 1 warning',
    ],
    [bare, 'Load test: passed the rules of its test suite (requests p95 412 ms)'],
    [unscored, 'Load test: passed, and no gates were given (requests p95 412 ms)'],
    [
      { ...without(green(), 'comparison'), gates: green().gates.slice(0, 1) },
      'Load test: within its limits (requests p95 412 ms)',
    ],
    [
      compared({ otherLoad: true }),
      'Load test: passed, under another load than before (requests p95 412 ms)',
    ],
    [
      compared({ noise: { ...shift, percent: -12, isSignificant: true } }),
      'Load test: 12% faster than in 3 runs of main (requests p95 412 ms)',
    ],
    [
      compared({ noise: { ...shift, percent: 4, isSignificant: true } }),
      'Load test: 4% slower than in 3 runs of main, but within its limits (requests p95 412 ms)',
    ],
    [
      compared({ noise: { ...shift, isSignificant: false, isAssumed: true } }),
      'Load test: no change that stands out from noise (requests p95 412 ms)',
    ],
    [
      excused({ percent: 7, assumed: true }),
      'Load test: beyond a limit, which may be chance (requests p95 412 ms)',
    ],
    [excused({ percent: 7 }), 'Load test: beyond a limit but within noise (requests p95 412 ms)'],
    [alone, 'Load test: Login too slow (p95 900 ms, limit ≤ 1 ms)'],
    [
      {
        ...without(regression(), 'comparison'),
        gates: [110, 300].map((value) =>
          gate(1, 'x', { value, limit: 100, subject: `request "R${value}"`, result: 'failed' }),
        ),
      },
      'Load test: R300 too slow (p95 300 ms, limit ≤ 100 ms), and 1 more',
    ],
    [
      {
        ...without(regression(), 'comparison'),
        gates: [110, 300].map((value) => {
          const noise = { percent: 1, samples: value === 110 ? 10_000 : 10 }
          return gate(1, 'x', { value, limit: 100, subject: `request "R${value}"`, noise, result: 'failed' })
        }),
      },
      'Load test: R110 too slow (p95 110 ms, limit ≤ 100 ms), and 1 more',
    ],
    [failing({ metric: 'error-rate', unit: '%', value: 12, limit: 1 }), 'Load test: 12% of requests failed'],
    [
      failing({ metric: 'error-rate', unit: '%', value: 12, limit: 1, baseline: 0.1 }),
      'Load test: 12% of requests failed (0.1% before)',
    ],
    [
      failing({ metric: 'error-rate', unit: '%', value: 0.00625, limit: 0 }),
      'Load test: 3 of 48,000 requests failed',
    ],
    [
      failing({ metric: 'throughput', unit: '/s', value: 84, limit: 100, operator: '>=', baseline: 120 }),
      'Load test: throughput of requests 30% lower (120 /s → 84 /s)',
    ],
    [
      failing({ metric: 'count', unit: 'number', value: 900, limit: 1000, operator: '>=' }),
      'Load test: requests: count 900, limit ≥ 1,000',
    ],
    [failing({ place: undefined, metric: undefined, value: undefined }), 'Load test: the gate g failed'],
    [
      together([1300, 1200]),
      'Load test: requests 25% slower (p95 400 → 500 ms), seen in all 2 named requests',
    ],
    [
      together([1300, 1000]),
      'Load test: requests 25% slower (p95 400 → 500 ms), seen in 1 of 2 named requests',
    ],
    [together([1000, 1000]), 'Load test: requests 25% slower (p95 400 → 500 ms)'],
    [together([1300]), 'Load test: requests 25% slower (p95 400 → 500 ms)'],
    [
      together([1300, 1200], { place: { kind: 'requests', name: 'R0' } }),
      'Load test: R0 25% slower (p95 400 → 500 ms)',
    ],
    [
      together([1300, 1200], { limit: 450, baseline: undefined }),
      'Load test: requests too slow (p95 500 ms, limit ≤ 450 ms)',
    ],
    [failedScorecard, 'Load test: the rules of its test suite failed'],
    [
      brokenScorecard,
      'Load test: no verdict. The scorecard, the rules of its test suite, could not be evaluated',
    ],
    [gone, 'Load test: cancelled before a run was known'],
    [
      { ...green(), step: { ...green().step, name: 'load-test-search' } },
      'load-test-search: as fast as in 3 runs of main (requests p95 412 ms)',
    ],
    [
      { ...merged(), step: { ...merged().step, name: 'nightly' } },
      'Load tests: 2 of 3 did not pass: checkout (failed), login (no outcome)',
    ],
    [
      together([1300, 1200], { value: 390, limit: 380 }),
      'Load test: requests too slow (p95 390 ms, limit ≤ 380 ms)',
    ],
  ])('%#: %s', (outcome, text) => expect(headline(outcome)).toBe(text))

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

  test.each([
    ['nothing, of fewer than three', [1300, 1300], ''],
    [
      'against a machine, where one of them is as fast as before',
      [1300, 1300, 1050],
      'Other requests are as fast as before; a slower machine would slow them, too.',
    ],
    [
      'for a machine, where all are by about one factor',
      [1200, 1300, 1490],
      'Most requests take 1.2 to 1.5 times as long: code that they all use, or a slower machine.',
    ],
    [
      'against a machine, where the factors differ',
      [1200, 1300, 1510],
      'Most requests take 1.2 to 1.5 times as long; a slower machine would slow all of them alike.',
    ],
    [
      'for a machine, although one of four looks as fast as before',
      [1000, 1200, 1300, 1490],
      'Most requests take 1.2 to 1.3 times as long: code that they all use, or a slower machine.',
    ],
    [
      'against a machine, where a quarter of them are as fast as before',
      [1000, 1050, 1200, 1300, 1300, 1300, 1300],
      'Other requests are as fast as before; a slower machine would slow them, too.',
    ],
  ])('the factors of requests speak for %s', (_, times, text) => {
    const requests = times.map((now, i): [string, number, number] => [`R${i}`, now, 1000])
    const outcome = { ...regression(), comparison: comparison(requests) }
    const meaning = verdictMeaning({ ...outcome, figures: { ...report(requests), agents: [] } })
    expect(meaning).toContain(text)
    if (text === '') expect(meaning).not.toMatch(/machine|as long/)
    const busy = verdictMeaning({ ...outcome, figures: report(requests) })
    expect(busy).toContain(
      'The cause may be the code or a load generator, which sends the requests: one was overloaded, at 84.5% CPU, above 80%. These figures cannot tell which.',
    )
    expect(busy).not.toMatch(/machine|as long/)
    const before = { ...comparison(requests), cpu: 41 }
    expect(verdictMeaning({ ...outcome, figures: report(requests), comparison: before })).toContain(
      'at 84.5% CPU (41% before), above 80%. ',
    )
  })

  test.each([
    [50, 40, ' It was not the load generator, which sends the requests: 50% CPU (40% before).'],
    [51, undefined, ' The load generator, which sends the requests, may be that machine: 51% CPU.'],
  ])('where all are slower by one factor, a load generator with %d% CPU is told', (cpu, before, text) => {
    const requests = [0, 1, 2].map((i): [string, number, number] => [`R${i}`, 1300, 1000])
    const figures = { ...report(requests), agents: [{ name: 'a', totalMean: cpu }] }
    const meaning = verdictMeaning({
      ...regression(),
      figures,
      comparison: { ...comparison(requests), ...defined({ cpu: before }) },
    })
    expect(meaning).toContain(`or a slower machine.${text}`)
  })

  test.each([
    [[undefined, { percent: 5 }], 'The slowdown is larger than noise explains.'],
    [[{ percent: 5, assumed: true as const }], 'The slowdown is larger than assumed noise explains.'],
    [[undefined], ''],
  ])('chance is ruled out where a gate that failed knows noise: %j', (noises, text) => {
    const gates = noises.map((noise) =>
      gate(1, 'g', { value: 2, limit: 1, baseline: 1, result: 'failed', ...defined({ noise }) }),
    )
    const meaning = verdictMeaning({ ...regression(), gates })
    expect(meaning).toContain(text)
    expect(meaning.includes('noise explains')).toBe(text !== '')
  })

  test('what passed says whether there is anything to do', () => {
    const [first, ...others] = green().gates
    if (!first) throw new Error('the example has no gates')
    const whole = (percent: number) => compared({ noise: { ...shift, percent, isSignificant: true } })
    const { comparison: _, ...alone } = green()
    expect(verdictMeaning(green())).toMatch(/ No time changed by more than noise\. Nothing to do\.$/)
    expect(verdictMeaning({ ...alone, gates: [] })).toMatch(/ with no earlier run\. Nothing to do\.$/)
    expect(verdictMeaning({ ...green(), notes: ['A note.'] })).toMatch(
      / Nothing to do but to read the notes\.$/,
    )
    expect(verdictMeaning(whole(-5))).toMatch(/ Nothing to do\.$/)
    const worse = [
      compared({}, [{ ...first, result: 'warned' }, ...others]),
      { ...green(), comparison: comparison() },
      whole(5),
    ]
    for (const one of worse) expect(verdictMeaning(one)).toMatch(/ Nothing has to be done\.$/)
  })

  test('the factors are those of the metric that failed', () => {
    const requests = [0, 1, 2].map((i): [string, number, number] => [`R${i}`, 1300, 1000])
    const { rows, ...more } = comparison(requests)
    const alike = rows.map((row) => ({
      ...row,
      baseline: { ...row.baseline, mean: (row.baseline['mean'] ?? 0) * 1.3 },
    }))
    const by = (metric: string) =>
      verdictMeaning({
        ...regression(),
        gates: [gate(1, 'g', { metric, value: 2, limit: 1, baseline: 1, result: 'failed' })],
        figures: { ...report(requests), agents: [] },
        comparison: { ...more, rows: alike },
      })
    expect(by('p95')).toContain('Most requests take 1.3 times as long: code that')
    expect(by('mean')).toContain('Other requests are as fast as before')
  })

  test('is one short line even for hostile and huge outcomes', () => {
    for (const make of Object.values(everyOutcome)) {
      expect(headline(make())).toMatch(/^[^\r\n\u2028\u202e]{5,140}$/u)
    }
  })
})

describe('a check', () => {
  test('problems are counted separately from what needs a look', () => {
    const outcome = checked()
    expect(headline(outcome)).toBe('Check: a run would fail. The credentials lack the scope LOADTEST_LIST')
    expect(verdictMeaning(outcome)).toContain('1 of 4 checks found a problem, 2 are in doubt. Nothing was')
    const doubtful = { ...outcome, verdict: 'passed' as const, checks: outcome.checks?.slice(2) ?? [] }
    expect(headline(doubtful)).toBe('Check: 0 of 2 checks ok, 2 are in doubt')
    const [first] = outcome.checks ?? []
    const fitting = { ...doubtful, checks: first ? [first, first] : [] }
    expect(headline(fitting)).toBe('Check: all 2 checks passed')
    expect(verdictMeaning(fitting)).toContain('Nothing was started')
  })

  test('its lines are aligned in columns, and its sentences are complete', () => {
    const lines = checkLines(checked().checks ?? [])
    expect(lines[0]).toBe('address ............... ok ......... https://load.example.com answers.')
    expect(lines[1]).toMatch(/^scope LOADTEST_LIST \.{3} problem \.{4} The credentials/)
    expect(lines[3]).toMatch(/^comment \.{15} in doubt \.{3} The comments .* pull-requests: write\.$/)
    expect(renderSummary(checked())).not.toContain('### Reasons')
  })

  test('on the page, what stops a run comes first, then what is in doubt, and an address is whole', () => {
    const rows = renderSummary(checked()).split('### What was checked')[1]?.trim().split('\n') ?? []
    expect(rows.slice(0, 4).map((row) => row.split(':', 1)[0])).toEqual([
      '- ❌ scope LOADTEST&#95;LIST (problem)',
      '- ⚠️ operation stop (in doubt)',
      '- ⚠️ comment (in doubt)',
      '- ✅ address (ok)',
    ])
    expect(rows[2]).toMatch(/pull-requests: write\.$/)
    expect(rows[3]).toContain('<code>https&#58;//load.example.com</code> answers.')
  })

  test('there are errors for what would stop a run, and warnings for the rest', () => {
    expect(annotations(checked()).map(({ kind, title }) => [kind, title])).toEqual([
      ['warning', 'Check: operation stop'],
      ['warning', 'Check: comment'],
      ['error', headline(checked())],
    ])
    expect(annotations(checked(), 'warning').map(({ kind }) => kind)).not.toContain('error')
    const one = checked().checks?.[1]
    const many = { ...checked(), checks: one ? Array<typeof one>(12).fill(one) : [] }
    expect(annotations(many)[9]?.message).toBe('3 more errors: the log and the job summary list them.')
  })
})

describe('annotations', () => {
  test('are a warning for what did not decide, then an error for each failed gate with its place, as the log ends', () => {
    expect(annotations(regression())).toEqual([
      {
        kind: 'warning',
        title: 'Gate warned',
        message: 'warn: requests p99 <= 800 ms: value 880 ms, limit ≤ 800 ms',
      },
      expect.objectContaining({ kind: 'warning', title: 'Note' }),
      expect.objectContaining({ kind: 'warning', title: 'Note' }),
      {
        kind: 'error',
        title: 'Load test: requests 34% slower (p95 410 → 550 ms), seen in 3 of 12 named requests',
        message:
          'requests p95 <= baseline + 10 % + 20 ms: value 550 ms, limit ≤ 471 ms, noise allows up to 471 ms (+15%, 48,000 samples), baseline 410 ms, difference +140 ms (+34%)',
      },
      {
        kind: 'error',
        title: 'Gate failed',
        message:
          'Checkout stays quick: request "Check*" p95 <= 1.2 s for request "Checkout.PlaceOrder": value 1,240 ms, limit ≤ 1,200 ms',
        file: '.github/gates.yml',
        line: 4,
      },
    ])
  })

  test('make each reason an error if there are no gates, the first with what to do', () => {
    const outcome: Outcome = {
      ...error(),
      reasons: [
        { about: 'inputs', text: '2 inputs need to be changed:', introduces: true },
        ...reasonsAbout('inputs', 'timeout is "soon".', 'mode is "fast".'),
      ],
      advice: ['Write a duration.', 'Look again.'],
    }
    expect(annotations(outcome).map(({ kind, title, message }) => [kind, title, message])).toEqual([
      ['error', 'Load test: no verdict. 2 inputs need to be changed', 'timeout is "soon". Write a duration.'],
      ['error', 'Error', 'mode is "fast".'],
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
    expect(messages(of(broke, 'More.'))).toEqual([`${broke} Mend what is named above. ${again}`, 'More.'])
    for (const texts of [[broke], [`${broke} Look there.`], [broke, 'More.']])
      expect(closingLines(of(...texts))).toHaveLength(1)
    expect(messages({ ...merged(), verdict: 'error' }).join()).not.toContain('Look at the log of its job')
  })

  test.each(verdicts.filter((verdict) => verdict !== 'passed' && verdict !== 'started'))(
    'have an error for %s even without a reason',
    (verdict) => {
      const bare: Outcome = { ...error(), verdict, reasons: [], advice: [], notes: [] }
      expect(annotations(bare).filter(({ kind }) => kind === 'error')).toHaveLength(1)
    },
  )

  test('only warn of failures that do not make the step red', () => {
    expect(annotations(regression(), 'warning').some(({ kind }) => kind === 'error')).toBe(false)
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
    const outcome = regression()
    const results: unknown = JSON.parse(gatesJson(outcome))
    expect(results).toHaveLength(7)
    expect(results).toEqual(expect.arrayContaining(outcome.gates))
    expect(results).toMatchObject([
      { result: 'failed' },
      { result: 'failed' },
      { result: 'warned' },
      {},
      {},
      {},
      {},
    ])
    expect(gatesJson(started())).toBe('[]')
  })

  test('gates: results that do not fit are counted', () => {
    const text = gatesJson(huge())
    expect(text.length).toBeLessThanOrEqual(100_000)
    const results: unknown = JSON.parse(text)
    if (!Array.isArray(results)) throw new Error('No array.')
    const last: unknown = results.at(-1)
    expect(last).toEqual({ omitted: 1500 - (results.length - 1) })
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
    const results: unknown = JSON.parse(gatesJson(hostile()))
    expect(results).toEqual(expect.arrayContaining([expect.objectContaining({ name: '::error::owned' })]))
  })
})
