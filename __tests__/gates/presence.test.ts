import { ReportFigures } from '../../src/figures/figures.js'
import { presenceOf } from '../../src/gates/gate-places.js'
import type { Report, Timer } from '../../src/report/report.js'
import { report, requestReport, timer } from './example-report.js'
import { baselineOf, judgedBy } from './judged.js'
import { compareRuns } from '../../src/comparison/comparison.js'
import { parseGates } from '../../src/language/language.js'
import { validityNotes } from '../../src/gates/gates.js'
import { judgedTwice, mayBeNoise, resultCount, type GateResult } from '../../src/gates/result.js'
import { outputsOf } from '../../src/publish/publication.js'
import { closingGroups } from '../../src/publish/annotations.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { excusedGateTable } from '../../src/publish/summary/gate-tables.js'
import { headline, verdictMeaning } from '../../src/publish/words/words.js'
import { green, without } from '../publish/outcomes.js'

/** A run with twenty requests, and A with these counts, where it was used. */
const run = (count: number, others = 20, duration = 600): Report => ({
  ...requestReport([
    ...Array.from({ length: others }, (_, at) => timer(`R${at}`)),
    ...(count > 0 ? [timer('A', { count })] : []),
  ]),
  general: { duration },
})

const vanished = (now: Report, earlier: readonly Report[]) =>
  presenceOf('requests', new ReportFigures(now), baselineOf(earlier)).vanished

/** The newest first. */
const dated = (runs: readonly Report[]): Report[] =>
  runs.map((one, at) => ({ ...one, general: { duration: 600, startTime: 1e6 - at } }))

test.each<[string, number[], boolean]>([
  // Of 21 names, one may be missing by chance in one run of 2,100.
  ['30 answers', [30], true],
  ['11 answers, once', [11], true],
  ['10 answers, once', [10], false],
  ['8 answers in each of five runs', [9, 8, 8, 8, 9], true],
  ['7 answers', [7, 8, 8, 8, 9], false],
  ['rare', [2, 3, 1, 2, 2], false],
  ['in most of the runs, since it came', [50, 50, 50, 0, 0], true],
  ['in half of them', [50, 50, 0, 0], false],
  ['now and then', [50, 0, 50, 50, 50], false],
])('a request that is missing: %s', (_, counts, isMissing) => {
  expect(vanished(run(0), dated(counts.map((count) => run(count))))).toEqual(isMissing ? ['A'] : [])
})

test('one report beside two baselines, one after the other', () => {
  const now = run(0)
  expect(vanished(now, [run(30)])).toEqual(['A'])
  expect(vanished(now, [run(0)])).toEqual([])
})

/** Each has A and this many of the twenty others. */
const suitesOf = (others: readonly number[]) => dated(others.map((count) => run(50, count)))

test.each<[string, number, number[], number]>([
  ['two of 21, one earlier run', 19, [20], 2],
  ['three: one run does not show which names stay', 18, [20], 0],
  ['two of ten, one of which is more than one in twenty', 8, [9], 0],
  ['nine of 20', 11, [19], 0],
  ['ten, which is no small part', 10, [19], 10],
  ['three, two runs', 18, [20, 20], 3],
  ['beside one that only the latest of three runs has', 20, [20, 19, 19], 1],
  ['beside two such', 20, [20, 18, 18], 0],
  ['beside two such, of four runs', 20, [20, 20, 18, 18], 1],
])('names that are missing together: %s', (_, others, earlier, expected) => {
  expect(vanished(run(0, others), suitesOf(earlier))).toHaveLength(expected)
})

test.each<[string, number, number[], string[]]>([
  ['one new name beside 21', 1, [50], ['A']],
  ['two, which are more than one in twenty', 1, [50, 50], []],
  ['beside two earlier runs', 2, [50, 50], []],
  ['three would have shown it', 3, [50, 50], ['A']],
  ['one of them may have been missing by chance', 1, [50, 10], ['A']],
  ['none may', 1, [11, 11], []],
])('a missing name means nothing where names come and go: %s', (_, earlier, counts, expected) => {
  const fresh = counts.map((count, at) => timer(`New ${at}`, { count }))
  const now = requestReport([...run(0).timers.requests.timers, ...fresh], { general: { duration: 600 } })
  const baseline = baselineOf(dated(Array.from({ length: earlier }, () => run(50))))
  expect(presenceOf('requests', new ReportFigures(now), baseline)).toEqual({
    vanished: expected,
    added: fresh.map(({ name }) => name),
    absent: expected.length > 0 ? [] : ['A'],
  })
})

