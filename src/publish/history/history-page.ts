import type { ChangePoint, Series } from '../../comparison/change-points.js'
import { unitOf } from '../../figures/metrics.js'
import { median, plainNumber, quantity } from '../../figures/numbers.js'
import type { GateOutcome } from '../../gates/result.js'
import type { History, HistoryRun, Outcome, Trial, TrialResult, TriedGate } from '../../outcome/outcome.js'
import type { TimerKind } from '../../report/report.js'
import { htmlText, webAddress } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { lineChart } from '../digest/charts.js'
import { anchorHtml, chartsAndSteady, cutNote, htmlPage, linkHtml, listHtml } from '../digest/html.js'
import { listOf, nameHtml, section, tableHtml } from '../digest/html.js'
import { historyStyle } from '../digest/style.js'
import { dateText, shortHash, timeText } from '../words/facts.js'
import { counted, fromTo, metricTitle } from '../words/figure-text.js'
import {
  changePointText,
  dayAndCommit,
  fewestForChange,
  figureTitle,
  historyHeadline,
} from '../words/history-words.js'
import { historyMeaning, isOf, keySeries, rangeOf } from '../words/history-words.js'
import { kindNames, kindsInOrder, kindTitles } from '../words/timer-rows.js'
import { changePointTone, gateWords } from '../words/verdict-words.js'
import { whatToDo } from '../words/what-to-do.js'
import { wordsFor } from '../words/words.js'
import { changePointTable, runTable, slowdownNote, trialTable, verdictText } from './tables.js'

/** Timers of a kind; more make a page slow on a phone. */
const mostTimers = 1000
/** Changes in their table, and of a timer; the charts mark them all. */
const mostChanges = 20
const mostOfTimer = 3

/** The history as one HTML file, its charts drawn in it. */
export function renderHistory(outcome: Outcome, history: History): string {
  const { repository, workflowRunUrl } = outcome.step
  const page = webAddress(workflowRunUrl)
  const { icon, tone } = wordsFor(outcome)
  return htmlPage({
    title: historyHeadline(history),
    icon,
    tone: history.runs.length < fewestForChange ? 'plain' : tone,
    style: historyStyle,
    tag: `History of load tests${repository === undefined ? '' : ` of ${htmlText(repository, 140)}`}`,
    below: [
      `<p>${htmlText(historyMeaning(history))}</p>`,
      page === undefined ? '' : `<p class="links">${linkHtml('Workflow run that wrote this page', page)}</p>`,
    ],
    sections: sections(outcome, history),
  })
}

function sections(outcome: Outcome, history: History): string[] {
  const charts = new HistoryCharts(outcome, history.runs)
  const key = keySeries(history).map((series) => ({ series, changes: changesOf(history, series) }))
  return [
    section('What to do', listOf(whatToDo(outcome), [])),
    listHtml('Notes', outcome.notes, []),
    section('Key figures', chartsAndSteady(key.map((one) => charts.large(one))) + legend(history)),
    section('Gates', trialHtml(history)),
    changesHtml(outcome, history),
    section('Timers', kindsInOrder.map((kind) => kindHtml(charts, history, kind)).join('')),
    section('Runs', tableHtml(runTable(outcome, history))),
  ]
}

function trialHtml({ trial, runs }: History): string {
  if (!trial || runs.length === 0) return ''
  const table = tableHtml(trialTable(trial))
  return `${heatMap(trial, runs)}\n${table}<p class="quiet">${htmlText(slowdownNote)} These gates are the ones given to this history. The load tests themselves may have been judged by others: theirs are the limits in the charts.</p>`
}

function legend({ series }: History): string {
  const marks = [
    ['worse', 'change for the worse'],
    ['better', 'change for the better'],
    ['dot bad', 'gates failed'],
    ['dot accepted', 'accepted'],
    ['noise', 'noise: two deviations around the median of a level, as its runs show them'],
  ].map(([look, text]) => `<span><i class="${look}"></i>${text}</span>`)
  return series.length === 0 ? '' : `<p class="legend">${marks.join(' ')} <span>${chartNote}</span></p>`
}

