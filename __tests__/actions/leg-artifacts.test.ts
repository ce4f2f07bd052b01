import { legArtifacts } from '../../src/actions/merge/merge.js'
import { distinction, testedName } from '../../src/text/attempt-name.js'

const legsOf = (...names: string[]) =>
  legArtifacts(
    names.map((name, id) => ({ id, name, size: 1 })),
    'o',
  ).map(({ leg, artifact }) => `${leg}=${artifact.id}`)

test('a leg is named by what stands between the name of the step and -outcome, with or without an extension', () => {
  expect(legsOf('o-search-outcome.json', 'o-search-report.tar.gz', 'o-login-outcome')).toEqual([
    'login=2',
    'search=0',
  ])
})

test.each(['o-outcome.json', 'o--outcome', 'p-a-outcome', 'oo-a-outcome', 'o-a-outcomes', 'a-outcome'])(
  '%s is not of a leg',
  (name) => {
    expect(legsOf(name)).toEqual([])
  },
)

test('the newest artifact of a name counts, even that of a later attempt whose name was taken', () => {
  expect(legsOf('o-a-outcome', 'o-b-outcome', 'o-a-outcome')).toEqual(['a=2', 'b=1'])
  expect(legsOf('o-a-outcome.json', 'o-a-outcome-run-17-attempt-2.json')).toEqual(['a=1'])
  expect(
    legsOf('o-a-outcome', 'o-a-outcome-fast-outcome', 'o-a-outcome-fast-outcome-run-17-attempt-2'),
  ).toEqual(['a=0', 'a-outcome-fast=2'])
})

test.each([
  [17, undefined, 1],
  [undefined, undefined, 1],
  [undefined, 'load-test-report.tar.gz of workflow run 12', 1],
  [17, undefined, 256],
  [undefined, 'x'.repeat(70), 2],
])('a later attempt is what the step has named like that: run %s, report %s, try %s', (run, report, nth) => {
  const later = `o-a-outcome-${distinction(testedName(run, report), '12', nth)}.json`
  expect(legsOf('o-a-outcome.json', later)).toEqual(['a=1'])
})

test.each([
  'retry-attempt-2',
  'attempt-2',
  'run-attempt-2',
  'run-17a-attempt-2',
  'run-17-attempt-2a',
  'run-17-attempt-0',
  'rerun-17-attempt-2',
  'merged-attempt-2',
])('what only looks like a later attempt is none: o-a-outcome-%s', (rest) => {
  expect(legsOf('o-a-outcome.json', `o-a-outcome-${rest}.json`)).toEqual(['a=0'])
})

test('what this job attached, in this attempt or an earlier one, is not a leg', () => {
  expect(legsOf('o-a-outcome', 'o-outcome.json', 'o-outcome-merged-attempt-2.json')).toEqual(['a=0'])
})

test('an artifact whose name only a lost try has taken is that of its leg, unless several could be', () => {
  expect(legsOf('o-a-outcome-run-17-attempt-1.json', 'o-b-outcome')).toEqual(['a=0', 'b=1'])
  expect(legsOf('o-a-outcome-run-17-attempt-2.json', 'o-a-b-outcome')).toEqual(['a=0', 'a-b=1'])
  expect(legsOf('o-a-outcome-run-17-attempt-1', 'o-a-outcome-run-18-attempt-1')).toEqual([
    'a-run-17-attempt-1=0',
    'a-run-18-attempt-1=1',
  ])
})

test('a second and a third step of one name are legs of their own, whatever became of the first', () => {
  const report = 'run-of-report.json'
  expect(
    legsOf('o-a-outcome', `o-a-outcome-${report}-attempt-1`, `o-a-outcome-${report}-2-attempt-1.json`),
  ).toEqual(['a=0', `a-${report}-2-attempt-1=2`, `a-${report}-attempt-1=1`])
  expect(legsOf('o-outcome', `o-outcome-${report}-attempt-1`)).toEqual([])
})
