import type { ComparedFigure } from '../../comparison/comparison.js'
import { placesJudged, type GateResult } from '../../gates/result.js'
import { withoutStatus, isTimerPlace } from '../../figures/figures.js'
import { metricRule, unitOf } from '../../figures/metrics.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { timerKinds, type TimerKind } from '../../report/report.js'
import { defined } from '../../text/fields.js'
import { differenceText, fromTo, metricTitle, partOf, wholeRunText, withFirstLetter } from './figure-text.js'
import { slowerInTitle, worstFailure } from './title.js'
import { gatesThat } from './verdict-words.js'
import { columnsOf, type Cell, type Table } from './table.js'
import { formatDuration } from '../../text/duration.js'
import { kindNames, kindsInOrder, mainMetric, summaryRow, timerRows, type TimerRow } from './timer-rows.js'

interface TimerChange {
  kind: TimerKind
  name: string
  metric: string
  figure: ComparedFigure
  /** How often the run measured it, where that is known. */
  count?: number
}

const most = 6

/** An error rate that rose by fewer percentage points is left to the table of errors. */
const leastErrorPoints = 1

/** What got worse, in at most six rows: first what the failed gates are about, by what it costs. */
export function worseTable(outcome: LoadTestOutcome): Table {
  const all = worst(outcome, Infinity)
  const shown = all.slice(0, most)
  const [first] = shown
  const what = ({ kind, metric }: TimerChange) => `${kindNames[kind]} ${metricTitle(metric)}`
  const isAlike = first !== undefined && shown.every((change) => what(change) === what(first))
  const isTime = shown.every(({ metric }) => unitOf(metric) === 'ms')
  const extent =
    all.length > shown.length
      ? `: the ${shown.length} costliest of ${plainNumber(all.length)}`
      : ', costliest first'
  const other = gatedPages(gatesThat(outcome.gates, 'failed')).size > 0 ? 'else ' : ''
  return {
    title: `What ${other}got ${isTime ? 'slower' : 'worse'}${extent}`,
    // A phone shows three columns if none is wider than a figure.
    columns: columnsOf(
      [`${isAlike ? withFirstLetter(what(first)) : 'Name'}, before → now`],
      ['Change', isTime ? 'Added in all' : 'Cost'],
    ),
    rows: shown.map((change) => {
      const { name, metric, figure } = change
      return [
        {
          ...{ text: name, code: true, below: fromTo(figure, unitOf(metric)) },
          ...defined({ detail: isAlike ? undefined : what(change) }),
        },
        { text: differenceText(figure, unitOf(metric)), tone: 'bad' },
        costCell(change),
      ]
    }),
  }
}

const minute = 60_000

/** What it is sorted by: how much is added, times how often. */
function costCell({ metric, figure, count }: TimerChange): Cell {
  const { difference = 0 } = figure
  if (count === undefined) return { text: '–' }
  const often = `${plainNumber(count)} ×`
  if (unitOf(metric) === 'ms') {
    const added = difference * count
    // Seconds beside minutes do not fit on a phone, and order nothing.
    const shown = added >= minute ? Math.round(added / minute) * minute : added
    return { text: formatDuration(shown), below: often }
  }
  if (metric !== 'error-rate') return { text: '–' }
  return {
    text: `${plainNumber(Math.round((difference * count) / 100))} more fail`,
    below: `of ${plainNumber(count)}`,
  }
}

/** Of the sentences below the table of what got slower. */
export const addedTimeTitle = 'Where the time goes'

/**
 * How much changed, such as `Slower: all 19 requests. Faster: 1 of 5 actions.`, without what the title of a failed run
 * says. Empty without a baseline.
 */
