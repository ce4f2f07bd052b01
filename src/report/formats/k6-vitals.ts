import { defined, heldIn } from '../../text/fields.js'
import { kept, pushBounded } from '../elements.js'
import { webVitalNames, type Report, type WebVitalName, type WebVitals } from '../report.js'
import { spread } from './samples.js'

/** What the names of metrics of web vitals begin with. */
export const vital = 'browser_web_vital_'

/** The samples of web vitals, by page. */
export class Vitals {
  readonly #vitals = new Map<
    string,
    { name: WebVitalName; page: string; scores: number[]; ratings: Map<string, number> }
  >()

  /**
   * @param metric such as `browser_web_vital_lcp`
   * @returns false if no such vital is judged
   */
  take(metric: string, page: string, score: number, rating: string): boolean {
    const name = webVitalNames.find((one) => vital + one === metric)
    if (name === undefined) return false
    const first = { name, page, scores: [], ratings: new Map<string, number>() }
    const known = heldIn(this.#vitals, `${name} ${page}`, () => first)
    known.scores.push(score)
    known.ratings.set(rating, (known.ratings.get(rating) ?? 0) + 1)
    return true
  }

  addTo(report: Report): void {
    for (const { name, page, scores, ratings } of this.#vitals.values()) {
      const score = spread(Float64Array.from(scores).sort()).percentiles?.['p75']
      const [goodCount, improveCount, poorCount] = ['good', 'needs-improvement', 'poor'].map(
        (rating) => ratings.get(rating) ?? 0,
      )
      const counts = ratings.has('') ? {} : defined({ goodCount, improveCount, poorCount })
      if (score !== undefined) vitalsOf(report, page)[name] ??= { score, ...counts }
    }
  }
}

/** The web vitals of a page, as the report keeps them. */
export function vitalsOf({ webVitals }: Report, name: string): WebVitals['vitals'] {
  const shown = kept(name)
  let row = webVitals.find((one) => one.name === shown)
  if (!row) pushBounded(webVitals, (row = { name: shown, vitals: {} }), 10_000, 'rows of web vitals')
  return row.vitals
}
