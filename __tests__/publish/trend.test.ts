import { pastReports } from '../../bench/corpora/past.js'
import { compareRuns, type ComparisonRow } from '../../src/comparison/comparison.js'
import { trendOf, withEarlier } from '../../src/judgement/judgement.js'
import { buildBaseline } from '../../src/noise/baseline.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { validateOutcome } from '../outcome-validator.js'
import { hostileNames, regression } from './outcomes.js'

/** A run and those before it, a night each; the second request is slower in the last of them. */
function nightly({ runs = 6, factor = 1.8 } = {}): LoadTestOutcome {
  const slower = (run: number, timer: number) => (run === runs - 1 && timer === 1 ? factor : 1)
  const reports = pastReports({ runs, timers: { requests: 9, actions: 3, transactions: 2 }, seed: 3, slower })
  for (const [at, report] of reports.entries()) {
    report.general.startTime = Date.UTC(2026, 8, 10) + at * 24 * 3_600_000
  }
  const [now, ...earlier] = reports.reverse()
  const baseline = buildBaseline(earlier)
  if (!now || !baseline) throw new Error('There are runs.')
  const comparison = compareRuns(now, baseline, {
    baseline: { name: `${earlier.length} runs of main`, runs: earlier.length },
  })
  const trend = trendOf(earlier)
  const rows = withEarlier(comparison.rows, earlier)
  return {
    ...{ ...regression(), gates: [], figures: now },
    comparison: { ...comparison, rows, ...(trend ? { trend } : {}) },
  }
}

const usual = nightly()

const chartsOf = (outcome: LoadTestOutcome) => {
  const [, fold = ''] =
    /<summary>Trend as charts<\/summary>([^]*?)<\/details>/.exec(renderSummary(outcome)) ?? []
  return [...fold.matchAll(/```mermaid\n[^\n]*\n([^]*?)\n```/g)].map(([, chart = '']) => chart.split('\n'))
}

test('the summary draws the whole run and what got worse most, in a fold beside the table', () => {
  const [whole, worst] = chartsOf(usual)
  const axis = '    x-axis ["10 Sept", "11 Sept", "12 Sept", "13 Sept", "14 Sept", "this run"]'
  expect(whole?.slice(0, 3)).toEqual(['xychart-beta', '    title "Requests p95"', axis])
  expect(worst?.slice(0, 3)).toEqual(['xychart-beta', '    title "Search.2 p95"', axis])
  const values = (worst?.at(-1)?.match(/[\d.]+/g) ?? []).map(Number)
  expect(values).toHaveLength(6)
  expect(values.at(-1)).toBeGreaterThan(1.5 * Math.max(...values.slice(0, 5)))
  expect(renderSummary(usual)).toContain('### Trend over 6\u00a0runs')
  expect(validateOutcome(JSON.parse(JSON.stringify(usual)))).toEqual([])
})

test('draws the whole run alone if nothing got worse, and nothing without a trend', () => {
  expect(chartsOf(nightly({ factor: 1 })).map(([, title]) => title)).toEqual(['    title "Requests p95"'])
  expect([2, 3].map((runs) => nightly({ runs }).comparison?.trend?.length)).toEqual([undefined, 2])
  expect(chartsOf(nightly({ runs: 2 }))).toEqual([])
  const bare = structuredClone(usual)
  for (const one of Object.values(bare.figures?.timers ?? {})) delete one.summary
  for (const row of bare.comparison?.rows ?? []) row.name ??= 'all'
  expect(renderSummary(bare)).not.toContain('Trend over')
})

test.each(hostileNames)('%j is a word of the chart', (name) => {
  const outcome = structuredClone(usual)
  const all = [...(outcome.figures?.timers.requests.timers ?? []), ...(outcome.comparison?.rows ?? [])]
  for (const one of all) if (one.name === 'Search.2') one.name = name
  const charts = chartsOf(outcome)
  expect(charts).toHaveLength(2)
  for (const chart of charts) {
    expect(chart).toHaveLength(5)
    expect(chart[1]).toMatch(/^ {4}title "[\p{L}\p{N} _.…/-]+"$/u)
  }
})

test('a run without the timer is left out of its chart; of very many rows none keeps its past', () => {
  const outcome = structuredClone(usual)
  const row = outcome.comparison?.rows.find(({ kind, name }) => kind === 'requests' && name === 'Search.2')
  expect(row?.earlier?.['p95']).toHaveLength(5)
  if (row?.earlier?.['p95']) row.earlier['p95'][1] = null
  expect(chartsOf(outcome)[1]?.[2]).toBe(
    '    x-axis ["10 Sept", "12 Sept", "13 Sept", "14 Sept", "this run"]',
  )
  const worse: ComparisonRow = { kind: 'requests', presence: 'both', baseline: {}, changes: { p95: 'worse' } }
  const kept = (count: number) =>
    withEarlier(
      [...Array<ComparisonRow>(count).fill(worse), { ...worse, changes: { p95: 'better' } }],
      pastReports({ runs: 2, timers: { requests: 1, actions: 0, transactions: 0 }, seed: 1 }),
    ).filter(({ earlier }) => earlier).length
  expect([kept(1000), kept(1001)]).toEqual([1000, 0])
})
