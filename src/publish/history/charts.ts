import { unitOf } from '../../figures/metrics.js'
import { median } from '../../figures/numbers.js'
import { quantity } from '../../figures/quantity.js'
import type { ChangePoint, Series } from '../../gates/change-points.js'
import type { History, HistoryRun } from '../../outcome/history.js'
import type { Outcome } from '../../outcome/outcome.js'
import { htmlText } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { linkHtml } from '../digest/html.js'
import { lineChart, type Band } from '../line-chart.js'
import { fromTo } from '../words/figure-text.js'
import { rangeOf, runPage, runText, verdictText } from './tables.js'
import { changePointText, changePointTone, dateText, dayAndCommit, figureTitle, isOf } from './words.js'

/** A figure over the runs, and where it changed. */
export interface Charted {
  series: Series
  changes: readonly ChangePoint[]
  /** Unique on its page. */
  id: string
}

/** Draws the figures of a history. */
export class HistoryCharts {
  private readonly runs: readonly HistoryRun[]
  private readonly ticks: { at: number; text: string }[]

  constructor(
    private readonly outcome: Outcome,
    { runs }: History,
  ) {
    this.runs = runs
    this.ticks = ticksOf(runs)
  }

  /** With a dot that leads to each run, and its changes below; in one line if it never changes. */
  large({ series, changes, id }: Charted): string {
    const { values, limits = [], metric } = series
    const unit = unitOf(metric)
    const limit = latestOf(limits)
    const limitText =
      limit === undefined ? '' : `limit of the load tests’ own gate: ${htmlText(quantity(limit, unit))}`
    if (isSteady(series, changes)) {
      const more = limitText === '' ? '' : `; ${limitText}`
      return `<p class="card steady">${htmlText(figureTitle(series))}: <b>${htmlText(rangeText(series))}</b> ${htmlText(countText(series))}${more}</p>`
    }
    const dots = values.flatMap((value, at) => {
      const run = this.runs[at]
      if (value === null || !run) return []
      const look = run.acceptedBy !== undefined ? 'accepted' : run.verdict === 'failed' ? 'bad' : ''
      const text = `${runText(run)}: ${quantity(value, unit)}${look === '' ? '' : `, ${verdictText(run)}`}`
      return [{ at, value, look, text, href: runPage(run) }]
    })
    const legend = limit === undefined ? '' : `<span><i class="limit"></i>${limitText}</span>`
    const found = changes.map((change) => `<li>${this.changeHtml(change, series)}</li>`)
    return `<figure class="card"><figcaption>${htmlText(figureTitle(series))}<b>${htmlText(quantity(latestOf(values), unit))}</b><span class="legend"><span>latest run</span>${legend}</span></figcaption>
${this.svg({ series, changes, id }, 'plot', dots)}${found.length === 0 ? '' : `<ol class="found">${found.join('')}</ol>`}</figure>`
  }

  /** Without dots, for a line of a list. */
  small(charted: Charted): string {
    const { series, changes } = charted
    return isSteady(series, changes)
      ? `<span class="quiet">${htmlText(`${rangeText(series)} ${countText(series)}`)}</span>`
      : this.svg(charted, 'spark', [])
  }

  /** `+25% (523 ms → 654 ms) from 28 September, e457786 on, commits a1b2c3d..e457786` */
  changeHtml(change: ChangePoint, series: Series): string {
    const { before, after, metric } = change
    const run = this.runs[change.run]
    const figures = fromTo({ baseline: before, value: after }, unitOf(metric))
    const { text, href } = rangeOf(this.outcome, this.runs, series, change)
    return `<span class="${changePointTone(change)}">${htmlText(changePointText(change))}</span> (${htmlText(figures)}) from ${linkHtml(run ? dayAndCommit(run, this.runs) : '', run && runPage(run))} on, ${href === undefined ? htmlText(text) : `commits ${linkHtml(text, href)}`}`
  }

