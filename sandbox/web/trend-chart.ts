import type { Unit } from '../../src/figures/metrics.js'
import { quantity } from '../../src/figures/quantity.js'
import { markup, type Markup } from './markup.js'

const height = 140
/** Room above the highest point, for the figure there. */
const top = 22
/** This many names fit below the points before they touch each other on a phone. */
const mostNames = 6

interface Point {
  name: string
  value: number
  /** 0 to 1, and pixels from above. */
  x: number
  y: number
}

/** One figure over the runs, from 0 upwards; a run without it leaves a gap. */
export function trendChart(
  title: string,
  names: readonly string[],
  values: readonly (number | undefined)[],
  unit: Unit,
): Markup {
  const most = Math.max(...values.map((value) => value ?? 0)) || 1
  const points = values.map((value, index): Point | undefined => {
    if (value === undefined) return undefined
    const name = names[index] ?? ''
    const y = height - ((height - top) * Math.max(0, value)) / most
    return { name, value, x: (index + 0.5) / values.length, y }
  })
  const words = points.map((point, index) => `${names[index] ?? ''} ${quantity(point?.value, unit)}`)
  const lines = points.map((point, index) => line(points[index - 1], point))
  const every = Math.ceil(values.length / mostNames)
  const dots = points.map((point, index) => dot(point, unit, index % every === 0))
  return markup`<figure class="card chart trend-chart"><figcaption>${title}</figcaption>
<svg role="img" aria-label="${title}: ${words.join(', ')}" height="${height + 24}"><line x1="0" x2="100%" y1="${height}" y2="${height}"/>${lines}${dots}</svg></figure>`
}

function line(from: Point | undefined, to: Point | undefined): Markup {
  if (!from || !to) return markup``
  return markup`<line class="change" x1="${percent(from.x)}" y1="${from.y.toFixed(1)}" x2="${percent(to.x)}" y2="${to.y.toFixed(1)}"/>`
}

function dot(point: Point | undefined, unit: Unit, named: boolean): Markup {
  if (!point) return markup``
  const { name, value, x, y } = point
  const text = (at: number, words: string) =>
    markup`<text x="${percent(x)}" y="${at.toFixed(1)}">${words}</text>`
  const words = named ? [text(y - 8, quantity(value, unit)), text(height + 18, name)] : ''
  return markup`<circle cx="${percent(x)}" cy="${y.toFixed(1)}" r="4"><title>${name}: ${quantity(value, unit)}</title></circle>${words}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`
}
