import { unitOf } from '../../figures/metrics.js'
import { quantity } from '../../figures/numbers.js'
import type { GateOutcome } from '../../gates/result.js'
import type { ChangePoint } from '../../comparison/change-points.js'
import { verdicts, type History, type HistoryRun, type Outcome } from '../../outcome/outcome.js'
import type { Trial, TriedGate } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { plural } from '../../text/plural.js'
import { linkOfCommit, linkTo, timeText } from '../words/facts.js'
import { columnsOf, type Cell, type Table, type Tone } from '../words/table.js'
import { fromTo } from '../words/figure-text.js'
import { kindNames } from '../words/timer-rows.js'
import { verdictWords, changePointTone } from '../words/verdict-words.js'
import {
  changePointText,
  dayAndCommit,
  figureTitle,
  isOf,
  keySeries,
  rangeOf,
  sizeOf,
} from '../words/history-words.js'

/** `failed`, `accepted by alice` */
export function verdictText({ verdict, acceptedBy }: HistoryRun): string {
  if (acceptedBy !== undefined) return `accepted by ${oneLine(acceptedBy, 60)}`
  const known = verdicts.find((one) => one === verdict)
  return known === undefined ? oneLine(verdict, 40) : verdictWords[known].word.toLowerCase()
}

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
  return {
    title: rows.length < all.length ? `The latest ${rows.length} of ${all.length} runs` : 'Runs',
    columns: columnsOf(['Run, commit', 'Verdict'], keys.map(figureTitle)),
    rows,
  }
}

/** The worst changes: those of the latest run first, of one run those for the worse, larger ones before smaller ones. */
export function changePointTable(outcome: Outcome, history: History, most: number): Table {
  const { runs, series, changePoints } = history
  const isWorse = (change: ChangePoint) => Number(changePointTone(change) === 'bad')
  const byHarm = changePoints.toSorted((a, b) => isWorse(b) - isWorse(a) || sizeOf(b) - sizeOf(a))
  const shown = byHarm.slice(0, most).sort((a, b) => b.run - a.run)
  return {
    title: most < changePoints.length ? `The worst ${most} of ${changePoints.length} changes` : 'Changes',
    // A phone shows no third column.
    columns: columnsOf(['Figure, and since which run (commits)'], ['Change (before → after)']),
    rows: shown.map((change) => {
      const { run, before, after, metric } = change
      const figure = series.find((one) => isOf(change, one))
      const range = rangeOf(outcome, runs, figure, change)
      const first = { text: dayAndCommit(change, runs), href: runs[run]?.url }
      return [
        { ...figureCell(change), links: [first, range] },
        {
          text: changePointText(change),
          tone: changePointTone(change),
          below: fromTo({ baseline: before, value: after }, unitOf(metric)),
        },
      ]
    }),
  }
}

function figureCell(change: ChangePoint): Cell {
  if (change.name === undefined) return { text: figureTitle(change) }
  return { text: change.name, code: true, detail: `${kindNames[change.kind]} ${change.metric}` }
}

function runCell({ step }: Outcome, run: HistoryRun): Cell {
  const { commit, digest, startTime, url } = run
  const toRun = { text: startTime === undefined ? 'run' : timeText(startTime), href: url }
  return { text: '', links: [toRun, linkOfCommit(step, commit), ...linkTo('Digest', digest)] }
}

function verdictCell(run: HistoryRun): Cell {
  const known = verdicts.find((one) => one === run.verdict)
  return { text: verdictText(run), ...defined({ tone: known && verdictWords[known].tone }) }
}

export const slowdownNote =
  'Finds +10%: how many of the runs that the gate passed would have failed with all response times 10% higher. Runs with no earlier run to compare with are not counted.'

/** A row for each gate: how often it would have failed, and how often it finds a slowdown. */
export function trialTable({ gates, verdicts }: Trial): Table {
  const percents = gates.flatMap(({ slowdowns = [] }) => slowdowns.map(({ percent }) => percent))
  const steps = [...new Set(percents)]
  return {
    title: `Gates, tried on ${plural(verdicts.length, 'run')}`,
    columns: columnsOf(
      ['Gate'],
      ['Would have failed', 'Not measured', ...steps.map((percent) => `Finds +${percent}%`)],
    ),
    rows: gates.map((gate) => {
      const open = gate.results.filter(({ result }) => result === 'not-measured')
      // A column of figures has no room for why.
      const detail = [gate.name, open.at(-1)?.reason].filter(Boolean).join(' · ')
      return [
        { text: gate.gate, code: 'gate', ...(detail === '' ? {} : { detail }) },
        failedCell(gate),
        { text: String(open.length), ...(open.length > 0 ? { tone: 'caution' } : {}) },
        ...steps.map((percent) => {
          const { found = 0, runs = 0 } = gate.slowdowns?.find((one) => one.percent === percent) ?? {}
          return share(found, runs)
        }),
      ]
    }),
  }
}

/** Only runs that the gate could judge count. */
function failedCell({ results }: TriedGate): Cell {
  const count = (wanted: GateOutcome) => results.filter(({ result }) => result === wanted).length
  const [failed, warned, passed] = [count('failed'), count('warned'), count('passed')]
  const tone: Tone | undefined = failed > 0 ? 'bad' : warned > 0 ? 'caution' : undefined
  return { ...share(failed + warned, failed + warned + passed), ...defined({ tone }) }
}

function share(part: number, all: number): Cell {
  return { text: all === 0 ? '–' : `${part} of ${all}` }
}
