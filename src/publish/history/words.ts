import { differenceOf } from '../../figures/numbers.js'
import { metricRule, unitOf } from '../../figures/metrics.js'
import type { History } from '../../outcome/history.js'
import type { ChangePoint, Series, Watched } from '../../gates/change-points.js'
import type { HistoryOutcome } from '../../outcome/outcome.js'
import { oneLine } from '../../text/foreign-text.js'
import { timeText } from '../words/facts.js'
import { metricTitle, signed, signedPercent, withFirstLetter } from '../words/figure-text.js'
import { quantity } from '../../figures/quantity.js'
import { plural } from '../../text/plural.js'
import { cutShort, type StepWords } from '../words/step-words.js'
import type { Tone } from '../words/table.js'
import { trialSentence } from './trial.js'
import { kindTitles } from '../words/timer-rows.js'

/** About the runs of a branch, which has no verdict. */
export const historyWords: StepWords<HistoryOutcome> = {
  subject: '',
  finding: (outcome) =>
    outcome.history && outcome.verdict === 'passed'
      ? historyHeadline(outcome.history)
      : unwritten.finding(outcome),
  meaning: (outcome) =>
    outcome.history && outcome.verdict === 'passed'
      ? historyMeaning(outcome.history)
      : unwritten.meaning(outcome),
}

/** About a step that came to no history, or whose page could not be attached. */
export const unwritten = cutShort('before the history was written')

/** `History of main: 42 runs, 2 with a change` */
export function historyHeadline({ branch, runs, changePoints }: History): string {
  const of = oneLine(branch, 100)
  if (runs.length === 0) return `There is no history of ${of} yet`
  const changed = new Set(changePoints.map(({ run }) => run)).size
  return `History of ${of}: ${plural(runs.length, 'run')}, ${changed === 0 ? 'none' : changed} with a change`
}

/** How many figures of the latest run a sentence has. */
const mostFigures = 3

/** From when to when, and where the first key figures are. */
export function historyMeaning(history: History): string {
  const { branch, runs, trial } = history
  if (runs.length === 0) {
    return `No run of this workflow on ${oneLine(branch, 100)} has an outcome with figures. The next one that reads a report will appear here.`
  }
  const times = runs.flatMap(({ startTime }) => startTime ?? [])
  const [first, last] = [times[0], times.at(-1)]
  const span =
    first === undefined || last === undefined ? '' : `From ${timeText(first)} to ${timeText(last)}. `
  const latest = keySeries(history)
    .slice(0, mostFigures)
    .flatMap((series) => {
      const value = series.values.at(-1) ?? undefined
      if (value === undefined) return []
      return [`${withFirstLetter(figureTitle(series), 'lower')} ${quantity(value, unitOf(series.metric))}`]
    })
  const values = latest.length === 0 ? '' : `The latest run: ${latest.join(', ')}. `
  return `${span}${values}${trial ? trialSentence(trial) : ''}`.trim()
}

/** The figures of all timers of a kind. */
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

export function changePointTone({ metric, before, after }: ChangePoint): Tone {
  return after > before === (metricRule(metric)?.higherIsBetter ?? false) ? 'good' : 'bad'
}

export function isOf(change: Watched, series: Watched): boolean {
  return change.kind === series.kind && change.name === series.name && change.metric === series.metric
}
