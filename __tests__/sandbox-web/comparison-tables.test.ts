import { comparisonTables } from '../../sandbox/web/comparison-tables.js'
import { buildBaseline } from '../../src/gates/noise/baseline.js'
import { compareRuns } from '../../src/gates/comparison.js'
import { requestReport, timer } from '../gates/example-report.js'
import { markup } from '../../sandbox/web/markup.js'

test('timers are sorted by how much they changed, in either direction; those without a difference come last', () => {
  const p95s: [string, number, number | undefined][] = [
    ['new', 900, undefined],
    ['same', 10, 10],
    ['faster', 60, 100],
    ['from nothing', 3, 0],
    ['from nothing too', 1, 0],
    ['slower', 130, 100],
  ]
  const request = (name: string, p95: number) => timer(name, { percentiles: { p95 } })
  const before = p95s.flatMap(([name, , p95]) => (p95 === undefined ? [] : [request(name, p95)]))
  const figures = requestReport(p95s.map(([name, p95]) => request(name, p95)))
  const baseline = buildBaseline([requestReport(before)])
  if (!baseline) throw new Error('no baseline')
  const source = { number: 9, name: 'Release', createdAt: 0 }
  const report = {
    ...{ number: 1, name: 'Two', createdAt: 0, baseline: source, measurement: source },
    ...{ figures, comparison: compareRuns(figures, baseline, { baseline: { name: 'Release', runs: 1 } }) },
  }
  const { html } = markup`${comparisonTables(report, undefined)}`
  const names = [...html.matchAll(/class="code"><bdi>(?<name>[^<]+)/g)].map(({ groups }) => groups?.['name'])
  expect(names).toEqual(['from nothing', 'from nothing too', 'faster', 'slower', 'same', 'new'])
})
