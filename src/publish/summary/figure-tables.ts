import { compareFigure, type ComparedFigure, type Comparison } from '../../comparison/comparison.js'
import { unitOf, type Metric, type Unit } from '../../figures/metrics.js'
import { isGreen, worstFirst, type Leg, type LoadTestOutcome, type Outcome } from '../../outcome/outcome.js'
import { defined } from '../../text/fields.js'
import type { TimerKind } from '../../report/report.js'
import type { CountedFigure } from '../words/figure-text.js'
import {
  counted,
  differenceText,
  fromTo,
  metricTitle,
  pairText,
  withFirstLetter,
  signedPercent,
} from '../words/figure-text.js'
import { plainNumber, quantity } from '../../figures/numbers.js'
import { columnsOf, rowsOf, type Cell, type Table, type Link } from '../words/table.js'
import type { TimerRow } from '../words/timer-rows.js'
import { busiestCpu, kindTitles, mainMetric, summaryRow, timerRows } from '../words/timer-rows.js'
import { linkTo, toWorkflowRun } from '../words/facts.js'
import { costliest, worseTable } from '../words/changes.js'
import { openGateTables } from './gate-tables.js'
import { legHeadline, legWord } from '../words/words.js'
import { verdictWords } from '../words/verdict-words.js'

/** The key figures that the run has: times, error rates, throughput and counts of the kinds' summaries, CPU. */
export function keyFigures(outcome: LoadTestOutcome): (CountedFigure & { title: string; unit: Unit })[] {
  const wanted: [TimerKind, (Metric | 'main')[]][] = [
    ['requests', ['main', 'median', 'error-rate', 'throughput', 'count']],
    ['pageLoads', ['main']],
    ['actions', ['main', 'apdex']],
    ['transactions', ['main', 'error-rate', 'count']],
  ]
  const figures = wanted.flatMap(([kind, metrics]) => {
    const row = summaryRow(outcome, kind)
    if (!row) return []
    return metrics.flatMap((wish) => {
      const metric = wish === 'main' ? mainMetric([row]) : wish
      const figure = row.figure(metric)
      if (figure.value === undefined) return []
      const { value: now, baseline: before } = row.figure('count')
      const counts =
        metric === 'error-rate' && now !== undefined ? { now, ...defined({ before }) } : undefined
      return [
        {
          ...{ ...figure, title: `${kindTitles[kind]} ${metricTitle(metric)}`, unit: unitOf(metric) },
          ...defined({ counts }),
        },
      ]
    })
  })
  const cpu = busiestCpu(outcome)
  if (cpu === undefined) return figures
  const compared = compareFigure(cpu, outcome.comparison?.cpu)
  return [...figures, { ...compared, title: 'Busiest load generator CPU', unit: '%' }]
}

export function keyFigureTable(outcome: LoadTestOutcome): Table {
  const figures = keyFigures(outcome)
  const { comparison } = outcome
  return {
    title: 'Key figures',
    columns: columnsOf(['Figure'], [valueTitle(comparison, '')]),
    rows: figures.map((figure) => [{ text: figure.title }, ...valueCells(figure, figure.unit, comparison)]),
  }
}

/** Every timer of a kind, with its baseline where there is one. */
export function timerTable(outcome: LoadTestOutcome, kind: TimerKind): Table {
  const rows = timerRows(outcome, kind)
  const metric = mainMetric(rows)
  const apdex = kind === 'actions' && rows.some((row) => row.figure('apdex').value !== undefined)
  return {
    title: counted(kindTitles[kind], rows.length, ...changeCounts(rows, metric)),
    columns: columnsOf(
      ['Name'],
      [
        ...[valueTitle(outcome.comparison, metricTitle(metric)), 'Count (errors)', 'Mean', 'Median (max)'],
        ...(apdex ? ['Apdex'] : []),
      ],
    ),
    rows: rowsOf(rows, (row) => [
      nameCell(row.name ?? 'all', presences[row.presence]),
      ...valueCells(row.figure(metric), unitOf(metric), outcome.comparison),
      { text: quantity(row.figure('count').value, 'number'), ...defined({ detail: errorText(row) }) },
      { text: quantity(row.figure('mean').value, 'ms') },
      pairCell(row.figure('median').value, row.figure('max').value, 'ms'),
      ...(apdex ? [{ text: quantity(row.figure('apdex').value, 'number') }] : []),
    ]),
  }
}

/** The difference, with `better` or `worse` only where it is more than noise. A count may only be so for its duration. */
export function differenceCell(figure: CountedFigure, unit: Unit): Cell {
  const text = differenceText(figure, unit)
  if (figure.difference === 0) return { text }
  if (figure.change === 'worse') return { text: `${text} worse`.trim(), tone: 'bad' }
  if (figure.change === 'better') return { text: `${text} better`.trim(), tone: 'good' }
  return { text }
}

