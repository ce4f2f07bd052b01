import { differenceOf } from '../../figures/numbers.js'
import { placeKey } from '../../figures/figures.js'
import { whatBecameOf } from '../../gates/result.js'
import { metricRule, unitOf } from '../../figures/metrics.js'
import type { ChangePoint, Series, Watched } from '../../comparison/change-points.js'
import type { History, HistoryRun, Outcome } from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import { dateText, repositoryPage, shortHash } from './facts.js'
import { fromTo, metricTitle, signed, signedPercent, withFirstLetter } from './figure-text.js'
import { groupsBy } from '../../text/fields.js'
import { plural } from '../../text/plural.js'
import type { Link } from './table.js'
import { changePointTone } from './verdict-words.js'
import { kindNames, kindTitles } from './timer-rows.js'

/** With fewer runs, no figure can be seen to have changed. */
export const fewestForChange = 5

/** Groups of changes that the page begins with, beside that of the headline. */
const mostGroups = 3

/** `Slower since 28 September, e457786: transactions p95 +33% and 17 more figures`, or that nothing changed. */
export function historyHeadline(history: History): string {
  const { branch, runs } = history
  const of = oneLine(branch, 60)
  if (runs.length === 0) return `There is no history of ${of} yet`
  const [latest] = standingChanges(history)
  if (latest) return changesText(history, latest)
  return runs.length < fewestForChange
    ? `${plural(runs.length, 'run')} of ${of}, changes show from ${fewestForChange} on`
    : `Nothing changed in ${plural(runs.length, 'run')} of ${of}`
}

/**
 * The last change of each figure that was not taken back by half, those of one run together: first what got worse, key
 * figures before single timers, the latest before earlier ones.
 */
function standingChanges({ changePoints }: History): ChangePoint[][] {
  const last = new Map<string, ChangePoint>()
  for (const change of changePoints) {
    const key = placeKey(change) + change.metric
    const earlier = last.get(key)
    const takesBack = earlier !== undefined && changePointTone(earlier) !== changePointTone(change)
    if (!takesBack || sizeOf(change) > sizeOf(earlier) / 2) last.set(key, change)
  }
  const rank = (change: ChangePoint) =>
    (changePointTone(change) === 'bad' ? 0 : 2) + (change.name === undefined ? 0 : 1)
  const groups = groupsBy([...last.values()], (change) => `${change.run} ${direction(change)}`)
  return [...groups.values()]
    .map((group) => group.sort((a, b) => rank(a) - rank(b) || sizeOf(b) - sizeOf(a)))
    .sort(([a], [b]) => (a && b ? rank(a) - rank(b) || b.run - a.run : 0))
}

/** What got worse, and was not taken back, as the headline names it. */
export function whatGotWorse(history: History): ChangePoint | undefined {
  const first = standingChanges(history).map(([change]) => change)
  return first.find((change) => change && changePointTone(change) === 'bad')
}

/** Changes of one run and direction, of which the first is named. */
function changesText({ runs }: History, [first, ...more]: readonly ChangePoint[]): string {
  if (!first) return ''
  const others = more.length === 0 ? '' : ` and ${plural(more.length, 'more figure')}`
  return `${direction(first)} since ${dayAndCommit(first, runs)}: ${changeText(first)}${others}`
}

/** `requests p95 +25%`, `request "Search" error rate 0.1% → 2.3%` */
function changeText(change: ChangePoint): string {
  const { name, kind, metric, before, after } = change
  const what =
    name === undefined
      ? withFirstLetter(kindTitles[kind], 'lower')
      : `${kindNames[kind]} "${oneLine(name, 40)}"`
  const unit = unitOf(metric)
  // An error rate that was almost 0 rises by thousands of percent.
  const how = unit === '%' ? fromTo({ baseline: before, value: after }, unit) : changePointText(change)
  return `${what} ${metricTitle(metric)} ${how}`
}

function direction(change: ChangePoint): string {
  const isBad = changePointTone(change) === 'bad'
  if (metricRule(change.metric)?.about === 'errors') return isBad ? 'More errors' : 'Fewer errors'
  return isBad ? 'Slower' : 'Faster'
}

/** How large a change is, whatever its direction. */
export function sizeOf({ before, after }: ChangePoint): number {
  return Math.abs(Math.log((after || 1e-9) / (before || 1e-9)))
}

/** `28 September, e457786`: the run of a change, with the year if the latest run is of another one. */
export function dayAndCommit({ run: at }: ChangePoint, runs: readonly HistoryRun[]): string {
  const run = runs[at]
  const years = [run, runs.at(-1)].map((one) => dateText(one?.startTime, { year: 'numeric' }))
  const year = years[0] === years[1] ? {} : { year: 'numeric' as const }
  const day = dateText(run?.startTime, { day: 'numeric', month: 'long', ...year })
  return [day, run && oneLine(shortHash(run.commit), 20)].filter((part) => part !== undefined).join(', ')
}

/** The commits between which a figure changed, from the last run before that measured it: `abc1234..e457786`. */
export function rangeOf(
  { step }: Outcome,
  runs: readonly HistoryRun[],
  series: Series | undefined,
  change: ChangePoint,
): Link & { isOneCommit: boolean } {
  const before = runs.slice(0, change.run).findLast((_, at) => series?.values[at] !== null)
  const [good = '', bad = ''] = [before?.commit, runs[change.run]?.commit]
  if (good === bad) return { text: 'the run before measured the same commit', isOneCommit: true }
  const [from, to] = [good, bad].map((commit) => oneLine(shortHash(commit), 20))
  return { text: `${from}..${to}`, href: repositoryPage(step, 'compare', good, bad), isOneCommit: false }
}

/** How many runs, from when to when, and what else changed. */
export function historyMeaning(history: History): string {
  const { branch, runs, trial } = history
  if (runs.length === 0) {
    return `No run of this workflow on ${oneLine(branch, 100)} has an outcome with figures. The next one that reads a report will appear here.`
  }
  const year = { day: 'numeric', month: 'long', year: 'numeric' } as const
  const days = new Set(runs.flatMap(({ startTime }) => dateText(startTime, year) ?? []))
  const ends = [...days].filter((_, at) => at === 0 || at === days.size - 1)
  const count = `${plural(runs.length, 'run')} of ${oneLine(branch, 100)}`
  const span = [count, ...(ends.length === 0 ? [] : [ends.join(' to ')])].join(', ')
  const [newest = [], ...rest] = standingChanges(history)
  const stayed = newest.length === 0 ? '' : ' It has stayed so, and is more than noise.'
  const others = rest.slice(0, mostGroups).map((changes) => ` ${changesText(history, changes)}.`)
  return `${span}.${stayed}${others.join('')}${trial ? ` With the gates below, ${whatBecameOf(trial.verdicts)}.` : ''}`
}

export function keySeries({ series }: History): Series[] {
  return series.filter(({ name }) => name === undefined)
}

/** `Requests p95`, of all timers of a kind. */
export function figureTitle({ kind, metric }: Watched): string {
  return `${kindTitles[kind]} ${metricTitle(metric)}`
}

/** `+23%`; if the figure was 0 before, the difference itself. */
export function changePointText({ metric, before, after }: ChangePoint): string {
  const { difference, relativeDifference } = differenceOf(after, before)
  if (relativeDifference !== undefined) return signedPercent(relativeDifference)
  return signed(difference, unitOf(metric))
}

export function isOf(change: Watched, series: Watched): boolean {
  return change.kind === series.kind && change.name === series.name && change.metric === series.metric
}
