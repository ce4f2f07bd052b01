import { unitOf } from '../../figures/metrics.js'
import type { HistoryRun } from '../../outcome/history.js'
import type { ChangePoint, Series } from '../../gates/change-points.js'
import { htmlText } from '../../text/foreign-text.js'
import { quantity } from '../../figures/quantity.js'
import { plural } from '../../text/plural.js'
import { runText, verdictText } from './tables.js'
import { figureTitle, changePointText, changePointTone } from './words.js'

/** Units of the drawing per run, and from 0 to the highest figure; the page stretches them. */
const pitch = 10
const height = 100

/** A figure over the runs, with a dot that names each run, as an HTML figure; `id` is unique on its page. */
export function seriesChart(
  series: Series,
  runs: readonly HistoryRun[],
  changes: readonly ChangePoint[],
  id: string,
): string {
  const { values, limits } = series
  const unit = unitOf(series.metric)
  const title = figureTitle(series)
  const latest = latestOf(values)
  const limit = latestOf(limits ?? [])
  const top = topOf(series)
  const dots = values.map((value, at) => {
    const run = runs[at]
    if (value === null || !run) return ''
    const kind = run.acceptedBy !== undefined ? ' accepted' : run.verdict === 'failed' ? ' bad' : ''
    const text = `${runText(run)}: ${quantity(value, unit)}${kind === '' ? '' : `, ${verdictText(run)}`}`
    return `<path class="dot${kind}" d="M${x(at)} ${y(value, top)}h0"><title>${htmlText(text, 200)}</title></path>`
  })
  const legend = [
    `highest ${htmlText(quantity(highestOf(values), unit))}`,
    ...(limit === undefined
      ? []
      : [`<span><i class="limit"></i>limit ${htmlText(quantity(limit, unit))}</span>`]),
  ]
  return `<figure class="card"><figcaption>${htmlText(title)}<b>${htmlText(quantity(latest, unit))}</b><span class="legend">${legend.join(' ')}</span></figcaption>
${svg(series, changes, { id, kind: 'plot', dots: dots.join('') })}</figure>`
}

/** A figure over the runs in a line of a table, without dots. */
export function sparkline(series: Series, changes: readonly ChangePoint[], id: string): string {
  return svg(series, changes, { id, kind: 'spark', dots: '' })
}

/** The value of the latest run; undefined if it has none. */
export function latestOf(values: readonly (number | null)[]): number | undefined {
  return values.at(-1) ?? undefined
}

function svg(
  series: Series,
  changes: readonly ChangePoint[],
  { id, kind, dots }: { id: string; kind: 'plot' | 'spark'; dots: string },
): string {
  const { values, limits = [] } = series
  const top = topOf(series)
  const marks = changes.map((change) => {
    const at = x(change.run) - pitch / 2
    return `<path class="change ${changePointTone(change)}" d="M${at} 0V${height}"/>`
  })
  const limit = limits.length === 0 ? '' : `<path class="limit" d="${lineOf(limits, top)}"/>`
  return `<svg class="${kind}" role="img" aria-labelledby="${id}" viewBox="0 0 ${values.length * pitch} ${height}" preserveAspectRatio="none"><title id="${id}">${htmlText(describe(series, changes), 300)}</title>${limit}${marks.join('')}<path class="line" d="${lineOf(values, top)}"/>${dots}</svg>`
}

function describe(series: Series, changes: readonly ChangePoint[]): string {
  const unit = unitOf(series.metric)
  const known = series.values.filter((value) => value !== null)
  const [low, high] = [lowestOf(known), highestOf(known)].map((value) => quantity(value, unit))
  const range = low === high ? `${low}` : `between ${low} and ${high}`
  const changed = changes.map((change) => `, ${changePointText(change)} from run ${change.run + 1} on`)
  return `${series.name ?? figureTitle(series)} in ${known.length} of ${plural(series.values.length, 'run')}: ${range}${changed.join('')}`
}

/** The line has a gap here, and begins again after it. */
function lineOf(values: readonly (number | null)[], top: number): string {
  let isOpen = false
  let path = ''
  for (const [at, value] of values.entries()) {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${x(at)} ${y(value, top)}${isOpen ? '' : 'h0'}`
    isOpen = value !== null
  }
  return path
}

function x(run: number): number {
  return run * pitch + pitch / 2
}

function y(value: number, top: number): number {
  return Math.round((1 - value / top) * height * 10) / 10
}

/** The value at the upper edge; the lower one is 0. */
function topOf({ values, limits = [] }: Series): number {
  const most = highestOf([...values, ...limits]) ?? 0
  return most > 0 ? most * 1.08 : 1
}

function highestOf(values: readonly (number | null)[]): number | undefined {
  return values.reduce<number | undefined>(
    (most, value) => (value === null || (most ?? value) > value ? most : value),
    undefined,
  )
}

function lowestOf(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>(
    (least, value) => ((least ?? value) < value ? least : value),
    undefined,
  )
}