  private describe(series: Series, changes: readonly ChangePoint[]): string {
    const latest = quantity(latestOf(series.values), unitOf(series.metric))
    const changed = changes.map((change) => {
      const run = this.runs[change.run]
      return `, ${changePointText(change)} from ${run ? dayAndCommit(run, this.runs) : ''} on`
    })
    return `${series.name ?? figureTitle(series)}: ${rangeText(series)} ${countText(series)}${changed.join('')}; latest ${latest}`
  }

  private svg(
    { series, changes, id }: Charted,
    size: 'plot' | 'spark',
    dots: Parameters<typeof lineChart>[0]['dots'],
  ): string {
    const { values, limits = [], metric } = series
    const points = (all: readonly (number | null)[]) => all.map((value, at) => [at, value] as const)
    return lineChart({
      ...{ id, size, dots, ticks: this.ticks },
      ...{ text: this.describe(series, changes), unit: unitOf(metric) },
      span: [-0.5, values.length - 0.5],
      lines: [
        ...(limits.length === 0 ? [] : [{ look: 'limit' as const, points: points(limits) }]),
        { look: 'line', points: points(values) },
      ],
      bands: bandsOf(values, changes),
      marks: changes.map((change) => ({ at: change.run - 0.5, tone: changePointTone(change) })),
    })
  }
}

/** The value of the latest run; undefined if it has none. */
export function latestOf(values: readonly (number | null)[]): number | undefined {
  return values.at(-1) ?? undefined
}

/** The days of some runs; if all are of one day, their times. */
function ticksOf(runs: readonly HistoryRun[]): { at: number; text: string }[] {
  const last = runs.length - 1
  const steps = Math.min(3, last)
  const [first = 0, latest = 0] = [runs[0], runs[last]].map((run) => Date.parse(run?.startTime ?? ''))
  const day = 86_400_000
  const format: Intl.DateTimeFormatOptions | undefined =
    latest - first < day
      ? { hour: '2-digit', minute: '2-digit' }
      : latest - first > 300 * day
        ? { month: 'short', year: 'numeric' }
        : undefined
  return Array.from({ length: steps + 1 }, (_, step) => {
    const at = steps === 0 ? 0 : Math.round((step * last) / steps)
    const run = runs[at]
    return { at, text: (run && dateText(run, format)) ?? `run ${at + 1}` }
  })
}

/** Of a level with fewer runs, noise is not shown. */
const fewestOfLevel = 4

/** The usual noise of each level: two deviations around its median, as its own runs show them. */
function bandsOf(values: readonly (number | null)[], changes: readonly ChangePoint[]): Band[] {
  const bounds = [0, ...changes.map(({ run }) => run), values.length]
  return bounds.slice(1).flatMap((to, index) => {
    const from = bounds[index] ?? 0
    const known = values.slice(from, to).filter((value) => value !== null)
    if (known.length < fewestOfLevel) return []
    const middle = median(known)
    // Of normal figures, the median distance from the median is 0.6745 deviations.
    const reach = (2 * median(known.map((value) => Math.abs(value - middle)))) / 0.6745
    return [{ from: from - 0.5, to: to - 0.5, low: Math.max(0, middle - reach), high: middle + reach }]
  })
}

/** A figure that never differs by more than a percent needs no chart. */
function isSteady(series: Series, changes: readonly ChangePoint[]): boolean {
  const [low, high] = extremesOf(series)
  return changes.length === 0 && high - low <= high * 0.01
}

function extremesOf({ values }: Series): [low: number, high: number] {
  const known = values.filter((value) => value !== null)
  return [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)]
}

/** `600 ms`, `523 to 654 ms` */
function rangeText(series: Series): string {
  const [low, high] = extremesOf(series).map((value) => quantity(value, unitOf(series.metric)))
  return low === high ? `${low}` : `between ${low} and ${high}`
}

function countText({ values }: Series): string {
  const known = values.filter((value) => value !== null).length
  return known === values.length && known > 1
    ? `in all ${plural(known, 'run')}`
    : `in ${known} of ${plural(values.length, 'run')}`
}

/** The changes of a figure, the oldest first. */
export function changesOf({ changePoints }: History, series: Series): ChangePoint[] {
  return changePoints.filter((change) => isOf(change, series))
}
