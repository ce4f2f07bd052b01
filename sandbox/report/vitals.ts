import type { Random } from './random.js'
import { quantile } from './statistics.js'

const { round } = Math

export type VitalName = 'cls' | 'fcp' | 'fid' | 'inp' | 'lcp' | 'ttfb'

/** The web vitals of one page view: milliseconds, except cls. */
export interface VitalSample {
  name: string
  values: Record<VitalName, number>
}

export interface VitalFigures {
  /** The 75th percentile. */
  score: number
  rating: 'good' | 'improve' | 'poor'
  goodCount: number
  improveCount: number
  poorCount: number
}

/** Up to the first is good, above the second poor (web.dev). */
const limits: Record<VitalName, [number, number]> = {
  cls: [0.1, 0.25],
  fcp: [1800, 3000],
  fid: [100, 300],
  inp: [200, 500],
  lcp: [2500, 4000],
  ttfb: [800, 1800],
}

/** All in milliseconds; `rendering` is what the browser needs after the answer. */
export function visitVitals(
  name: string,
  random: Random,
  timeToFirstBytes: number,
  rendering: number,
): VitalSample {
  const fcp = timeToFirstBytes + round(rendering * (1.4 + random.next()))
  return {
    name,
    values: {
      cls: round(random.logNormal(0.06, 0.5) * 1000) / 1000,
      fcp,
      fid: round(random.logNormal(12, 0.6)),
      inp: round(random.logNormal(96, 0.45)),
      lcp: fcp + round(random.logNormal(640, 0.3)),
      ttfb: timeToFirstBytes,
    },
  }
}

export function vitalFigures(vital: VitalName, values: readonly number[]): VitalFigures {
  const [good, poor] = limits[vital]
  const score = quantile(Float64Array.from(values).sort(), 0.75)
  const goodCount = values.filter((value) => value <= good).length
  const poorCount = values.filter((value) => value > poor).length
  return {
    score,
    rating: score <= good ? 'good' : score <= poor ? 'improve' : 'poor',
    goodCount,
    improveCount: values.length - goodCount - poorCount,
    poorCount,
  }
}
