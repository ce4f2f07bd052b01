import { pastReports } from '../../bench/corpora/past.js'
import { compareRuns } from '../../src/comparison/comparison.js'
import { trendOf } from '../../src/judgement/judgement.js'
import { buildBaseline } from '../../src/noise/baseline.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { validateOutcome } from '../outcome-validator.js'
import { regression } from './outcomes.js'

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
  return {
    ...{ ...regression(), gates: [], figures: now },
    comparison: { ...comparison, ...(trend ? { trend } : {}) },
  }
}

const usual = nightly()

test('the summary has the trend as a table', () => {
  expect(renderSummary(usual)).toContain('### Trend over 6\u00a0runs')
  expect(validateOutcome(JSON.parse(JSON.stringify(usual)))).toEqual([])
})

test.each([0, 1, 2, 3])('of %d earlier runs: a trend has two at least', (count) => {
  const reports = pastReports({ runs: 3, timers: { requests: 1, actions: 1, transactions: 1 }, seed: 3 })
  expect(trendOf(reports.slice(0, count))?.length).toBe(count < 2 ? undefined : count)
})