const chartNote =
  'All charts begin at 0. A gap is a run that did not measure the figure. A dot leads to the digest of its run or, without one, to the run.'

function changesHtml(outcome: Outcome, history: History): string {
  if (history.runs.length === 0) return ''
  const table = changePointTable(outcome, history, mostChanges)
  const none = history.changePoints.length === 0 ? 'There is none. ' : ''
  const rule =
    'A change is a figure that moved to another level and stayed there, by more than noise explains. The latest run cannot have one yet.'
  return section(table.title, tableHtml(table), none + rule)
}

function kindHtml(charts: HistoryCharts, history: History, kind: TimerKind): string {
  const all = history.series
    .filter((series) => series.kind === kind && series.name !== undefined)
    .map((series) => ({ series, changes: changesOf(history, series) }))
  const [first] = all
  if (!first) return ''
  const newest = ({ changes }: Charted) => changes.at(-1)?.run ?? -1
  const value = ({ series }: Charted) => latestOf(series.values) ?? -1
  all.sort((a, b) => newest(b) - newest(a) || value(b) - value(a))
  const changed = all.filter(({ changes }) => changes.length > 0).length
  const of = changed > 0 ? [`${plainNumber(changed)} changed`] : []
  const title = counted(`${kindTitles[kind]}, ${metricTitle(first.series.metric)}`, all.length, ...of)
  const rows = all.slice(0, mostTimers).map((one) => timerHtml(charts, one))
  const note = cutNote(mostTimers, all.length, kindNames[kind])
  return `<details open><summary>${htmlText(title)}</summary>\n<ul class="timers">\n${rows.join('\n')}\n</ul>${note}</details>`
}

/** A line of the list. @returns the name, the chart, the latest figure, and the latest changes */
function timerHtml(charts: HistoryCharts, charted: Charted): string {
  const { series, changes } = charted
  const found = changes
    .slice(-mostOfTimer)
    .reverse()
    .map((change) => `<span>${charts.changeHtml(change, series)}</span>`)
  return `<li class="timer"><span class="name code"><bdi>${htmlText(series.name ?? '')}</bdi></span>${charts.small(charted)}<span class="now">${htmlText(quantity(latestOf(series.values), unitOf(series.metric)))}</span><span class="changed">${found.join(' ')}</span></li>`
}

interface Charted {
  series: Series
  changes: readonly ChangePoint[]
}

/** More would cover the line. */
const mostLargeDots = 50

class HistoryCharts {
  private readonly ticks: { at: number; text: string }[]

  constructor(
    private readonly outcome: Outcome,
    private readonly runs: readonly HistoryRun[],
  ) {
    this.ticks = ticksOf(runs)
  }

  /** With a dot that leads to each run, and its changes below; in one line if it never changes. */
  large({ series, changes }: Charted): string {
    const { values, limits = [], metric } = series
    const unit = unitOf(metric)
    const limit = limits.findLast((one) => one !== null)
    const limitText =
      limit == null ? '' : `limit of the load tests’ own gate: ${htmlText(quantity(limit, unit))}`
    if (isSteady(series, changes)) {
      const more = limitText === '' ? '' : `; ${limitText}`
      return `<p class="card steady">${htmlText(figureTitle(series))}: <b>${htmlText(rangeText(series))}</b>${more}</p>`
    }
    const dots = values.flatMap((value, at) => {
      const run = this.runs[at]
      if (value === null || !run) return []
      const mark = run.acceptedBy !== undefined ? 'accepted' : run.verdict === 'failed' ? 'bad' : ''
      const look = mark === '' && values.length > mostLargeDots ? 'small' : mark
      const text = `${runText(run)}: ${quantity(value, unit)}${mark === '' ? '' : `, ${verdictText(run)}`}`
      return [{ at, value, look, text, href: runPage(run) }]
    })
    const legend = limitText === '' ? '' : `<span><i class="limit"></i>${limitText}</span>`
    const found = changes.map((change) => `<li>${this.changeHtml(change, series)}</li>`)
    return `<figure class="card"><figcaption>${htmlText(figureTitle(series))}<b>${htmlText(quantity(latestOf(values), unit))}</b><span class="legend"><span>latest run</span>${legend}</span></figcaption>
${this.svg({ series, changes }, 'plot', dots)}${found.length === 0 ? '' : `<ol class="found">${found.join('')}</ol>`}</figure>`
  }

