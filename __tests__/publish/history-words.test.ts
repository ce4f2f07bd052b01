import type { ChangePoint } from '../../src/comparison/change-points.js'
import { whatGotWorse, historyHeadline } from '../../src/publish/words/history-words.js'

describe('the title says what changed, since when and from which commit on', () => {
  const runs = Array.from({ length: 20 }, (_, at) => ({
    ...{ url: `https://github.com/o/r/actions/runs/${at}`, verdict: 'passed' },
    commit: String(at).padStart(40, 'a'),
    startTime: `2026-${at < 3 ? '01' : '02'}-${String(at + 1).padStart(2, '0')}T04:00:00Z`,
  }))
  const point = (run: number, before: number, after: number, more = {}): ChangePoint => ({
    ...{ kind: 'requests', metric: 'p95', run, before, after },
    ...more,
  })
  const title = (changePoints: ChangePoint[], count = 20) =>
    historyHeadline({ branch: 'main', runs: runs.slice(0, count), series: [], changePoints }).replaceAll(
      /\s/g,
      ' ',
    )
  const timer = { name: 'Search' }

  test.each<[string, ChangePoint[]]>([
    ['Slower since 11 February, aaaaaaa: requests p95 +50%', [point(10, 100, 150)]],
    ['Faster since 11 February, aaaaaaa: requests p95 −50%', [point(10, 100, 50)]],
    [
      'More errors since 11 February, aaaaaaa: requests error rate 0.1% → 2%',
      [point(10, 0.1, 2, { metric: 'error-rate' })],
    ],
    [
      'Fewer errors since 11 February, aaaaaaa: requests error rate 2% → 0%',
      [point(10, 2, 0, { metric: 'error-rate' })],
    ],
    // What got worse comes before what got better, the latest before earlier ones.
    ['Slower since 6 February, aaaaaaa: requests p95 +50%', [point(5, 100, 150), point(10, 100, 50, timer)]],
    [
      'Slower since 11 February, aaaaaaa: actions p95 +20%',
      [point(5, 100, 150), point(10, 100, 120, { kind: 'actions' })],
    ],
    // A key figure comes before a later timer, and before larger ones of the same run.
    ['Slower since 6 February, aaaaaaa: requests p95 +20%', [point(5, 100, 120), point(10, 100, 300, timer)]],
    [
      'Slower since 6 February, aaaaaaa: requests p95 +20% and 1 more figure',
      [point(5, 100, 300, timer), point(5, 100, 120)],
    ],
    // Taken back, and taken back in part.
    ['Faster since 11 February, aaaaaaa: requests p95 −33%', [point(5, 100, 150), point(10, 150, 100)]],
    ['Slower since 6 February, aaaaaaa: requests p95 +50%', [point(5, 100, 150), point(10, 150, 140)]],
    ['Slower since 11 February, aaaaaaa: requests p95 +4%', [point(5, 100, 150), point(10, 150, 156)]],
  ])('%s', (expected, changes) => {
    expect(title(changes)).toBe(expected)
    expect(whatGotWorse({ branch: 'main', runs, series: [], changePoints: changes }) !== undefined).toBe(
      /^(Slower|More)/.test(expected),
    )
  })

  test('too few runs show no change, names are cut, and a title has 140 characters at most', () => {
    expect([4, 5].map((count) => title([], count))).toEqual([
      '4 runs of main, changes show from 5 on',
      'Nothing changed in 5 runs of main',
    ])
    const many = Array.from({ length: 9 }, (_, at) =>
      point(4, 100, 200 + at, { name: `${at}${'n'.repeat(300)}` }),
    )
    expect(title(many)).toMatch(
      /^Slower since 5 February, aaaaaaa: request "8n{38}…" p95 \+108% and 8 more figures$/,
    )
    expect(title(many).length).toBeLessThan(140)
  })
})
