import type { Metric } from '../../src/figures/metrics.js'
import { metricTitle } from '../../src/publish/words/figure-text.js'
import { markup, type Markup } from './markup.js'

/** The one that readers want first comes first. */
const metrics = [
  'p95',
  'mean',
  'median',
  'p99',
  'max',
  'count',
  'errors',
  'error-rate',
  'throughput',
] as const

/** The metric that an address asks for; p95 if there is no such metric. */
export function chosenMetric(wanted: unknown): Metric {
  return metrics.find((one) => one === wanted) ?? 'p95'
}

/** Shows the page again with another figure. */
export function metricChoice(chosen: string, hint: string): Markup {
  const options = metrics.map(
    (one) =>
      markup`<option value="${one}"${one === chosen ? markup` selected` : ''}>${metricTitle(one)}</option>`,
  )
  return markup`<form class="card choice"><label>Figure <select name="metric">${options}</select></label><button>Show</button><span class="quiet">${hint}</span></form>`
}