  /** Without dots, for a line of a list. */
  small(charted: Charted): string {
    const { series, changes } = charted
    return isSteady(series, changes)
      ? `<span class="quiet">${htmlText(rangeText(series))}</span>`
      : this.svg(charted, 'spark', [])
  }

  /** `+25% (523 ms → 654 ms) from 28 September, e457786 on, commits a1b2c3d..e457786` */
  changeHtml(change: ChangePoint, series: Series): string {
    const { before, after, metric } = change
    const run = this.runs[change.run]
    const figures = fromTo({ baseline: before, value: after }, unitOf(metric))
    const { text, href } = rangeOf(this.outcome, this.runs, series, change)
    return `<span class="${changePointTone(change)}">${htmlText(changePointText(change))}</span> (${htmlText(figures)}) from ${linkHtml(dayAndCommit(change, this.runs), run && runPage(run))} on, ${href === undefined ? htmlText(text) : `commits ${linkHtml(text, href)}`}`
  }

  private describe(series: Series, changes: readonly ChangePoint[]): string {
    const latest = quantity(latestOf(series.values), unitOf(series.metric))
    const changed = changes.map(
      (change) => `, ${changePointText(change)} from ${dayAndCommit(change, this.runs)} on`,
    )
    return `${series.name ?? figureTitle(series)}: ${rangeText(series)}${changed.join('')}; latest ${latest}`
  }

