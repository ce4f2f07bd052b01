import { maxCpu, unitOf } from '../../figures/metrics.js'
import type { LoadTestOutcome } from '../../outcome/outcome.js'
import { type AgentCpu, type ScorecardRule, type TimerKind, webVitalNames } from '../../report/report.js'
import { nameCell, pairCell, timerTable } from './figure-tables.js'
import { leftOutGateTable, passedGateTable } from './gate-tables.js'
import { counted, metricTitle } from '../words/figure-text.js'
import { absent, plainNumber, quantity } from '../../figures/numbers.js'
import { defined } from '../../text/fields.js'
import { plural } from '../../text/plural.js'
import { columnsOf, type Cell, type Table } from '../words/table.js'
import { shortHash, startOf, timeText } from '../words/facts.js'
import { kindsInOrder, kindTitles, mainMetric, summaryRow } from '../words/timer-rows.js'

/** Everything that was measured, for folds: what readers look for first. */
export function measuredTables(outcome: LoadTestOutcome): Table[] {
  return [
    errorTable(outcome),
    ...kindsInOrder.map((kind) => timerTable(outcome, kind)),
    responseCodeTable(outcome),
    webVitalTable(outcome),
    eventTable(outcome),
    customValueTable(outcome),
    agentTable(outcome),
    scorecardTable(outcome),
    leftOutGateTable(outcome.gates),
    passedGateTable(outcome.gates),
  ]
}

/** Errors, those that the baseline did not have first, then the most frequent. */
function errorTable({ figures, comparison }: LoadTestOutcome): Table {
  const fresh = new Set(comparison?.newErrors)
  const errors = (figures?.errors ?? []).map((error) => ({ ...error, fresh: fresh.has(error.message) }))
  errors.sort((a, b) => Number(b.fresh) - Number(a.fresh) || b.count - a.count)
  const count = errors.filter((error) => error.fresh).length
  return {
    title: counted('Errors', errors.length, ...(count > 0 ? [`${plainNumber(count)} new`] : [])),
    columns: [{ title: 'Error' }, { title: 'Count', numeric: true }, { title: 'Where' }],
    rows: errors.map(({ message, count: times, places, fresh: isNew }) => [
      nameCell(message.trim() === '' ? '(no message)' : message, isNew && 'new'),
      { text: plainNumber(times) },
      places.length === 0 ? { text: '–' } : placesCell(places),
    ]),
  }
}

export function mostFrequent<T extends { count: number }>(all: readonly T[] = []): T[] {
  return all.toSorted((a, b) => b.count - a.count)
}

function responseCodeTable({ figures }: LoadTestOutcome): Table {
  const codes = mostFrequent(figures?.responseCodes)
  const total = codes.reduce((sum, { count }) => sum + count, 0)
  return {
    title: counted('Response codes', codes.length),
    columns: columnsOf(['Code'], ['Count', 'Share']),
    rows: codes.map(({ code, text, count }) => [
      { text: codeText(code, text) },
      { text: plainNumber(count) },
      { text: quantity(total > 0 ? (count * 100) / total : undefined, '%') },
    ]),
  }
}

/** `404 Not Found`; the engine's code 0 says that no response came. */
export function codeText(code: number, text: string): string {
  if (code === 0) return 'no response'
  return text === '' ? String(code) : `${code} ${text}`
}

function webVitalTable({ figures }: LoadTestOutcome): Table {
  const entries = figures?.webVitals ?? []
  const vitals = webVitalNames.filter((name) => entries.some((entry) => entry.vitals[name]))
  return {
    title: counted('Web vitals', entries.length),
    columns: columnsOf(
      ['Action'],
      vitals.map((name) => `${name.toUpperCase()} p75`),
    ),
    rows: entries.map((entry) => [
      { text: entry.name, code: true },
      ...vitals.map((name): Cell => {
        const vital = entry.vitals[name]
        return { text: quantity(vital?.score, unitOf(name)), ...defined({ detail: vital?.rating }) }
      }),
    ]),
  }
}

function eventTable({ figures }: LoadTestOutcome): Table {
  const events = mostFrequent(figures?.events)
  return {
    title: counted('Events', events.length),
    columns: [{ title: 'Event' }, { title: 'Count', numeric: true }, { title: 'Transaction' }],
    rows: events.map(({ name, count, transaction }) => [
      { text: name, code: true },
      { text: plainNumber(count) },
      transaction === undefined ? { text: absent } : nameCell(transaction),
    ]),
  }
}

function customValueTable({ figures }: LoadTestOutcome): Table {
  const values = figures?.customValues ?? []
  return {
    title: counted('Custom values', values.length),
    columns: columnsOf(['Custom value'], ['Count', 'Min', 'Mean', 'Max']),
    rows: values.map(({ name, count, min, mean, max }) => [
      { text: name, code: true },
      ...[count, min, mean, max].map((value): Cell => ({ text: quantity(value, 'number') })),
    ]),
  }
}

