/** A seeded random number generator of Marsaglia's xorshift family (xoshiro128**). */
export class Random {
  private readonly state: Uint32Array

  constructor(seed: number) {
    // Seeded by splitmix32, so that similar seeds give independent streams.
    let s = seed >>> 0
    this.state = Uint32Array.from({ length: 4 }, () => {
      s = (s + 0x9e3779b9) >>> 0
      let z = s
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
      return (z ^ (z >>> 16)) >>> 0
    })
  }

  /** Above 0 and below 1. */
  uniform(): number {
    const s = this.state
    const [a = 0, b = 0, c = 0, d = 0] = s
    const product = Math.imul(b, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const third = c ^ a
    const fourth = d ^ b
    s[0] = a ^ fourth
    s[1] = b ^ third
    s[2] = third ^ (b << 9)
    s[3] = (fourth << 11) | (fourth >>> 21)
    return (result + 0.5) / 4294967296
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform())
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform()
  }

  /** Gamma with this shape and scale 1, after Marsaglia and Tsang (2000). */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * Math.pow(this.uniform(), 1 / shape)
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = this.normal()
      const v = Math.pow(1 + c * x, 3)
      if (v > 0 && Math.log(this.uniform()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v
    }
  }

  poisson(mean: number): number {
    if (mean > 500) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()))
    let count = 0
    for (let sum = -Math.log(this.uniform()); sum < mean; sum -= Math.log(this.uniform())) count++
    return count
  }

  /** Student's t with this many degrees of freedom, scaled to a variance of 1 if it has one. */
  student(freedom: number): number {
    const t = this.normal() / Math.sqrt((2 * this.gamma(freedom / 2)) / freedom)
    return freedom > 2 ? t * Math.sqrt((freedom - 2) / freedom) : t
  }
}
