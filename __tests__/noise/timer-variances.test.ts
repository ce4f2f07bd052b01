import { digamma, ratioTail, trigamma, trigammaInverse } from '../../src/noise/distributions.js'
import { TimerVariances, type Varied } from '../../src/noise/variances.js'

test('digamma and trigamma are what tables say', () => {
  expect(digamma(1)).toBeCloseTo(-0.5772156649, 9)
  expect(digamma(0.5)).toBeCloseTo(-1.963510026, 9)
  expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 8)
  expect(trigamma(0.5)).toBeCloseTo(Math.PI ** 2 / 2, 8)
  expect(trigamma(30)).toBeCloseTo(0.0338949, 6)
})

test.each([0.02, 0.5, 1.6, 9])('the x of which trigamma is %d', (value) => {
  expect(trigamma(trigammaInverse(value))).toBeCloseTo(value, 6)
})

// Of tables of the F distribution: the ratio that 5 and 1 of 100 exceed.
test.each([
  [4, 10, 3.478, 0.05],
  [4, 10, 5.994, 0.01],
  [1, 20, 4.351, 0.05],
])(
  'a ratio of variances with %d and %d degrees of freedom is above %d in a share of %d',
  (above, below, ratio, share) => {
    expect(ratioTail(ratio, above, below)).toBeCloseTo(share, 4)
  },
)

const freedom = 4
/** The measured variances of 20 timers: spread by chi-square, each times its own variance. */
function shares(variance: (index: number) => number): Varied[] {
  const quarters = [0.27, 0.48, 0.7, 0.96, 1.35]
  return Array.from({ length: 20 }, (_, index) => ({
    share: (quarters[index % 5] ?? 1) * variance(index),
    freedom,
  }))
}
const loud: Varied = { share: 4, freedom }

test('if timers differ only by chance, a timer with larger noise than the others counts for little', () => {
  const { factor, freedom: known } = new TimerVariances(shares(() => 1)).of(loud)
  expect(factor).toBeLessThan(2)
  expect(known).toBeGreaterThan(12)
})

test('if timers do differ, each counts for itself, with fewer degrees of freedom', () => {
  const variances = new TimerVariances(shares((index) => (index < 10 ? 0.2 : 3)))
  const { factor, freedom: known } = variances.of(loud)
  expect(factor).toBeGreaterThan(2)
  expect(known).toBeLessThan(12)
  expect(variances.of({ share: 0.2, freedom }).factor).toBeLessThan(factor / 2)
})

test('a timer that is far noisier than all others by more than chance has its own noise', () => {
  const { factor, freedom: known } = new TimerVariances(shares(() => 1)).of({ share: 40, freedom })
  expect(factor).toBeGreaterThan(35)
  expect(known).toBeLessThan(6)
})

test.each<[string, Varied[]]>([
  [
    'one baseline run, which shows nothing about a timer',
    Array.from({ length: 20 }, () => ({ share: 1, freedom: 0 })),
  ],
  ['a single timer', [{ share: 2, freedom }]],
  ['no timer', []],
])('%s: the assumed noise is used', (_, all) => {
  const { factor, freedom: known } = new TimerVariances(all).of({ share: 1, freedom: 0 })
  expect(factor).toBeGreaterThanOrEqual(1)
  expect(factor).toBeLessThan(1.3)
  expect(known).toBeGreaterThan(10)
  expect(Number.isFinite(known)).toBe(true)
})

test('if no timer varies as much as expected, less is expected of all of them, but not nothing', () => {
  const calm = Array.from({ length: 20 }, () => ({ share: 0, freedom }))
  const { factor } = new TimerVariances(calm).of({ share: 0, freedom })
  expect(factor).toBeGreaterThan(0.5)
  expect(factor).toBeLessThan(0.8)
})