test.each([
  [19, [20], '2 requests of the baseline are missing from this run: "R19", "A".'],
  [
    18,
    [20],
    '3 requests of the baseline are missing from this run, which decides nothing, as so few earlier runs cannot tell which names come and go: "R18", "R19", "A".',
  ],
  [
    20,
    [20, 18, 18],
    '1 request of the baseline is missing from this run, which decides nothing, as names come and go from run to run: "A".',
  ],
])('the note about names that are missing: %d beside %j', (others, earlier, note) => {
  expect(validityNotes(run(0, others), { baseline: baselineOf(suitesOf(earlier)) })).toEqual([note])
})

test('rows of web vitals are as rare as their samples', () => {
  const vitals = (...counts: (number | undefined)[]) =>
    report({
      webVitals: counts.map((goodCount, at) => ({
        name: `Page ${at}`,
        vitals: { lcp: { score: 900, ...(goodCount !== undefined && { goodCount, improveCount: 1 }) } },
      })),
    })
  const baseline = baselineOf([vitals(2, 100, undefined)])
  expect(presenceOf('web-vitals', new ReportFigures(vitals()), baseline).vanished).toEqual([
    'Page 1',
    'Page 2',
  ])
})

/** Requests R1, R2 and so on. */
const requests = (count: number, figures: (at: number) => Partial<Timer> = () => ({})) =>
  requestReport(Array.from({ length: count }, (_, at) => timer(`R${at + 1}`, figures(at + 1))))

const judged = (text: string, now = requests(1001), before = [requests(1001)]) => judgedBy(text, now, before)

const all = Array.from({ length: 1001 }, (_, at) => ({ kind: 'requests', name: `R${at + 1}` }))
const fixed = 'request "R*" p95 <= 500 ms'
const comparing = 'request "*" p95 <= baseline + 10%'

test('a thousand matches that passed have a result each', async () => {
  const { results } = await judged(fixed, requests(1000))
  expect(results).toHaveLength(1000)
  expect(results[0]).toMatchObject({ subject: 'request "R1"', isMatch: true, value: 400, limit: 500 })
})

test.each([
  [fixed, { subject: 'request "R*"', limit: 500 }],
  [comparing, { subject: 'request "*"' }],
])('more are one result: %s', async (gate, of) => {
  const { verdict, results } = await judged(gate)
  expect(verdict).toBe('passed')
  const about = { metric: 'p95', unit: 'ms', operator: '<=', result: 'passed', matches: all }
  expect(results).toEqual([{ gate, line: 1, ...of, ...about }])
})

test('what failed, or is excused, has a result of its own', async () => {
  const odd = requests(1003, (at) => ({ percentiles: { p95: at === 1 ? 4000 : at === 2 ? 450 : 400 } }))
  const { verdict, results } = await judged(comparing, odd, [requests(1003)])
  expect(verdict).toBe('failed')
  const [failed, excused, others] = results
  expect(failed).toMatchObject({ subject: 'request "R1"', result: 'failed', value: 4000 })
  expect(excused).toMatchObject({ subject: 'request "R2"', result: 'passed', value: 450 })
  expect(excused?.reason).toMatch(/^It is beyond the limit, but/)
  expect(others?.matches).toHaveLength(1001)
  expect(results).toHaveLength(3)
})

/** All are too slow, and the later ones more so. */
const tooSlow = (count: number) => requests(count, (at) => ({ percentiles: { p95: 4000 + at } }))
const only = (results: GateResult[], result: string) => results.filter((one) => one.result === result)

