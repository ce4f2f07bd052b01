import type { Unit } from '../../figures/metrics.js'
import { areLong } from '../../figures/numbers.js'

/** The chart's language has no exponents. */
const longest = 1e15

const axis = { labelFontSize: 10, titleFontSize: 12 }
const look = {
  // Visible on white and on black, unlike the default colours of the chart.
  themeVariables: { xyChart: { plotColorPalette: '#1f6feb', backgroundColor: 'transparent' } },
  xyChart: { width: 330, height: 200, titleFontSize: 14, xAxis: axis, yAxis: axis },
}

/** A figure over the latest runs, the oldest first, as a chart that GitHub draws; empty for fewer than two. */
export function runChart(title: string, unit: Unit, values: readonly number[]): string {
  if (values.length < 2) return ''
  const isLong = areLong(unit, ...values)
  const shown = values.map((value) => Number(Math.min(isLong ? value / 1000 : value, longest).toFixed(2)))
  return [
    '```mermaid',
    `%%{init: ${JSON.stringify(look)}}%%`,
    'xychart-beta',
    `    title "${title}"`,
    `    x-axis "the ${values.length} latest runs that measured it" 1 --> ${values.length}`,
    `    y-axis "${isLong ? 's' : unit}" 0 --> ${Math.ceil(Math.max(1, ...shown))}`,
    `    line [${shown.join(', ')}]`,
    '```',
  ].join('\n')
}