export function changeText(outcome: LoadTestOutcome): string {
  if (!outcome.comparison) return ''
  const kinds = rowsOfKinds(outcome)
  const isTitled = outcome.verdict === 'failed' && slowerInTitle(outcome) !== undefined
  const sentences = groups.flatMap((group) => {
    const { title, about } = group
    const isJudged = ({ failed }: KindRows) => failed.some((metric) => metricRule(metric)?.about === about)
    // Requests, actions and page loads often are the same pages: one kind stands for all.
    for (const one of [...kinds.filter(isJudged), ...kinds]) {
      const judged = one.failed.find((metric) => metricRule(metric)?.about === 'speed')
      const changed = changesOf(one, judged).filter((change) => isIn(group, change)).length
      const count = one.rows.filter(({ presence }) => presence === 'both').length
      const rates = about === 'errors' ? failedText(outcome, one.kind) : ''
      // A title about all of them needs no word on those that got faster.
      if (changed > 0 && isTitled && about === 'speed') return ['']
      if (changed > 0) return [`${title}: ${partOf(changed, count, kindNames[one.kind])}${rates}.`]
    }
    return []
  })
  const { noise, baseline, otherLoad } = outcome.comparison
  // A red one has its figure in the title, and how it compares with noise.
  const whole = outcome.verdict === 'failed' ? '' : wholeRunText(noise, baseline.runs)
  const all =
    sentences.length > 0 ? sentences : [otherLoad ? onlyLoad : noise?.isAssumed ? nothingLarge : nothing]
  return [...all, whole].filter((sentence) => sentence !== '').join(' ')
}

const nothing = 'No time changed by more than noise.'
const nothingLarge = 'No time changed by so much that so few earlier runs can tell it from chance.'
const onlyLoad = 'No time changed by more than noise, but the run differs from before, as the notes say.'

/** `; 2.63% of all failed, 0.38% before`, where all timers of a kind together got worse. */
function failedText(outcome: LoadTestOutcome, kind: TimerKind): string {
  const { value, baseline, change } = summaryRow(outcome, kind)?.figure('error-rate') ?? {}
  if (change !== 'worse' || value === undefined || baseline === undefined) return ''
  return `; ${quantity(value, '%')} of all failed, ${quantity(baseline, '%')} before`
}

/** The rows of `worseTable`. A page has one for its times and one for its errors; failed gates have their own table. */
export function worst(outcome: LoadTestOutcome, mostShown = most): TimerChange[] {
  const failed = gatesThat(outcome.gates, 'failed')
  const kinds = rowsOfKinds(outcome)
  const pages = gatedPages(failed)
  const all = [answers(kinds, failed), others(kinds)].flatMap(costliestOfEach)
  const own = all.filter(({ name, metric }) => {
    const page = pageOf(name, metric)
    return !pages.has(page) && pages.add(page)
  })
  return own.slice(0, mostShown)
}

/** What several gates are about shares the first rows. */
function costliestOfEach(parts: readonly TimerChange[][]): TimerChange[] {
  const ranked = parts.flatMap((part) => byCost(part).map((change, rank) => ({ change, rank })))
  return ranked.sort((a, b) => a.rank - b.rank).map(({ change }) => change)
}

/** Each timer that got slower, or is too slow for its gate, by what it costs. */
export function slowest(outcome: LoadTestOutcome): TimerChange[] {
  const all = [...judgedTimes(outcome), ...worst({ ...outcome, gates: [] }, Infinity)]
  const times = all.filter(({ metric }) => unitOf(metric) === 'ms')
  const first = new Map(times.map((change) => [`${change.kind} ${change.name}`, change]))
  return byCost([...first.values()])
}

/** The timers that failed gates name, by the times that the gates look at. */
function judgedTimes(outcome: LoadTestOutcome): TimerChange[] {
  const rows = new Map(
    timerKinds.map((kind) => [kind, new Map(timerRows(outcome, kind).map((row) => [row.name, row]))]),
  )
  return namedTimers(gatesThat(outcome.gates, 'failed')).flatMap(({ kind, name, metric }) => {
    const row = unitOf(metric) === 'ms' ? rows.get(kind)?.get(name) : undefined
    return row ? [changeOf(kind, row, metric)] : []
  })
}

/** What got slower by the highest cost: of what failed gates name, else of all; where nothing did, what else got worse. */
export function costliest(outcome: LoadTestOutcome): TimerChange | undefined {
  // What the title names, if that is a time of one timer.
  const titled = worstFailure(outcome)
  const ofTitle = titled ? judgedTimes({ ...outcome, gates: [titled] }) : []
  const judged = [...ofTitle, ...byCost(judgedTimes(outcome))].find(
    ({ figure }) => (figure.difference ?? 0) > 0,
  )
  if (judged) return judged
  const all = worst({ ...outcome, gates: [] })
  return all.find(({ metric }) => metricRule(metric)?.about === 'speed') ?? all[0]
}

