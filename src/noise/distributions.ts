/**
 * The few distributions that noise is judged with. Continued fraction and bounds after Press et al., Numerical
 * Recipes, 3rd edition, section 6.4; the logarithm of gamma after Lanczos.
 */

const lanczos = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
  -0.000005395239384953,
]

function logGamma(x: number): number {
  const base = x + 5.5
  let series = 1.00000000019
  for (let index = 0; index < lanczos.length; index++) series += (lanczos[index] ?? 0) / (x + 1 + index)
  return (x + 0.5) * Math.log(base) - base + Math.log((2.5066282746310007 * series) / x)
}

/** The derivatives of log gamma, the first and the second, for x above 0: recurrence up to 8, then Stirling's series. */
export function digamma(x: number): number {
  if (x < 8) return digamma(x + 1) - 1 / x
  const square = 1 / (x * x)
  return Math.log(x) - 1 / (2 * x) - square * (1 / 12 - square * (1 / 120 - square / 252))
}

export function trigamma(x: number): number {
  if (x < 8) return trigamma(x + 1) + 1 / (x * x)
  const square = 1 / (x * x)
  return 1 / x + square / 2 + (square / x) * (1 / 6 - square * (1 / 30 - square / 42))
}

/** The x of which trigamma is `value`, above 0. */
export function trigammaInverse(value: number): number {
  let low = 1e-6
  let high = 1e8
  while (high - low > 1e-9 * high) {
    const middle = Math.sqrt(low * high)
    if (trigamma(middle) > value) low = middle
    else high = middle
  }
  return high
}

/** The regularised incomplete beta function I_x(a, b), for a and b above 0. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  if (x < (a + 1) / (a + b + 2)) return (front * fraction(x, a, b)) / a
  return 1 - (front * fraction(1 - x, b, a)) / b
}

function fraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / kept(1 + even * d)
    c = kept(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / kept(1 + odd * d)
    c = kept(1 + odd / c)
    result *= d * c
    if (Math.abs(d * c - 1) < 1e-12) break
  }
  return result
}

const tiny = 1e-300

/** What can be divided by. */
function kept(value: number): number {
  return Math.abs(value) < tiny ? tiny : value
}

/** How probable it is that Student's t with these degrees of freedom lies above `t`. */
export function studentTail(t: number, freedom: number): number {
  const half = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
  return t > 0 ? half : 1 - half
}

/** How probable it is that the ratio of two variances, known with these degrees of freedom, lies above `ratio`. */
export function ratioTail(ratio: number, above: number, below: number): number {
  return incompleteBeta(below / (below + above * ratio), below / 2, above / 2)
}

/** The t that is exceeded with this probability, between 1e-12 and 0.5. */
export function studentQuantile(probability: number, freedom: number): number {
  let low = 0
  let high = 1e6
  for (let step = 0; step < 200 && high - low > 1e-10 * high; step++) {
    const middle = (low + high) / 2
    if (studentTail(middle, freedom) > probability) low = middle
    else high = middle
  }
  return high
}

/**
 * How probable a count of `count` or more is where the mean is `mean` and the variance mean + mean² · `spread`: the
 * negative binomial distribution, a Poisson whose mean itself varies.
 */
export function countTail(count: number, mean: number, spread: number): number {
  if (count <= 0) return 1
  if (mean <= 0) return 0
  const size = 1 / Math.max(spread, 1e-9)
  return incompleteBeta(mean / (mean + size), count, size)
}

/** The coefficients of the rational approximation: below 0.02425 and between. */
const outer = {
  top: [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  bottom: [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
}
const inner = {
  top: [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
    2.506628277459239,
  ],
  bottom: [
    -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
  ],
}

/** The standard normal quantile, after Acklam (2003): right to nine digits. */
export function normalQuantile(probability: number): number {
  if (probability > 0.5) return -normalQuantile(1 - probability)
  if (probability < 0.02425) {
    const x = Math.sqrt(-2 * Math.log(Math.max(probability, 1e-300)))
    return polynomial(outer.top, x) / polynomial(outer.bottom, x)
  }
  const x = probability - 0.5
  return (x * polynomial(inner.top, x * x)) / polynomial(inner.bottom, x * x)
}

function polynomial(factors: readonly number[], x: number): number {
  return factors.reduce((sum, factor) => sum * x + factor, 0)
}

export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/** The shares of unchanged runs that may have a false alarm: for one run that is judged. */
export const falseShares = {
  /** Among the timers of one kind, by one metric: so a timer is judged the same whichever gates name it. */
  timers: 0.07,
  /** For a figure that stands alone: a summary row, the load generators. */
  alone: 0.02,
  /** For all timers of a run together. */
  run: 0.01,
}

/**
 * The highest chance at which a figure counts as a change, after Benjamini and Hochberg (1995): the i-th smallest of m
 * must be at most i / m of the tolerated share of false ones.
 */
export function highestChance(chances: readonly number[], falseShare: number): number {
  const few = chances.filter((chance) => chance <= falseShare).sort((a, b) => a - b)
  const last = few.findLastIndex((chance, index) => chance <= ((index + 1) * falseShare) / chances.length)
  return (Math.max(1, last + 1) * falseShare) / Math.max(1, chances.length)
}
