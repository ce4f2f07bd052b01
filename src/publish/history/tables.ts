import { unitOf } from '../../figures/metrics.js'
import type { History, HistoryRun } from '../../outcome/history.js'
import type { ChangePoint } from '../../gates/change-points.js'
import { verdicts, type Outcome } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { groupsBy } from '../../text/groups.js'
import { commitUrl, shortHash, timeText } from '../words/facts.js'
import { fromTo } from '../words/figure-text.js'
import { quantity } from '../../figures/quantity.js'
import { plural } from '../../text/plural.js'
import { figureTitle, keySeries, changePointText, changePointTone } from './words.js'
import type { Cell, Table } from '../words/table.js'
import { kindNames } from '../words/timer-rows.js'
import { verdictWords } from '../words/verdict-words.js'

/** The number of timers of one run that are named. */
const mostNamed = 5

/** `2026-03-01 14:35 UTC, abc1234` */
export function runText({ startTime, commit }: HistoryRun): string {
  return `${startTime === undefined ? '' : `${timeText(startTime)}, `}${shortHash(commit)}`
}

/** `failed`, `accepted by alice` */
export function verdictText({ verdict, acceptedBy }: HistoryRun): string {
  if (acceptedBy !== undefined) return `accepted by ${oneLine(acceptedBy, 60)}`
  const known = verdicts.find((one) => one === verdict)
  return known === undefined ? oneLine(verdict, 40) : verdictWords[known].word.toLowerCase()
}

/** The latest runs with their key figures, the latest first. */
export function runTable(
  outcome: Outcome,
  history: History,
  most = { runs: Infinity, figures: Infinity },
): Table {
  const keys = keySeries(history).slice(0, most.figures)
  const all = history.runs.map((run, at): Cell[] => [
    runCell(outcome, run),
    verdictCell(run),
    ...keys.map(({ values, metric }) => ({ text: quantity(values[at] ?? undefined, unitOf(metric)) })),
  ])
  const rows = all.reverse().slice(0, most.runs)
  const title = rows.length < all.length ? `The latest ${rows.length} of ${all.length} runs` : 'Runs'
  return {
    title,
    columns: [
      { title: 'Run, commit' },
      { title: 'Verdict' },
      ...keys.map((series) => ({ title: figureTitle(series), numeric: true })),
    ],
    rows,
  }
}

/**
 * The changes, those of the latest run first; of many timers of one run the largest. Of more changes than `most`, the worst.
 */
export function changePointTable(outcome: Outcome, history: History, most = Infinity): Table {
  const worst = new Set([...history.changePoints].sort(byHarm).slice(0, most))
  const shown = history.changePoints.filter((change) => worst.has(change))
  const isCut = shown.length < history.changePoints.length
  const rows = [...groupsBy(shown, ({ run }) => run)].reverse().flatMap(([at, changes]) => {
    const run = history.runs[at]
    return run ? changeRows(outcome, run, changes, isCut ? Infinity : mostNamed) : []
  })
  return {
    title: isCut ? `The worst ${shown.length} of ${history.changePoints.length} changes` : 'Changes',
    columns: [
      { title: 'Figure' },
      { title: 'Change (before → after)', numeric: true },
      { title: 'From this run on' },
    ],
    rows,
  }
}

function changeRows(
  outcome: Outcome,
  run: HistoryRun,
  changes: readonly ChangePoint[],
  most: number,
): Cell[][] {
  const timers = changes.filter(({ name }) => name !== undefined).sort((a, b) => sizeOf(b) - sizeOf(a))
  const shown = [...changes.filter(({ name }) => name === undefined), ...timers.slice(0, most)]
  const which = runCell(outcome, run)
  const more = timers.length - most
  return [
    ...shown.map((change) => [
      figureCell(change),
      {
        text: changePointText(change),
        tone: changePointTone(change),
        detail: fromTo({ baseline: change.before, value: change.after }, unitOf(change.metric)),
      },
      which,
    ]),
    ...(more > 0 ? [[{ text: `and ${plural(more, 'more timer')}` }, { text: '–' }, which]] : []),
  ]
}

/** How large a change is, whatever its direction. */
function sizeOf({ before, after }: ChangePoint): number {
  return Math.abs(Math.log((after || 1e-9) / (before || 1e-9)))
}

/** Sorts every change for the worse before those for the better, and larger ones first. */
function byHarm(a: ChangePoint, b: ChangePoint): number {
  const isWorse = (change: ChangePoint) => Number(changePointTone(change) === 'bad')
  return isWorse(b) - isWorse(a) || sizeOf(b) - sizeOf(a)
}

function figureCell(change: ChangePoint): Cell {
  if (change.name === undefined) return { text: figureTitle(change) }
  return { text: change.name, code: true, detail: `${kindNames[change.kind]} ${change.metric}` }
}

/** Links to the run and to its commit. */
function runCell({ step }: Outcome, { startTime, url, commit }: HistoryRun): Cell {
  const run = { text: startTime === undefined ? 'run' : timeText(startTime), href: url }
  return {
    text: '',
    links: [run, { text: shortHash(commit), ...defined({ href: commitUrl(step, commit) }) }],
  }
}

function verdictCell(run: HistoryRun): Cell {
  const known = verdicts.find((one) => one === run.verdict)
  const text = verdictText(run)
  return known === undefined ? { text } : { text, tone: verdictWords[known].tone }
}
