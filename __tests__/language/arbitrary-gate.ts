import fc from 'fast-check'
import { timerKinds } from '../../src/report/report.js'
import {
  operators,
  type Amount,
  type AmountUnit,
  type FigureCheck,
  type Gate,
  type Subject,
} from '../../src/language/gate.js'
import type { Metric } from '../../src/figures/metrics.js'
import type { NamePattern } from '../../src/text/name-pattern.js'

const number = fc
  .tuple(fc.nat(1_000_000), fc.option(fc.stringMatching(/^[0-9]{1,6}$/)))
  .map(([whole, decimals]) => (decimals === null ? `${whole}` : `${whole}.${decimals}`))

/** In a parsed pattern, neighbouring texts are one text, and two stars are one. */
const pattern: fc.Arbitrary<NamePattern> = fc
  .array(
    fc.oneof(
      fc
        .string({ minLength: 1, maxLength: 12 })
        .filter((text) => !/[\r\n]/.test(text))
        .map((text): NamePattern[number] => ({ text })),
      fc.constantFrom<NamePattern[number]>({ wildcard: '*' }, { wildcard: '?' }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) =>
    pieces.filter((piece, index) => {
      const before = pieces[index - 1]
      if (!before) return true
      return 'text' in piece
        ? !('text' in before)
        : piece.wildcard === '?' || 'text' in before || before.wildcard === '?'
    }),
  )

const timerSubject: fc.Arbitrary<Subject> = fc
  .tuple(fc.constantFrom(...timerKinds), fc.option(pattern))
  .map(([kind, name]) => (name ? { kind, pattern: name } : { kind }))

function limit(
  fixed: AmountUnit | undefined,
  relative: readonly (AmountUnit | undefined)[],
): fc.Arbitrary<FigureCheck['limit']> {
  const amount = (unit: AmountUnit | undefined): fc.Arbitrary<Amount> =>
    fc
      .tuple(number, fc.constantFrom<'+' | '-'>('+', '-'))
      .map(([text, sign]) => (unit ? { sign, number: text, unit } : { sign, number: text }))
  return fc.oneof(
    amount(fixed).map((one): FigureCheck['limit'] => ({ from: 'zero', amount: { ...one, sign: '+' } })),
    fc
      .array(fc.oneof(...relative.map(amount)), { maxLength: 3 })
      .map((amounts): FigureCheck['limit'] => ({ from: 'baseline', amounts })),
  )
}

const figure = (
  subject: fc.Arbitrary<Subject>,
  metrics: Metric[],
  limits: fc.Arbitrary<FigureCheck['limit']>,
): fc.Arbitrary<Gate['check']> =>
  fc.record({
    kind: fc.constant('figure' as const),
    subject,
    metric: fc.constantFrom(...metrics),
    operator: fc.constantFrom(...operators),
    limit: limits,
  })

const times: Metric[] = ['min', 'max', 'mean', 'median', 'deviation', 'p50', 'p95', 'p99.9', 'p100']

const check: fc.Arbitrary<Gate['check']> = fc.oneof(
  fc.constant<Gate['check']>({ kind: 'scorecard' }),
  figure(timerSubject, times, limit('ms', ['ms', 's', '%'])),
  figure(timerSubject, times, limit('s', ['%'])),
  figure(timerSubject, ['count', 'errors'], limit(undefined, [undefined, '%'])),
  figure(timerSubject, ['error-rate'], limit('%', ['%', 'pp'])),
  figure(timerSubject, ['throughput'], limit('/min', ['/min', '%'])),
  figure(fc.constant({ kind: 'agents' }), ['cpu'], limit('%', ['%', 'pp'])),
  figure(
    pattern.map((name): Subject => ({ kind: 'web-vitals', pattern: name })),
    ['fcp', 'lcp', 'ttfb'],
    limit('ms', ['ms', 's', '%']),
  ),
  fc.record({
    kind: fc.constant('xpath' as const),
    expression: fc.constantFrom(
      '1',
      '/testreport/summary/requests/errors',
      'count(//a[b = "#)"])',
      "'it''s' (: ) :)",
    ),
    operator: fc.constantFrom(...operators),
    number,
  }),
)

/** Any gate of the language, on line 1. */
export const aGate: fc.Arbitrary<Gate> = fc
  .tuple(fc.boolean(), fc.boolean(), check)
  .map(([warn, strict, one]) => ({
    text: '',
    line: 1,
    warn,
    check: strict && one.kind === 'figure' ? { ...one, strict } : normal(one),
  }))

/** The number 0 of an xpath gate has only one spelling. */
function normal(one: Gate['check']): Gate['check'] {
  return one.kind === 'xpath' && Number(one.number) === 0 ? { ...one, number: '0' } : one
}
