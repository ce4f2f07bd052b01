import { buildBaseline } from '../../src/noise/baseline.js'
import { ReportFigures } from '../../src/figures/figures.js'
import { Noise } from '../../src/noise/noise.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, timer } from '../gates/example-report.js'

const requests = (timers: Timer[]) => report({}, { requests: { timers } })
const failing = (count: number, errors: number, name = 'Pay') => timer(name, { count, errors })
const place = { kind: 'requests', name: 'Pay', anyStatus: true } as const

function finding(now: Report, earlier: Report[]) {
  const baseline = buildBaseline(earlier)
  const found = baseline && new Noise(new ReportFigures(now), baseline).find(place, 'errors')
  if (!found || 'unfit' in found) throw new Error('not found')
  return found
}

test.each([
  // Three errors, and a quarter of all answers more than in the baseline, are beyond any noise.
  [4, 2, 4, 0, false],
  [4, 3, 4, 0, true],
  [100, 26, 100, 0, true],
  [4, 4, 4, 2, true],
  [4, 3, 4, 2, false],
])(
  'of %d answers %d failed, and of %d before %d: beyond noise %j',
  (count, errors, countBefore, before, beyond) => {
    const found = finding(requests([failing(count, errors)]), [requests([failing(countBefore, before)])])
    expect(found.isBeyond(true)).toBe(beyond)
    expect((found.reach(true) ?? 0) < errors).toBe(beyond)
  },
)

test('a failed request that has another name counts as the same request', () => {
  const names = ['Pay', 'Search', 'Login', 'Order', 'Cart']
  const one = (errors: number) => requests(names.map((name) => failing(1000, errors, name)))
  const two = (errors: number) =>
    requests(
      names.flatMap((name) => [failing(1000 - errors, 0, name), failing(errors, errors, `${name} [500]`)]),
    )
  for (const runs of [1, 4]) {
    const before = Array.from({ length: runs }, (_, at) => at + 4)
    const [whole, split] = [finding(one(9), before.map(one)), finding(two(9), before.map(two))]
    expect([split.percent, split.reach(true), split.isBeyond(true)]).toEqual([
      whole.percent,
      whole.reach(true),
      whole.isBeyond(true),
    ])
  }
})

test('what no earlier run had has failed in none of them; what was there without a count is unknown', () => {
  const now = requests([failing(1000, 9)])
  const other = requests([failing(1000, 0, 'Search')])
  expect(finding(now, [other]).isBeyond(true)).toBe(true)
  expect(finding(requests([failing(1000, 1)]), [other]).isBeyond(true)).toBe(false)
  const { count: _, ...uncounted } = failing(1000, 0)
  expect(() => finding(requests([uncounted]), [other])).toThrow('not found')
})

test('a run of which nobody knows how many errors it had says nothing', () => {
  const now = requests([failing(1000, 9)])
  const { errors: _, errorPercentage: __, ...unknown } = failing(1000, 0)
  const known = requests([failing(1000, 8)])
  expect(finding(now, [known, requests([unknown]), requests([failing(0, 0)])]).reach(true)).toBe(
    finding(now, [known, requests([]), requests([])]).reach(true),
  )
})
