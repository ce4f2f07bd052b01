import type { ComparedFigure } from '../gates/comparison.js'
import { unitOf } from '../gates/figures.js'
import type { Outcome } from '../outcome.js'
import type { TimerKind } from '../report/report.js'
import { differenceCell } from './figure-tables.js'
import { fromTo, metricTitle, wholeRunText } from './figure-text.js'
import { plural } from '../text/plural.js'
import type { Table } from './table.js'
import { kindNames, kindsInOrder, mainMetric, timerRows } from './timer-rows.js'

/** A timer that differs from its baseline by more than noise. */
interface Change {
  kind: TimerKind
  name: string
  metric: string
  figure: ComparedFigure
}

const most = 5

/** An error rate that rose by fewer percentage points is left to the table of errors. */
const leastErrorPoints = 1

/** The biggest changes, at most five: error rates that rose, then what became slower, then what became faster. */
export function changeTable(outcome: Outcome): Table {
  const all = kindsInOrder.flatMap((kind) => changesOf(outcome, kind))
  const shown = groups.flatMap(({ holds }) => all.filter(holds).sort(byDistance)).slice(0, most)
  return {
    title: 'Biggest changes',
    columns: [{ title: 'Name' }, { title: 'Change (baseline → this run)', numeric: true }],
    rows: shown.map(({ kind, name, metric, figure }) => [
      { text: name, code: true, detail: `${kindNames[kind]} ${metricTitle(metric)}` },
      {
        ...differenceCell(figure, unitOf(metric)),
        detail: fromTo(figure, unitOf(metric)),
      },
    ]),
  }
}

/** How much changed, such as `Slower: 19 of 19 requests, 1 of 5 transactions.` Empty without a baseline. */
export function changeText(outcome: Outcome): string {
  if (!outcome.comparison) return ''
  const kinds = kindsInOrder.map((kind) => ({
    kind,
    changes: changesOf(outcome, kind),
    count: timerRows(outcome, kind).filter(({ presence }) => presence === 'both').length,
  }))
  const sentences = groups.flatMap(({ title, holds }) => {
    const counts = kinds.flatMap(({ kind, changes, count }) => {
      const changed = changes.filter(holds).length
      return changed === 0 ? [] : [`${changed} of ${plural(count, kindNames[kind])}`]
    })
    return counts.length === 0 ? [] : [`${title}: ${counts.join(', ')}.`]
  })
  const all = sentences.length > 0 ? sentences : ['Nothing changed by more than noise.']
  return [...all, wholeRunText(outcome.comparison.noise)].filter((sentence) => sentence !== '').join(' ')
}

const groups: { title: string; holds: (change: Change) => boolean }[] = [
  { title: 'More errors', holds: ({ metric }) => metric === 'error-rate' },
  { title: 'Slower', holds: ({ metric, figure }) => metric !== 'error-rate' && figure.change === 'worse' },
  { title: 'Faster', holds: ({ metric, figure }) => metric !== 'error-rate' && figure.change === 'better' },
]

function changesOf(outcome: Outcome, kind: TimerKind): Change[] {
  const rows = timerRows(outcome, kind)
  const main = mainMetric(rows)
  return rows.flatMap((row) => {
    const change = (metric: string): Change => ({
      kind,
      name: row.name ?? '',
      metric,
      figure: row.figure(metric),
    })
    const [errors, time] = [change('error-rate'), change(main)]
    return [
      ...(errors.figure.change === 'worse' && (errors.figure.difference ?? 0) >= leastErrorPoints
        ? [errors]
        : []),
      ...(time.figure.change === 'worse' || time.figure.change === 'better' ? [time] : []),
    ]
  })
}

function byDistance(a: Change, b: Change): number {
  const distance = ({ figure }: Change) => Math.abs(figure.relativeDifference ?? Number.MAX_VALUE)
  return distance(b) - distance(a)
}
