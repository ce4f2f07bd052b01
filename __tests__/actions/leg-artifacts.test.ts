import { outcomeNames } from '../../src/inputs/merge-source.js'
import { legArtifacts } from '../../src/actions/merge/leg-artifacts.js'
import { distinction, testedName } from '../../src/text/attempt-name.js'

const legsOf = (patterns: string[], ...names: string[]) =>
  legArtifacts(
    names.map((name, id) => ({ id, name, size: 1 })),
    { outcomes: patterns.map(outcomeNames), own: 'o' },
  ).map(({ leg, artifact }) => `${leg}=${artifact.id}`)

test('a leg is named by what the wildcard matches, with or without a file extension', () => {
  const names = ['load-test-outcome-search.json', 'load-test-report-search.tar.gz', 'load-test-outcome-login']
  expect(legsOf(['load-test-outcome-*'], ...names)).toEqual(['login=2', 'search=0'])
  expect(legsOf(['load-test-outcome-*.json'], ...names)).toEqual(['login=2', 'search=0'])
})

test.each([
  ['*-outcome', 'search-outcome.json', 'search=0'],
  ['a-*-b-*-c', 'a-1-b-2-c', '1-b-2=0'],
  ['leg-?', 'leg-7.json', '7=0'],
  ['the-outcome', 'the-outcome.json', 'the-outcome=0'],
  ['*', 'anything', 'anything=0'],
  ['[a]+*', '[a]+b', 'b=0'],
])('%s names %s', (pattern, name, leg) => {
  expect(legsOf([pattern], name)).toEqual([leg])
})

test.each([
  ['load-test-outcome-*', 'load-test-outcome.json'],
  ['leg-?', 'leg-17'],
  ['a.c', 'abc'],
])('%s does not name %s', (pattern, name) => {
  expect(legsOf([pattern], name)).toEqual([])
})

test('several patterns: the first that matches names the leg', () => {
  expect(legsOf(['nightly-*', '*-outcome'], 'nightly-outcome', 'x-outcome')).toEqual(['outcome=0', 'x=1'])
})

test('legs for which the wildcards of two patterns stand for the same have their whole names', () => {
  expect(legsOf(['a-*', 'b-*'], 'a-x', 'b-x.json', 'b-y')).toEqual(['a-x=0', 'b-x=1', 'y=2'])
})

test('the newest artifact of a name counts, even that of a later attempt whose name was taken', () => {
  expect(legsOf(['o-*'], 'o-a', 'o-b', 'o-a')).toEqual(['a=2', 'b=1'])
  expect(legsOf(['o-*'], 'o-a', 'o-a-fast', 'o-a-fast-run-17-attempt-2.json')).toEqual(['a=0', 'a-fast=2'])
  expect(legsOf(['*-o'], 'a-o.json', 'a-o-run-17-attempt-2.json')).toEqual(['a=1'])
})

test.each([
  [17, undefined],
  [undefined, undefined],
  [undefined, 'load-test-report.tar.gz of workflow run 12'],
])('a later attempt is what the step has named like that: run %s, report %s', (run, report) => {
  const later = `o-a-${distinction(testedName(run, report), '12')}.json`
  expect(legsOf(['o-*'], 'o-a.json', later)).toEqual(['a=1'])
})

test.each([
  'retry-attempt-2',
  'attempt-2',
  'run-attempt-2',
  'run-17a-attempt-2',
  'run-17-attempt-2a',
  'run-17-attempt-1',
  'run-17-attempt-0',
  'rerun-17-attempt-2',
  'merged-attempt-2',
])('a leg whose name only looks like that is another leg: a-%s', (rest) => {
  expect(legsOf(['o-*'], 'o-a.json', `o-a-${rest}.json`)).toEqual(['a=0', `a-${rest}=1`])
})

test('what this job attached in an earlier attempt is not a leg', () => {
  expect(legsOf(['o-*'], 'o-a', 'o-merged-attempt-2.json')).toEqual(['a=0'])
  expect(legsOf(['o-*'], 'o-a', 'o-merged-attempt-b')).toEqual(['a=0', 'merged-attempt-b=1'])
})

test('an artifact whose name only a lost try has taken is that of its leg, unless several could be', () => {
  expect(legsOf(['o-*'], 'o-a-run-17-attempt-1.json', 'o-b')).toEqual(['a=0', 'b=1'])
  expect(legsOf(['o-*'], 'o-a-run-17-attempt-2.json', 'o-a-b')).toEqual(['a=0', 'a-b=1'])
  expect(legsOf(['o-*'], 'o-a-run-17-attempt-1', 'o-a-run-18-attempt-1')).toEqual([
    'a-run-17-attempt-1=0',
    'a-run-18-attempt-1=1',
  ])
})

test('two legs of one attempt with the same name stay two legs', () => {
  expect(legsOf(['o-*'], 'o-a', 'o-a-run-17-attempt-1')).toEqual(['a=0', 'a-run-17-attempt-1=1'])
})
