import { metricRule } from '../../src/figures/metrics.js'

test('the rule of a percentile is made once, as pages ask for that of each figure', () => {
  expect(metricRule('p99.5')).toBe(metricRule('p99.5'))
  expect(metricRule('p99.5')).toMatchObject({ quantile: 0.995, samplesNeeded: 200 })
})

test('a report with very many percentiles fills no memory with their rules', () => {
  for (let at = 1; at <= 1000; at++) metricRule(`p1.${at}1`)
  expect(metricRule('p42.5')).not.toBe(metricRule('p42.5'))
  expect(metricRule('p42.5')).toMatchObject({ quantile: 0.425, samplesNeeded: 3 })
})
