import type { Metric } from '../../src/gates/metrics.js'
import type { HistoryStep } from '../../src/outcome/history.js'
import { stepChange, stepTone } from '../../src/publish/history/words.js'

const step = (metric: Metric, before: number, after: number): HistoryStep => ({
  ...{ kind: 'requests', metric, before, after, run: 3 },
})

test('a change is in percent, or in the unit of the figure if it was 0 before', () => {
  const change = (one: HistoryStep) => stepChange(one).replaceAll(/\s/g, ' ')
  expect(change(step('p95', 400, 500))).toBe('+25%')
  expect(change(step('errors', 0, 12))).toBe('+12')
  expect(change(step('error-rate', 0, 1.5))).toBe('+1.5 points')
})

test('more is worse, except for what should be high', () => {
  expect([stepTone(step('p95', 400, 500)), stepTone(step('p95', 500, 400))]).toEqual(['bad', 'good'])
  expect([stepTone(step('throughput', 40, 50)), stepTone(step('throughput', 50, 40))]).toEqual([
    'good',
    'bad',
  ])
  expect(stepTone(step('apdex', 0.9, 0.7))).toBe('bad')
})