function agentTable({ figures }: LoadTestOutcome): Table {
  const agents = figures?.agents ?? []
  const isHot = ({ totalMean }: AgentCpu) => totalMean !== undefined && totalMean > maxCpu
  const hot = agents.filter(isHot).length
  return {
    title: counted('Load generators', agents.length, ...(hot > 0 ? [`${plainNumber(hot)} overloaded`] : [])),
    columns: columnsOf(['Load generator'], ['CPU mean (max)', 'Engine CPU mean (max)']),
    rows: agents.map((agent): Cell[] => [
      { text: agent.name, code: true },
      {
        ...pairCell(agent.totalMean, agent.totalMax, '%'),
        ...(isHot(agent) ? { tone: 'caution', below: 'overloaded' } : {}),
      },
      pairCell(agent.ownMean, agent.ownMax, '%'),
    ]),
  }
}

const ruleOrder: ScorecardRule['result'][] = ['error', 'not-passed', 'skipped', 'passed']

function scorecardTable({ scorecard }: LoadTestOutcome): Table {
  const rules = [...(scorecard?.rules ?? [])].sort(
    (a, b) => ruleOrder.indexOf(a.result) - ruleOrder.indexOf(b.result),
  )
  const { verdict = '', points, totalPoints } = scorecard ?? {}
  const all = totalPoints === undefined ? '' : ` of ${plural(totalPoints, 'point')}`
  const got = all === '' ? plural(points ?? 0, 'point') : plainNumber(points ?? 0)
  const parts = [
    verdict === 'error' ? 'not evaluated' : verdict,
    ...(points === undefined ? [] : [got + all]),
  ]
  return {
    title: `Scorecard: ${parts.join(', ')}`,
    columns: columnsOf(['Rule (group)', 'Result'], ['Points']),
    rows: rules.map((rule) => [
      { text: rule.name, code: true, detail: rule.group },
      {
        ...ruleCell(rule),
        below: [rule.message ?? '', ...rule.values.slice(0, 3)].filter((text) => text !== '').join('; '),
      },
      {
        text: `${quantity(rule.points, 'number')}${rule.totalPoints === undefined ? '' : ` of ${plainNumber(rule.totalPoints)}`}`,
      },
    ]),
  }
}

function ruleCell({ result, failsTest, failedTest }: ScorecardRule): Cell {
  if (result === 'passed') return { text: 'passed' }
  if (result === 'skipped') return { text: 'skipped' }
  const fatal = failedTest ?? failsTest
  const word = result === 'error' ? 'error' : 'not passed'
  return fatal ? { text: `${word}, fails the test`, tone: 'bad' } : { text: word, tone: 'caution' }
}

function placesCell(places: readonly string[]): Cell {
  return nameCell(
    places.slice(0, 3).join(', '),
    places.length > 3 && `and ${plainNumber(places.length - 3)} more`,
  )
}

/** Key figures of the earlier runs, the oldest first, and of this one; no rows if there are not several. */
export function trendTable(outcome: LoadTestOutcome): Table {
  const { comparison, figures, step } = outcome
  const earlier = comparison?.trend ?? []
  const columns = (['requests', 'transactions'] as const).flatMap((kind) => trendColumns(outcome, kind))
  const row = (first: Cell, figure: (kind: TimerKind, metric: string) => number | undefined): Cell[] => [
    first,
    ...columns.map(({ kind, metric }) => ({ text: quantity(figure(kind, metric), unitOf(metric)) })),
  ]
  return {
    title: `Trend over ${earlier.length + 1} runs`,
    columns: columnsOf(
      ['Run'],
      columns.map(({ kind, metric }) => `${kindTitles[kind]} ${metricTitle(metric)}`),
    ),
    rows:
      earlier.length === 0 || columns.length === 0
        ? []
        : [
            ...earlier.map((run) => row(runCell(run), (kind, metric) => run.figures[kind]?.[metric])),
            row(runCell({ startTime: startOf(figures), commit: step.commit }, 'this run'), (kind, metric) =>
              summaryRow(outcome, kind)?.value(metric),
            ),
          ],
  }
}

function trendColumns(outcome: LoadTestOutcome, kind: TimerKind) {
  const summary = summaryRow(outcome, kind)
  if (!summary) return []
  return [mainMetric([summary]), 'error-rate', 'throughput'].map((metric) => ({ kind, metric }))
}

function runCell(run: { startTime?: string | undefined; commit?: string | undefined }, which?: string): Cell {
  const { startTime, commit } = run
  const parts = [which, commit && shortHash(commit)]
  const detail = parts.filter((part) => part !== undefined).join(', ')
  return { text: startTime === undefined ? '–' : timeText(startTime), detail }
}
