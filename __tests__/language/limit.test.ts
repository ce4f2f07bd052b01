import Big from 'big.js'
import fc from 'fast-check'
import { parseGate } from '../../src/language/grammar.js'
import { differenceOf } from '../../src/figures/numbers.js'
import { holds, holdsNumber, holdsRate, limitOf, type Operator } from '../../src/language/gate.js'

const below: readonly Operator[] = ['<=', '<']
const equal: readonly Operator[] = ['<=', '>=', '=']
const above: readonly Operator[] = ['>=', '>']
const all: readonly Operator[] = ['<=', '<', '>=', '>', '=']

test.each([
  [399.9, below],
  [400, equal],
  [400.1, above],
])('%d holds against 400 only with %j', (value, operators) => {
  const number = new Big(400)
  expect(all.filter((operator) => holds(value, operator, 400))).toEqual(operators)
  expect(all.filter((operator) => holdsNumber(value, operator, number))).toEqual(operators)
  // value % of 1000 requests, against 400 %.
  const rate = { errors: value * 10, count: 1000 }
  expect(all.filter((operator) => holdsRate(rate, operator, number))).toEqual(operators)
})

test('an error rate that any decimal would round is compared exactly', () => {
  const third = { errors: 1, count: 3 }
  expect(holdsRate(third, '<=', new Big('33.33333333333333'))).toBe(false)
  expect(holdsRate(third, '<=', new Big('33.33333333333334'))).toBe(true)
})

test('what XPath computes is compared in twelve digits', () => {
  expect(holdsNumber(0.1 + 0.2, '=', new Big('0.3'))).toBe(true)
  expect(holdsNumber(0.1 + 0.2, '<=', new Big('0.3'))).toBe(true)
  expect(holdsNumber(0.30000000001, '=', new Big('0.3'))).toBe(false)
})

test.each([
  ['p95 <= 0.4 s', undefined, '400'],
  ['p95 <= 400 ms', undefined, '400'],
  ['p95 <= baseline', undefined, undefined],
  ['p95 <= baseline', 400, '400'],
  ['p95 <= baseline + 10 %', 400, '440'],
  ['p95 <= baseline - 10 % + 0.02 s', 400, '380'],
  ['p95 <= baseline + 10 % + 10 %', 400, '480'],
  ['p95 <= baseline + 0.1 %', 0.3, '0.3003'],
  ['p95 <= baseline + 10 %', 0, '0'],
])('requests %s, of %s: %s', (text, baseline, limit) => {
  const check = parseGate(`requests ${text}`).gate?.check
  if (check?.kind !== 'figure') throw new Error('no figure')
  expect(limitOf(check.limit, baseline)?.toFixed()).toBe(limit)
})

describe('the difference of two figures', () => {
  test.each([
    [440, 400, 40, 10],
    [360, 400, -40, -10],
    [0.3, 0.1, 0.2, 200],
    [888915, 1273312949465, -1273312060550, -99.99993018880392],
    [0, 0, 0, 0],
    [5, 0, 5, undefined],
    [0, 5, -5, -100],
    // More decimals than six, and more than fit into a whole number of them.
    [0.00000044, 0.0000004, 0.00000004, 10],
    [0.00000044, 0.00000044, 0, 0],
    [0.00000044, 0, 0.00000044, undefined],
    [9e15, 6e15, 3e15, 50],
    [9e15, 9e15, 0, 0],
    [9e15, 0, 9e15, undefined],
    // Where binary fractions would end in 0.99999999.
    [1.1, 1, 0.1, 10],
    [90000000.3, 90000000.1, 0.2, (0.2 / 90000000.1) * 100],
  ])('from %d to %d', (value, baseline, difference, relativeDifference) => {
    const found = differenceOf(value, baseline)
    expect(found.difference).toBe(difference)
    if (relativeDifference === undefined) expect(found).not.toHaveProperty('relativeDifference')
    else expect(found.relativeDifference).toBeCloseTo(relativeDifference, 12)
  })

  test('is that of the decimals, however many places they have', () => {
    const figure = fc
      .tuple(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 9 }))
      .map(([digits, places]) => Number(`${digits}e-${places}`))
    fc.assert(
      fc.property(figure, figure, (value, baseline) => {
        const { difference, relativeDifference } = differenceOf(value, baseline)
        const exact = new Big(value).minus(baseline)
        expect(difference).toBe(exact.toNumber())
        if (baseline !== 0) {
          const percent = exact.times(100).div(baseline).toNumber()
          expect(Math.abs((relativeDifference ?? Infinity) - percent)).toBeLessThanOrEqual(
            1e-9 * (1 + Math.abs(percent)),
          )
        }
      }),
    )
  })
})
