import { median } from '../src/figures/numbers.js'
import type { Bench } from './bench.js'
import type { Measured } from './measure.js'

export interface Medians extends Measured {
  runs: number
}

/**
 * Runs each once per round, in rotating order, and takes the medians; a first round that fills caches does not count.
 */
export async function rounds<Name extends string>(
  { sizes }: Bench,
  what: string,
  runs: Record<Name, () => Promise<Measured>>,
  count = sizes.runs,
): Promise<Record<Name, Medians>> {
  const names = Object.keys(runs).filter((name): name is Name => name in runs)
  const seen = new Map<Name, Measured[]>()
  for (let round = count > 1 ? 0 : 1; round <= count; round++) {
    const times: string[] = []
    for (const name of round % 2 ? names : names.toReversed()) {
      const measured = await runs[name]()
      times.push(`${name} ${Math.round(measured.milliseconds)} ms`)
      if (round > 0) seen.set(name, [...(seen.get(name) ?? []), measured])
    }
    console.log(`${what}: ${round === 0 ? 'warm-up' : `run ${round} of ${count}`}: ${times.join(', ')}`)
  }
  const medians: Partial<Record<Name, Medians>> = {}
  for (const name of names) medians[name] = mediansOf(seen.get(name) ?? [])
  if (!isComplete(medians, names)) throw new Error(`${what} was not measured`)
  return medians
}

function mediansOf(all: readonly Measured[]): Medians {
  const peaks = all.flatMap(({ peakBytes }) => (peakBytes === undefined ? [] : [peakBytes]))
  return {
    milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
    ...(peaks.length === all.length ? { peakBytes: median(peaks) } : {}),
    runs: all.length,
  }
}

function isComplete<Name extends string>(
  medians: Partial<Record<Name, Medians>>,
  names: readonly Name[],
): medians is Record<Name, Medians> {
  return names.every((name) => medians[name] !== undefined)
}
