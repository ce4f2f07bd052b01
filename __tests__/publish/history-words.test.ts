import type { Metric } from '../../src/figures/metrics.js'
import type { ChangePoint } from '../../src/gates/change-points.js'
import { changePointText, changePointTone } from '../../src/publish/history/words.js'

const changed = (metric: Metric, before: number, after: number): ChangePoint => ({
  ...{ kind: 'requests', metric, before, after, run: 3 },
})

test('a change is in percent, or in the unit of the figure if it was 0 before', () => {
  const text = (one: ChangePoint) => changePointText(one).replaceAll(/\s/g, ' ')
  expect(text(changed('p95', 400, 500))).toBe('+25%')
  expect(text(changed('errors', 0, 12))).toBe('+12')
  expect(text(changed('error-rate', 0, 1.5))).toBe('+1.5 points')
})

test('more is worse, except for what should be high', () => {
  expect([changePointTone(changed('p95', 400, 500)), changePointTone(changed('p95', 500, 400))]).toEqual([
    'bad',
    'good',
  ])
  expect([
    changePointTone(changed('throughput', 40, 50)),
    changePointTone(changed('throughput', 50, 40)),
  ]).toEqual(['good', 'bad'])
  expect(changePointTone(changed('apdex', 0.9, 0.7))).toBe('bad')
})
