// Looked up once: in a VM context, such as a test's, each access to a global is slow.
const { PI, cos, exp, floor, imul, log, sqrt } = Math

/** A seeded source of random numbers: the same seed and stream name give the same numbers on any machine. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  next(): number
  /** Whole, from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** With mean 0 and standard deviation 1. */
  normal(): number
  /** Right-skewed and above 0, like response times; half of the values are below `median`. */
  logNormal(median: number, sigma: number): number
}

/** `stream` separates users, agents and so on: none of them shifts the numbers of another. */
export function seededRandom(seed: number, stream: string): Random {
  const next = mulberry32(hash(`${seed}/${stream}`))
  const normal = () => {
    // Box-Muller; 1 - next() is never 0.
    const radius = sqrt(-2 * log(1 - next()))
    return radius * cos(2 * PI * next())
  }
  return {
    next,
    between: (low, high) => low + floor(next() * (high - low + 1)),
    normal,
    logNormal: (median, sigma) => median * exp(sigma * normal()),
  }
}

/** The mulberry32 generator (public domain, Tommy Ettinger): 32 bits of state, good enough for figures. */
function mulberry32(state: number): () => number {
  let current = state
  return () => {
    current = (current + 0x6d2b79f5) | 0
    let mixed = imul(current ^ (current >>> 15), 1 | current)
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** FNV-1a over the text's UTF-16 units, then mixed so that similar seeds give very different states. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = imul(value ^ (value >>> 16), 0x85ebca6b)
  value = imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
