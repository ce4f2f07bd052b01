import { compareFigure, type ComparedFigure, type ComparisonRow } from '../../comparison/comparison.js'
import { measured, ReportFigures, timerWords } from '../../figures/figures.js'
import { isMetric, metricRule, standingMetric, unitOf, type Metric } from '../../figures/metrics.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { isPercentile, ofKinds, type Timer, type TimerKind } from '../../report/report.js'

/** One timer of the run, the baseline or both: small, since there may be many. */
export class TimerRow {
  constructor(
    private readonly timer: Timer | undefined,
    private readonly compared: ComparisonRow | undefined,
  ) {}

  /** Absent for the kind's summary row. */
  get name(): string | undefined {
    return this.compared ? this.compared.name : this.timer?.name
  }

  get presence(): ComparisonRow['presence'] {
    return this.compared?.presence ?? 'both'
  }

  get changes(): NonNullable<ComparisonRow['changes']> {
    return this.compared?.changes ?? {}
  }

  /** By metric word, as all of these; empty if neither run has the figure. */
  figure(metric: string): ComparedFigure {
    if (!isMetric(metric)) return {}
    return compareFigure(this.value(metric), this.compared?.baseline[metric], this.changes[metric])
  }

  value(metric: string): number | undefined {
    return this.timer && isMetric(metric) ? measured(this.timer, metric) : undefined
  }
}

/** One of a kind, such as `page load`; `plural` makes many of it. */
export const kindNames = ofKinds((kind) => timerWords[kind].single.replace('-', ' '))
/** `Page loads` */
export const kindTitles = ofKinds(
  (kind) => kindNames[kind].replace(/^./, (first) => first.toUpperCase()) + 's',
)

/** As they are shown: what is closest to the tested system first. */
export const kindsInOrder: readonly TimerKind[] = [
  'requests',
  'actions',
  'transactions',
  'pageLoads',
  'customTimers',
]

/** The summary row of a kind, undefined if neither run has it. */
export function summaryRow(
  { figures, comparison }: Pick<LoadTestOutcome, 'figures' | 'comparison'>,
  kind: TimerKind,
): TimerRow | undefined {
  const compared = comparison?.rows.find((row) => row.kind === kind && row.name === undefined)
  const timer = figures?.timers[kind].summary
  return timer || compared ? new TimerRow(timer, compared) : undefined
}

/** Every timer of a kind: first what became worse, then new ones, then by time, removed ones last. */
export function timerRows(
  { figures, comparison }: Pick<LoadTestOutcome, 'figures' | 'comparison'>,
  kind: TimerKind,
): TimerRow[] {
  const compared = new Map<string, ComparisonRow>()
  for (const row of comparison?.rows ?? []) {
    if (row.kind === kind && row.name !== undefined) compared.set(row.name, row)
  }
  const timers = figures?.timers[kind].timers ?? []
  const known = new Set(timers.map(({ name }) => name))
  const rows = [
    ...timers.map((timer) => new TimerRow(timer, compared.get(timer.name))),
    ...[...compared].filter(([name]) => !known.has(name)).map(([, row]) => new TimerRow(undefined, row)),
  ]
  const metric = mainMetric(rows)
  const order = (row: TimerRow): number => {
    if (row.presence === 'removed') return 3
    if (row.changes[metric] === 'worse') return 0
    return row.presence === 'added' ? 1 : 2
  }
  const keyed = rows.map((row) => ({ row, rank: order(row), value: row.value(metric) ?? -1 }))
  return keyed.sort((a, b) => a.rank - b.rank || b.value - a.value).map(({ row }) => row)
}

/** Those that this run measured, and the metric by which the slowest comes first. */
export function slowestRequests(outcome: LoadTestOutcome) {
  const rows = timerRows(outcome, 'requests')
  const metric = mainMetric(rows)
  const requests = rows.flatMap((row) => {
    const { value, baseline } = row.figure(metric)
    return value === undefined ? [] : [{ name: row.name ?? '', value, baseline }]
  })
  requests.sort((a, b) => b.value - a.value)
  const title = `Slowest requests, ${metricRule(metric)?.title ?? metric}`
  return { title, unit: unitOf(metric), requests }
}

/** The metric that represents all of the timers. */
export function mainMetric(rows: readonly TimerRow[]): Metric {
  return standingMetric((metric) => rows.some((row) => row.value(metric) !== undefined))
}

/** The percentiles of a timer that either run has, ascending. */
export function percentilesOf({ figures, comparison }: LoadTestOutcome, kind: TimerKind): string[] {
  const row = comparison?.rows.find((one) => one.kind === kind && one.name === undefined)
  const names = [
    ...Object.keys(figures?.timers[kind].summary?.percentiles ?? {}),
    ...Object.keys(row?.baseline ?? {}),
  ]
  const percentiles = new Set(names.filter(isPercentile))
  return [...percentiles].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
}

/** `agents cpu` in the gate language. */
export function busiestCpu({ figures }: LoadTestOutcome): number | undefined {
  return figures && new ReportFigures(figures).value({ kind: 'agents' }, 'cpu')
}