test('of more that failed, the costliest thousand have a result each, and no place is lost', async () => {
  const each = await judged(fixed, tooSlow(1000))
  expect(each.results).toHaveLength(1000)
  const { verdict, reasons, results } = await judged(fixed, tooSlow(1003))
  expect(verdict).toBe('failed')
  expect(results).toHaveLength(1001)
  const about = { gate: fixed, line: 1, subject: 'request "R*"', metric: 'p95', unit: 'ms', operator: '<=' }
  expect(results.at(-1)).toEqual({
    ...about,
    limit: 500,
    result: 'failed',
    matches: all.slice(0, 3).toReversed(),
  })
  expect(results[0]).toMatchObject({ place: all[3], value: 4004, limit: 500 })
  expect(reasons).toHaveLength(21)
  expect(reasons.at(-1)?.text).toBe('983 more gates failed as well.')
  expect(resultCount(results)).toBe(1003)
})

test('what is alike but for its reason, or the figure that it lacks, stays apart', async () => {
  const named = (at: number) => ({ percentiles: { p95: at <= 1001 ? 4000 : 450 } })
  const { results } = await judged(comparing, requests(2100, named), [requests(2100)])
  const ofEach = Array.from({ length: 1000 }, () => undefined)
  expect(only(results, 'failed').map(({ matches }) => matches?.length)).toEqual([...ofEach, 1])
  const passed = only(results, 'passed')
  expect(passed.map(({ matches }) => matches?.length)).toEqual([...ofEach, 99])
  expect(passed[1000]?.reason).toBe(passed[0]?.reason)
  expect(excusedGateTable(results).title).toBe('Over the limit, but not failed: the 6 costliest of 1,099')
  const left = only(results, 'failed').map((one) => ({ ...one, result: 'left-out' as const }))
  expect(excusedGateTable(left).title).toBe('Over the limit, but not failed: the 6 costliest of 1,000')
  expect((await judged('request "*" p42 <= 1 s', requests(1003))).results).toHaveLength(1003)
  expect((await judged(comparing, requests(1003), [])).results).toHaveLength(1)
  const near = requests(1100, (at) => ({ percentiles: { p95: at <= 50 ? 405 : 406 } }))
  const excused = (await judged('request "*" p95 <= baseline', near, [requests(1100)])).results
  expect(excused.at(-1)?.reason).toBe(
    "Such as: The difference of 6 ms is within the report's resolution of 10 ms.",
  )
})

test('a gate that compares is one of them still: noise may have made all of them fail', async () => {
  const { results } = await judged(comparing, tooSlow(1001))
  expect(results.at(-1)).toEqual(expect.not.objectContaining({ limit: expect.anything() as number }))
  expect(mayBeNoise(results, parseGates(comparing).gates)).toBe(true)
  const errors = (share: number) => requests(1001, () => ({ count: 1000, errors: 1000 * share }))
  const built = await judged('', errors(0.5), [errors(0)])
  expect(built.results.at(-1)).toMatchObject({ builtIn: true, result: 'failed', matches: [all[1000]] })
  expect(mayBeNoise(built.results, [])).toBe(true)
  const ofFixed = built.results.map((one) => (one.matches ? { ...one, limit: 13 } : one))
  expect(mayBeNoise(ofFixed, [])).toBe(false)
})

test('the table of changes marks each of them, and headline and meaning count them', async () => {
  const { results, verdict } = await judged(fixed, tooSlow(1003))
  const baseline = baselineOf([tooSlow(1003)])
  const now = requests(1003, (at) => ({ percentiles: { p95: 4001 + at } }))
  const info = { baseline: { name: 'b', runs: 1 } }
  const { rows } = compareRuns(now, baseline, info, { gates: results })
  expect(rows.filter(({ changes }) => changes?.['p95'] === 'worse')).toHaveLength(1003)
  const outcome = { ...without(green(), 'comparison'), verdict, gates: results }
  expect(headline(outcome)).toMatch(/R1001 1,150% slower/)
  expect(verdictMeaning(outcome)).toMatch(/^All 1,003 gates \(limits\) failed\./)
  expect(renderDigest(outcome)).toContain('Gates: 1,003 failed')
})