function byCost(changes: readonly TimerChange[]): TimerChange[] {
  return changes.toSorted((a, b) => cost(b) - cost(a))
}

/** Those with a failed gate of their own. */
function gatedPages(failed: readonly GateResult[]): Set<string> {
  return new Set(namedTimers(failed).map(({ name, metric }) => pageOf(name, metric)))
}

function namedTimers(gates: readonly GateResult[]) {
  return gates.flatMap((gate) =>
    placesJudged(gate).flatMap((place) =>
      isTimerPlace(place) && place.name !== undefined
        ? [{ kind: place.kind, name: place.name, metric: gate.metric ?? '' }]
        : [],
    ),
  )
}

function pageOf(name: string, metric: string): string {
  return `${withoutStatus(name)} ${metricRule(metric)?.about === 'errors' ? 'errors' : ''}`
}

interface KindRows {
  kind: TimerKind
  rows: readonly TimerRow[]
  /** The metrics by which gates about these timers, or about all of them, failed. */
  failed: readonly string[]
}

function rowsOfKinds(outcome: LoadTestOutcome): KindRows[] {
  if (!outcome.comparison) return []
  const failed = gatesThat(outcome.gates, 'failed')
  return kindsInOrder.map((kind) => {
    const ofKind = failed.filter((gate) => placesJudged(gate)[0]?.kind === kind)
    return { kind, rows: timerRows(outcome, kind), failed: ofKind.flatMap(({ metric }) => metric ?? []) }
  })
}

/** For each failed gate about all timers of a kind, those of them that got worse. */
function answers(kinds: readonly KindRows[], failed: readonly GateResult[]): TimerChange[][] {
  return failed.flatMap(({ place, metric }) => {
    const isOfAll = place && isTimerPlace(place) && place.name === undefined
    const one = isOfAll && kinds.find(({ kind }) => kind === place.kind)
    return one && metric !== undefined ? [changesIn(one, metric).filter(isWorse)] : []
  })
}

/** Whatever else got worse: errors, then times, each of the first kind that has some. */
function others(kinds: readonly KindRows[]): TimerChange[][] {
  return groups
    .filter(({ change }) => change === 'worse')
    .map((group) => {
      const all = kinds.map((one) => changesOf(one).filter((change) => isIn(group, change)))
      return all.find((changes) => changes.length > 0) ?? []
    })
}

/** What users feel: how much is added, as often as it happens. */
function cost({ metric, figure, count = 1 }: TimerChange): number {
  const isOfEach = unitOf(metric) === 'ms' || metric === 'error-rate'
  return Math.abs(figure.difference ?? 0) * (isOfEach ? count : 1)
}

const isWorse = ({ figure }: TimerChange) => figure.change === 'worse'

const groups = [
  { title: 'More errors', about: 'errors', change: 'worse' },
  { title: 'Slower', about: 'speed', change: 'worse' },
  { title: 'Faster', about: 'speed', change: 'better' },
] as const

function isIn({ about, change }: (typeof groups)[number], { metric, figure }: TimerChange): boolean {
  if (figure.change !== change || (metric === 'error-rate') !== (about === 'errors')) return false
  return about === 'speed' || (figure.difference ?? 0) >= leastErrorPoints
}

/** The error rates that rose, and the changes of the figure that represents the timers, or of another one. */
function changesOf(one: KindRows, metric: string = mainMetric(one.rows)): TimerChange[] {
  return [...changesIn(one, 'error-rate'), ...changesIn(one, metric)]
}

function changesIn({ kind, rows }: KindRows, metric: string): TimerChange[] {
  const changed = rows.filter(({ changes }) => changes[metric] !== undefined)
  return changed.map((row) => changeOf(kind, row, metric))
}

function changeOf(kind: TimerKind, row: TimerRow, metric: string): TimerChange {
  return {
    ...{ kind, name: row.name ?? '', metric, figure: row.figure(metric) },
    ...defined({ count: row.value('count') }),
  }
}
