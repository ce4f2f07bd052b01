import { ReportFigures, type Place } from '../../src/figures/figures.js'
import { loadAt, wholeLoad } from '../../src/gates/comparable.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, timer } from './example-report.js'
import { baselineOf } from './judged.js'

/* Whether a run had another load than its baseline: then nothing can be compared. */

const requests: Place = { kind: 'requests' }
const login: Place = { ...requests, name: 'Login' }

/** A run of ten minutes with this many requests. The rate that it names itself only counts without a length. */
const run = (
  count: number,
  figures: Partial<Timer> = {},
  own = figures,
  general = { duration: 600 },
): Report => {
  const all = timer('All Requests', { count, countPerSecond: 0.01, ...figures })
  return report({ general }, { requests: { summary: all, timers: [{ ...all, name: 'Login', ...own }] } })
}
const usual = run(100_000)
const withoutLength = (figures: Partial<Timer>): Report => ({ ...run(1000, figures), general: {} })

function changed(now: Report, place: Place = requests, before: Report[] = [usual]) {
  const baseline = baselineOf(before)
  const run = new ReportFigures(now)
  return loadAt(place, run, baseline, wholeLoad(run, baseline))
}
const of = (percent: number, less: boolean, isOther: boolean, what = 'requests') => ({
  ...{ less, isOther, sentence: `the throughput of ${what} is ${percent}% of the baseline's.` },
})

test.each<[string, Report, object | undefined]>([
  ['half of it', run(50_000), of(50, true, true)],
  ['much less', run(70_000), of(70, true, false)],
  ['a little less', run(92_000), undefined],
  ['the same', usual, undefined],
  ['a little more', run(108_000), undefined],
  ['much more', run(140_000), of(140, false, false)],
  ['twice as much', run(200_000), of(200, false, true)],
  ['hardly any', run(70), of(0.1, true, true)],
  ['half, from users who wait twice as long', run(50_000, { mean: 421 }), undefined],
  ['half, from users who wait a little longer', run(50_000, { mean: 250 }), of(50, true, true)],
  ['twice as much, from users who wait half as long', run(200_000, { mean: 105.25 }), undefined],
  ['twice as much, with times that are 0', run(200_000, { mean: 0 }), of(200, false, true)],
  ['nothing', run(0), undefined],
  ['an invalid number', run(-50_000), undefined],
  ['a rate alone, half of it', withoutLength({ countPerSecond: 83.333333333333 }), of(50, true, true)],
  ['an invalid number and a rate', withoutLength({ count: -1000, countPerSecond: 80 }), undefined],
  ['a rate of 0', withoutLength({ countPerSecond: 0 }), undefined],
  ['an invalid rate', withoutLength({ countPerSecond: -80 }), undefined],
])('a load of %s', (_, now, change) => {
  expect(changed(now)).toEqual(change)
})

test('where no earlier run knows its times, the load counts as it is', () => {
  expect(changed(run(50_000), requests, [run(100_000, { mean: 0 })])).toEqual(of(50, true, true))
})

test('the whole run is what it and an earlier one have a load of', () => {
  const now = run(50_000)
  now.timers.transactions.summary = timer('All Transactions')
  const other = report({ general: { duration: 600 } })
  expect(changed(now, { kind: 'agents' }, [usual, other])).toEqual(of(50, true, true))
})

test('few samples may differ by chance', () => {
  expect(changed(run(30), requests, [run(40)])).toBeUndefined()
  expect(changed(run(30), requests, [run(90)])).toMatchObject({ less: true, isOther: true })
})

test('the place counts beside the whole run, and what cannot be compared comes first', () => {
  const place = (count: number) => run(80_000, {}, { count })
  expect(changed(place(80_000), login)).toEqual(of(80, true, false))
  expect(changed(place(40_000), login)).toEqual(of(40, true, true, 'request "Login"'))
  expect(changed(run(100_000, {}, { count: 80_000 }), login)).toEqual(of(80, true, false, 'request "Login"'))
})
