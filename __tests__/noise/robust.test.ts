import { highestChance } from '../../src/noise/distributions.js'
import {
  clippedMean,
  excessVariance,
  median,
  medianOfSquares,
  weightedMedian,
} from '../../src/figures/numbers.js'

test.each([
  [[7], 7],
  [[9, 1], 5],
  [[100, 9, 10], 10],
  [[4, 1, 1000, 2], 3],
  [[-3, -20, 5], -3],
])('the median of %j is %d', (values, middle) => {
  expect(median(values)).toBe(middle)
})

test.each([16, 17, 18, 500, 501])('the median of %d values in any order', (count) => {
  const sorted = Array.from({ length: count }, (_, at) => Math.floor(at / 3))
  const middle = ((sorted[Math.ceil(count / 2) - 1] ?? 0) + (sorted[Math.floor(count / 2)] ?? 0)) / 2
  // 7919 is prime: every value occurs.
  const mixed = sorted.map((_, at) => sorted[(at * 7919) % count] ?? 0)
  for (const values of [sorted, sorted.toReversed(), mixed]) expect(median(values)).toBe(middle)
})

const weighed = (...pairs: [number, number][]) => pairs.map(([value, weight]) => ({ value, weight }))

test.each([
  ['of equal weights the middle one', weighed([30, 1], [10, 1], [20, 1]), 20],
  ['of an even number the mean of the middle two', weighed([40, 1], [10, 1], [30, 1], [20, 1]), 25],
  ['a heavy one decides', weighed([10, 1], [20, 1], [90, 5]), 90],
  ['a light one does not', weighed([10, 5], [20, 1], [90, 1]), 10],
  ['just more than half', weighed([10, 1.001], [20, 1]), 10],
  ['half and half, as far as fractions tell', weighed([10, 0.1 + 0.2], [20, 0.3]), 15],
  ['a single one', weighed([10, 3]), 10],
])('the weighted median: %s', (_, values, middle) => {
  expect(weightedMedian(values)).toBe(middle)
})

test('no value has no median', () => {
  expect(median([])).toBeNaN()
  expect(weightedMedian([])).toBeNaN()
})

test.each([
  [[9, 10, 11], 10],
  [[9, 10, 1000], (9 + 10 + 15) / 3],
  [[-1000, 10, 11], (5 + 10 + 11) / 3],
  [[5, 10, 15], 10],
])('the mean of %j, with values further than 5 from 10 pulled in, is %d', (values, mean) => {
  expect(clippedMean(values, 10, 5)).toBeCloseTo(mean, 12)
})

describe('the variance beyond what is known', () => {
  const squares = (...all: [square: number, known: number][]) => all

  test.each([
    ['none, if the squares are smaller', squares([0.01, 1], [0.02, 1], [0.03, 1]), 0],
    ['none of nothing', [], 0],
    // The middle square is that of a normal figure with the variance 2, of which 0.5 is known.
    ['the rest', squares([0.1, 0.5], [2 * medianOfSquares, 0.5], [50, 0.5]), 1.5],
    ['all, if nothing is known', squares([0.1, 0], [2 * medianOfSquares, 0], [50, 0]), 2],
    [
      'of those with different known ones',
      squares([0.3 * medianOfSquares, 0.1], [1 * medianOfSquares, 0.3], [medianOfSquares, 0]),
      0.7,
    ],
    ['of two, that of the smaller', squares([medianOfSquares, 0], [3 * medianOfSquares, 0]), 1],
  ])('%s', (_, deviations, variance) => {
    const beyond = deviations.map(([square, known]) => square / medianOfSquares - known)
    expect(excessVariance(new Float64Array(beyond))).toBeCloseTo(variance, 7)
  })
})

describe('the highest chance that counts as a change', () => {
  test.each([
    ['a single figure', [0.5], 0.07],
    ['no figure', [], 0.07],
    ['none of ten is unlikely', Array.from({ length: 10 }, () => 0.5), 0.007],
    ['one of ten', [0.006, ...Array.from({ length: 9 }, () => 0.5)], 0.007],
    ['two of ten, in any order', [0.5, 0.014, ...Array.from({ length: 7 }, () => 0.5), 0.001], 0.014],
    ['the second makes the first count', [0.0139, 0.0139, ...Array.from({ length: 8 }, () => 0.5)], 0.014],
    ['one more than the second may be', [0.001, 0.0141, ...Array.from({ length: 8 }, () => 0.5)], 0.007],
    ['all', Array.from({ length: 10 }, () => 0.001), 0.07],
  ])('%s', (_, chances, highest) => {
    expect(highestChance(chances, 0.07)).toBeCloseTo(highest, 12)
  })
})
