import type { ComparedFigure, ComparisonRow } from '../../src/gates/baseline/comparison.js'
import { comparisonTables } from '../../sandbox/web/comparison-tables.js'
import { markup } from '../../sandbox/web/markup.js'

function request(name: string, p95: Partial<ComparedFigure>, presence: ComparisonRow['presence'] = 'both') {
  const row: ComparisonRow = {
    kind: 'requests',
    name,
    presence,
    figures: { p95: { change: 'none', ...p95 } },
  }
  return row
}

test('timers are sorted by how much they changed, in either direction; those without a difference come last', () => {
  const rows = [
    request('new', { value: 900 }, 'added'),
    request('same', { baseline: 10, value: 10, difference: 0, relativeDifference: 0 }),
    request('faster', { baseline: 100, value: 60, difference: -40, relativeDifference: -40 }),
    request('from nothing', { baseline: 0, value: 3, difference: 3 }),
    request('from nothing too', { baseline: 0, value: 1, difference: 1 }),
    request('slower', { baseline: 100, value: 130, difference: 30, relativeDifference: 30 }),
  ]
  const source = { number: 9, name: 'Release', createdAt: 0 }
  const report = {
    ...{ number: 1, name: 'Two', createdAt: 0, baseline: source, measurement: source },
    figures: { baseline: { name: 'Release', runs: 1 }, rows, newErrors: [] },
  }
  const { html } = markup`${comparisonTables(report, undefined)}`
  const names = [...html.matchAll(/class="code"><bdi>(?<name>[^<]+)/g)].map(({ groups }) => groups?.['name'])
  expect(names).toEqual(['from nothing', 'from nothing too', 'faster', 'slower', 'same', 'new'])
})