/** `19 slower, 1 faster, 2 new`, of some timers. */
function changeCounts(rows: readonly TimerRow[], metric: string): string[] {
  const count = (change: ComparedFigure['change'], presence?: TimerRow['presence']) =>
    rows.filter((row) => (presence ? row.presence === presence : row.figure(metric).change === change)).length
  const counts: [number, string][] = [
    [count('worse'), 'slower'],
    [count('better'), 'faster'],
    [count(undefined, 'added'), 'new'],
    [count(undefined, 'removed'), 'gone'],
  ]
  return counts.flatMap(([number, word]) => (number === 0 ? [] : [`${plainNumber(number)} ${word}`]))
}

function valueTitle(comparison: Comparison | undefined, metric: string): string {
  if (!comparison) return metric === '' ? 'Now' : metric
  const labelled = (words: string, label?: string) => (label === undefined ? words : `${words} ${label}`)
  const both = `before → ${labelled('now', comparison.label)}`
  const all = labelled(both, comparison.baseline.label && `(before: ${comparison.baseline.label})`)
  return metric === '' ? withFirstLetter(all) : `${metric} ${all}`
}

// Both values and the change are in one column beside the name: a phone shows only these.
function valueCells(figure: CountedFigure, unit: Unit, comparison: Comparison | undefined): Cell[] {
  if (!comparison || (figure.baseline === undefined && figure.value !== undefined))
    return [{ text: pairText(figure, unit).now }]
  const { text, tone } = differenceCell(figure, unit)
  return [{ text: fromTo(figure, unit), below: text, ...defined({ tone }) }]
}

export function nameCell(text: string, detail?: string | false): Cell {
  return detail ? { text, code: true, detail } : { text, code: true }
}

const presences = { added: 'new', removed: 'gone', both: false } as const

/** A figure and, in parentheses, another one that belongs to it, such as a mean and its maximum. */
export function pairCell(figure: number | undefined, other: number | undefined, unit: Unit): Cell {
  const detail = other === undefined ? undefined : quantity(other, unit)
  return { text: quantity(figure, unit), ...defined({ detail }) }
}

/** `49, 1.2%` */
function errorText(row: TimerRow): string | undefined {
  const errors = row.figure('errors').value
  const rate = row.figure('error-rate').value
  if (errors === undefined) return undefined
  return errors === 0 || rate === undefined
    ? plainNumber(errors)
    : `${plainNumber(errors)}, ${quantity(rate, '%')}`
}

/** A row for each leg, the worst first, in as few columns as a phone shows. */
export function legTable(outcome: Outcome, legs: readonly Leg[]): Table {
  return {
    title: 'Load tests',
    columns: columnsOf(['Load test', 'Key figure, costliest change']),
    rows: worstFirst(legs).map((leg) => {
      const { name, verdict, outcome: own } = leg
      const { icon, tone } = verdictWords[verdict]
      return [
        { text: name, code: true, icon, tone, detail: legWord(leg), links: linksOf(leg, outcome) },
        own ? figureCell(own) : { text: legHeadline(leg) },
      ]
    }),
  }
}

/** The beginning of the leg's own comment: why it is not green, and what changed; of a green one its key figures, too. */
export function legTables({ outcome, verdict }: Leg): Table[] {
  if (!outcome) return []
  const key = isGreen(verdict) ? [keyFigureTable(outcome)] : []
  return [...openGateTables(outcome.gates), worseTable(outcome), ...key]
}

function figureCell(outcome: LoadTestOutcome): Cell {
  const [figure] = keyFigures(outcome)
  const worst = costliest(outcome)
  const below = worst && `${worst.name}: ${differenceText(worst.figure, unitOf(worst.metric))}`
  if (!figure) return { text: below ?? '–' }
  const { value, unit, relativeDifference, title } = figure
  const compared = relativeDifference === undefined ? '' : `, ${signedPercent(relativeDifference)}`
  return { text: `${title} ${quantity(value, unit)}${compared}`, ...defined({ below }) }
}

/** The run, and what is attached of it; without an outcome, where the log of its job is. */
function linksOf({ outcome, artifact }: Leg, merge: Outcome): Link[] {
  const { run, digest, report } = outcome ?? {}
  return [
    ...(run ? linkTo(`Load test ${run.number}`, run.url) : []),
    ...linkTo('Digest', digest?.url),
    ...linkTo('Report', report?.artifact?.url),
    ...(outcome ? [] : [...linkTo('Outcome', artifact?.url), ...toWorkflowRun(merge)]),
  ]
}
