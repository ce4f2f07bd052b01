import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { quantity } from '../../figures/numbers.js'
import type { Unit } from '../../figures/metrics.js'
import { htmlText } from '../../text/foreign-text.js'
import { anchorHtml } from './html.js'
import type { Tone } from '../words/table.js'

/** One figure that a reader can point at and open. */
interface Dot {
  at: number
  value: number
  look: string
  text: string
  href: string | undefined
}

/** Units of the drawing, which the page stretches. */
const [width, height] = [1000, 100]

/**
 * Figures over runs or over time, drawn as SVG in the width that the page has; its texts may be foreign. Null is a gap
 * in a line; a band is where figures usually lie.
 */
export function lineChart(chart: {
  /** What it shows, with the figures, for readers who do not see it. */
  text: string
  size: 'plot' | 'spark'
  unit: Unit
  /** Where the horizontal axis begins and ends; the vertical one begins at 0. */
  span: readonly [number, number]
  /** Below the horizontal axis, in its order. */
  ticks: readonly { at: number; text: string }[]
  lines: readonly {
    look: 'line' | 'limit' | 'before'
    points: readonly (readonly [at: number, value: number | null])[]
  }[]
  bands: readonly { from: number; to: number; low: number; high: number }[]
  /** Vertical lines; those of a large chart are numbered from 1. */
  marks: readonly { at: number; tone: Tone }[]
  dots: readonly Dot[]
}): string {
  const { text, size, unit, span, ticks, lines, bands, marks, dots } = chart
  const x = scaleLinear(span, [0, width])
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value ?? 0))
  const highest = [...values, ...bands.map(({ high }) => high)].reduce((a, b) => Math.max(a, b), 0)
  const y = scaleLinear([0, highest > 0 ? highest : 1], [height, 0]).nice(4)
  const levels = size === 'plot' ? y.ticks(4) : y.domain()
  const path = line<(typeof lines)[number]['points'][number]>(
    ([at]) => x(at),
    ([, value]) => y(value ?? 0),
  ).defined(([, value]) => value !== null)
  const across = (at: number) => `${round((x(at) / width) * 100)}%`
  const drawn = [
    ...levels.map((level) => `<path class="grid" d="M0 ${round(y(level))}H${width}"/>`),
    ...bands.map(({ from, to, low, high }) => {
      const [left, right, bottom, top] = [x(from), x(to), y(low), y(high)].map(round)
      return `<path class="band" d="M${left} ${bottom}H${right}V${top}H${left}Z"/>`
    }),
    ...marks.map(({ at, tone }) => `<path class="change ${tone}" d="M${round(x(at))} 0V${height}"/>`),
    ...lines.map(({ look, points }) => `<path class="${look}" d="${path.digits(1)(points) ?? ''}"/>`),
    ...dots.map((dot) => dotSvg(dot, `M${round(x(dot.at))} ${round(y(dot.value))}h0`)),
  ]
  const written = [
    ...levels.map(
      (level) =>
        `<text x="-6" y="${round(y(level))}%" dy=".35em" text-anchor="end">${htmlText(quantity(level, unit, highest))}</text>`,
    ),
    ...ticks.map(
      ({ at, text: label }) =>
        `<text x="${across(at)}" y="100%" dy="1.3em" text-anchor="${anchorOf(x(at))}">${htmlText(label, 30)}</text>`,
    ),
    ...(size === 'plot' ? marks : []).map(({ at }, index) => {
      // Of two that are near each other, one number stands higher.
      const isNear = [marks[index - 1], marks[index + 1]].some(
        (other) => other && Math.abs(x(other.at) - x(at)) < width / 25,
      )
      const isHigh = isNear && index % 2 === 1
      return `<text class="number" x="${across(at)}" dy="${isHigh ? '-1.35em' : '-.35em'}" text-anchor="middle">${index + 1}</text>`
    }),
  ]
  return `<svg class="${size}" role="${dots.length > 0 ? 'group' : 'img'}"><title>${htmlText(text, 500)}</title>
<g aria-hidden="true">${written.join('')}</g><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${drawn.join('')}</svg></svg>`
}

// Lists and tables have the same links for who uses a keyboard.
function dotSvg({ look, text, href }: Dot, path: string): string {
  const dot = `<path class="dot ${look}" d="${path}"><title>${htmlText(text, 200)}</title></path>`
  return anchorHtml(dot, href, ' tabindex="-1"')
}

/** No label leaves the chart. */
function anchorOf(x: number): string {
  return x < width / 8 ? 'start' : x > (width * 7) / 8 ? 'end' : 'middle'
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