test('in a second run each counts by itself, wherever it stands there', async () => {
  const { results: first } = await judged(fixed, tooSlow(1003))
  const some = (fast: number) => requests(1003, (at) => ({ percentiles: { p95: at <= fast ? 400 : 4000 } }))
  const twice = async (fast: number) =>
    judgedTwice(first, (await judged(fixed, some(fast))).results, { first: 1, second: 2 })
  const { results, notes } = await twice(2)
  expect(resultCount(only(results, 'failed'))).toBe(1001)
  expect(only(results, 'passed').map(({ matches, again }) => [matches, again?.result])).toEqual([
    [all.slice(0, 2).toReversed(), 'passed'],
  ])
  expect(notes).toEqual([
    'Not confirmed: 2 of the matches of request "R*" p95 failed in load test 1, but passed in load test 2.',
  ])
  expect(resultCount(only((await twice(0)).results, 'failed'))).toBe(1003)
  const { results: fewer } = await judged(fixed, some(2))
  const late = judgedTwice(fewer, first, { first: 1, second: 2 })
  expect(late.notes).toEqual([
    '2 of the matches of request "R*" p95 failed in load test 2 only; that does not change the verdict.',
  ])
})

test('errors that such a gate has looked at are not found a second time', async () => {
  const broken = requests(1001, () => ({ count: 1000, errors: 300 }))
  expect((await judged('request "*" error-rate <= 60%', broken)).results).toHaveLength(1)
  expect((await judged('request "*" error-rate <= 60%', broken, [])).verdict).toBe('passed')
  expect((await judged('request "*" p95 <= 60 s', broken)).verdict).toBe('failed')
  const seen = await judged('request "*" error-rate <= 20%', broken)
  expect(resultCount(seen.results)).toBe(1001)
})

test('a second run in which so many passed does not confirm the failure of one of them', async () => {
  const slow = requests(1002, (at) => (at === 7 ? { percentiles: { p95: 4000 } } : {}))
  const [first] = (await judged(comparing, slow, [requests(1002)])).results
  expect(first).toMatchObject({ subject: 'request "R7"', result: 'failed' })
  const { results: second } = await judged(comparing)
  const again = (of: GateResult[]) =>
    judgedTwice(first ? [first] : [], of, { first: 1, second: 2 }).results[0]?.result
  expect(again(second)).toBe('passed')
  expect(again(second.map((one) => ({ ...one, matches: one.matches?.slice(10) ?? [] })))).toBe('failed')
})

test('the whole run is that of the kind that they are of', async () => {
  const custom = { kind: 'customTimers', name: 'C' } as const
  const timers = requests(3).timers.requests.timers
  const now = requests(3)
  now.timers.customTimers.timers = [...timers, timer('C'), timer('D')]
  const baseline = baselineOf([now])
  const kindOf = (gates: Pick<GateResult, 'result' | 'matches'>[]) =>
    compareRuns(now, baseline, { baseline: { name: 'b', runs: 1 } }, { gates }).noise?.kind
  expect(kindOf([{ result: 'passed', matches: [{ kind: 'requests', name: 'R1' }] }])).toBe('requests')
  expect(kindOf([{ result: 'passed', matches: [custom] }])).toBe('customTimers')
  expect(kindOf([])).toBe('customTimers')
})

test('words, tables and outputs count them', async () => {
  const { results } = await judged(fixed)
  const outcome = { ...without(green(), 'comparison'), gates: results }
  expect(verdictMeaning(outcome)).toMatch(/^All 1,001 gates \(limits\) passed\./)
  expect(closingGroups(outcome)[0]?.lines[0]?.line).toBe(`passed: ${fixed}: 1,001 matches, limit ≤ 500 ms`)
  const digest = renderDigest(outcome)
  expect(digest).toContain('Gates passed: 1,001')
  expect(digest).toContain('1,001 matches')
  const many = { ...outcome, gates: results.map((one) => ({ ...one, matches: Array(5000).fill(all[0]) })) }
  expect(outputsOf(many, undefined)['gates']).toBe('[{"omitted":5000}]')
})
