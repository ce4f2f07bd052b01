import { passingReds } from '../../src/baseline/red-runs.js'

/** The latest first: `g` is a green run, `r` a red one; those that count are upper case. */
test.each([
  ['gRg', 'one'],
  ['gRrg', 'two in a row: the latest'],
  ['grrrg', 'three in a row: a change that stood'],
  ['rgg', 'the latest, which no green one has followed yet'],
  ['rrgRg', 'a regression that is back'],
  ['gr', 'the first of all'],
  ['gggggggggggggggggggRg', 'the last of twenty'],
  ['ggggggggggggggggggggrg', 'the one before twenty'],
])('%s: %s', (runs) => {
  const isGreen = [...runs.toLowerCase()].map((run) => run === 'g')
  const marked = [...runs.toLowerCase()].map((run, at) =>
    passingReds(isGreen).includes(at) ? run.toUpperCase() : run,
  )
  expect(marked.join('')).toBe(runs)
})
