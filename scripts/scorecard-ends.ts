/** A scorecard configuration for each possible result of an evaluation, for any normal run of the example. */
const selectors = [
  { id: 'errorRate', expression: '/testreport/summary/transactions/errorPercentage' },
  { id: 'p95', expression: '/testreport/summary/requests/percentiles/p95' },
  { id: 'orders', expression: "/testreport/requests/request[name='PlaceOrder']/count" },
]
const holds = { selectorId: 'errorRate', condition: '<= 100', displayValue: true }
const breaks = { selectorId: 'p95', condition: '< 1', displayValue: true }
const nothing = { selector: '/testreport/summary/nothing/count', condition: '> 0' }

const ratings = [
  { id: 'poor', name: 'Poor', value: 60, failsTest: true },
  { id: 'good', name: 'Good', value: 100 },
]

/** File contents by the result that they lead to. */
export const scorecards: Record<string, string> = {
  passed: configuration(
    [{ id: 'fewErrors', name: 'Few errors', failsTest: true, points: 3, checks: [holds] }],
    [{ id: 'all', name: 'All', mode: 'allPassed', rules: ['fewErrors'] }],
  ),
  'failed-by-rule': configuration(
    [
      { id: 'fewErrors', name: 'Few errors', points: 9, checks: [holds] },
      { id: 'fast', name: 'Fast', failsTest: true, points: 1, checks: [breaks] },
    ],
    [
      { id: 'stability', name: 'Stability', rules: ['fewErrors'] },
      { id: 'speed', name: 'Speed', rules: ['fast'] },
    ],
  ),
  'failed-by-rating': configuration(
    [
      { id: 'fewErrors', name: 'Few errors', points: 1, checks: [holds] },
      { id: 'fast', name: 'Fast', points: 9, checks: [breaks] },
    ],
    [
      { id: 'stability', name: 'Stability', rules: ['fewErrors'] },
      { id: 'speed', name: 'Speed', rules: ['fast'] },
    ],
  ),
  'skipped-rules': configuration(
    [
      { id: 'excellent', name: 'Excellent', points: 5, checks: [holds] },
      { id: 'acceptable', name: 'Acceptable', points: 2, checks: [holds] },
      { id: 'off', name: 'Off', enabled: false, points: 1, checks: [breaks] },
    ],
    [{ id: 'first', name: 'First', mode: 'firstPassed', rules: ['excellent', 'acceptable', 'off'] }],
  ),
  // One rule fails the test; another cannot be evaluated.
  error: configuration(
    [
      { id: 'fast', name: 'Fast', failsTest: true, points: 1, checks: [breaks] },
      { id: 'nothing', name: 'Nothing to select', points: 1, checks: [nothing] },
    ],
    [{ id: 'all', name: 'All', mode: 'allPassed', rules: ['fast', 'nothing'] }],
  ),
  invalid: configuration([{ id: 'p95', points: 1, checks: [holds] }], [{ id: 'all', rules: ['p95'] }]),
}

function configuration(rules: readonly object[], groups: readonly object[]): string {
  return `${JSON.stringify({ version: 2, selectors, rules, groups, ratings }, null, 2)}\n`
}
