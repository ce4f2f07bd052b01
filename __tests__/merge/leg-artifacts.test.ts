import { outcomeNames } from '../../src/inputs/merge-source.js'
import { legArtifacts } from '../../src/merge/leg-artifacts.js'

const legsOf = (patterns: string[], ...names: string[]) =>
  legArtifacts(
    names.map((name, id) => ({ id, name, size: 1 })),
    { outcomes: patterns.map(outcomeNames), own: outcomeNames('o-merged-attempt-*') },
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

test('the newest artifact of a name counts, even that of a later attempt whose name was taken', () => {
  expect(legsOf(['o-*'], 'o-a', 'o-b', 'o-a')).toEqual(['a=2', 'b=1'])
  expect(legsOf(['o-*'], 'o-a', 'o-a-fast', 'o-a-fast-run-17-attempt-2.json')).toEqual(['a=0', 'a-fast=2'])
})

test('what this job attached in an earlier attempt is not a leg', () => {
  expect(legsOf(['o-*'], 'o-a', 'o-merged-attempt-2.json')).toEqual(['a=0'])
})

test('two legs of one attempt with the same name stay two legs', () => {
  expect(legsOf(['o-*'], 'o-a', 'o-a-run-17-attempt-1')).toEqual(['a=0', 'a-run-17-attempt-1=1'])
})