  private svg(
    { series, changes }: Charted,
    size: 'plot' | 'spark',
    dots: Parameters<typeof lineChart>[0]['dots'],
  ): string {
    const { values, limits = [], metric } = series
    const points = (all: readonly (number | null)[]) => all.map((value, at) => [at, value] as const)
    return lineChart({
      ...{ size, dots, ticks: this.ticks, text: this.describe(series, changes), unit: unitOf(metric) },
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

function latestOf(values: readonly (number | null)[]): number | undefined {
  return values.at(-1) ?? undefined
}

/** The days of some runs; if all are of one day, their times. */
function ticksOf(runs: readonly HistoryRun[]): { at: number; text: string }[] {
  const last = runs.length - 1
  const [first = 0, latest = 0] = [runs[0], runs[last]].map((run) => Date.parse(run?.startTime ?? ''))
  const days = (latest - first) / 86_400_000
  const format: Intl.DateTimeFormatOptions | undefined =
    days < 1
      ? { hour: '2-digit', minute: '2-digit' }
      : days > 300
        ? { month: 'short', year: 'numeric' }
        : undefined
  const steps = Math.max(1, Math.min(days > 300 ? 2 : 3, last))
  return Array.from({ length: steps + 1 }, (_, step) => {
    const at = Math.round((step * last) / steps)
    return { at, text: dateText(runs[at]?.startTime, format) ?? `run ${at + 1}` }
  })
}

/** Of a level with fewer runs, noise is not shown. */
const fewestOfLevel = 4

/** The usual noise of each level: two deviations around its median, as its own runs show them. */
function bandsOf(values: readonly (number | null)[], changes: readonly ChangePoint[]) {
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
  const [low, high] = knownIn(series)
  return changes.length === 0 && high - low <= high * 0.01
}

/** The lowest and the highest figure, and the number of runs that measured it. */
function knownIn({ values }: Series): [low: number, high: number, count: number] {
  const known = values.filter((value) => value !== null)
  return [
    known.reduce((a, b) => Math.min(a, b), Infinity),
    known.reduce((a, b) => Math.max(a, b), -Infinity),
    known.length,
  ]
}

/** `600 ms in 3 of 4 runs`, `between 523 ms and 654 ms in all 40 runs` */
function rangeText(series: Series): string {
  const [low, high, count] = knownIn(series)
  const [from, to] = [low, high].map((value) => quantity(value, unitOf(series.metric), high))
  const all = series.values.length
  const where =
    count === all && all > 1 ? `in all ${plural(all, 'run')}` : `in ${count} of ${plural(all, 'run')}`
  return `${from === to ? from : `between ${from} and ${to}`} ${where}`
}

function changesOf({ changePoints }: History, series: Series): ChangePoint[] {
  return changePoints.filter((change) => isOf(change, series))
}

/** `2026-03-01 14:35 UTC, abc1234` */
function runText({ startTime, commit }: HistoryRun): string {
  return `${startTime === undefined ? '' : `${timeText(startTime)}, `}${shortHash(commit)}`
}

/** Where a reader learns more about a run: its digest, or else its workflow run. */
function runPage({ digest, url }: HistoryRun): string {
  return digest ?? url
}

/** Gates; more make a page slow on a phone. */
const mostGates = 100

/** What a cell shows beside its colour. */
const marks: Record<GateOutcome, string> = {
  failed: '✕',
  warned: '!',
  'not-measured': '?',
  'not-compared': '–',
  'left-out': '–',
  passed: '✓',
}

/** Gates down, runs across, the newest first, as a table in a box that scrolls by itself; nothing without gates. */
function heatMap({ gates, verdicts }: Trial, runs: readonly HistoryRun[]): string {
  if (gates.length === 0 || runs.length === 0) return ''
  const head = runs.map((run, at) => `<th scope="col">${runHead(run, at)}</th>`).reverse()
  const together = verdicts.map((verdict): TrialResult => ({
    result: verdict === 'invalid' ? 'not-measured' : verdict,
  }))
  const rows = gates.slice(0, mostGates).map((gate) => rowHtml(gateHtml(gate), gate.results, runs))
  const note = cutNote(mostGates, gates.length, 'gate')
  return `<div class="box heat" role="region" aria-label="Gates and runs" tabindex="0"><table><caption>Gates and runs, the newest first</caption>
<thead><tr><th scope="col">Gate</th>${head.join('')}</tr></thead>
<tbody>
${[rowHtml('All gates', together, runs), ...rows].join('\n')}
</tbody></table></div>
<p class="legend">${heatLegend.join(' ')}</p>${note}`
}

const heatLegend = (['passed', 'failed', 'warned', 'not-measured', 'not-compared'] as const).map((result) => {
  const { word, tone } = gateWords[result]
  return `<span><b class="mark ${tone}">${marks[result]}</b> ${word}</span>`
})

function runHead(run: HistoryRun, at: number): string {
  const text = htmlText(dateText(run.startTime) ?? String(at + 1), 30)
  return anchorHtml(`<span title="${htmlText(runText(run), 200)}">${text}</span>`, runPage(run))
}

function gateHtml({ gate, name }: TriedGate): string {
  const detail = name === undefined ? '' : `<span class="detail"><bdi>${htmlText(name, 100)}</bdi></span>`
  return `${nameHtml(gate, true)}${detail}`
}

function rowHtml(head: string, results: readonly TrialResult[], runs: readonly HistoryRun[]): string {
  const cells = runs.map((run, at) => cellHtml(results[at], run))
  return `<tr><th scope="row">${head}</th>${cells.reverse().join('')}</tr>`
}

function cellHtml(one: TrialResult | undefined, run: HistoryRun): string {
  if (!one) return '<td></td>'
  const { word, tone } = gateWords[one.result]
  const reason = one.reason === undefined ? '' : `. ${one.reason}`
  return `<td class="${tone}" aria-label="${word}" title="${htmlText(`${runText(run)}: ${word}${reason}`, 400)}">${marks[one.result]}</td>`
}
