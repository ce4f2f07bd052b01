import { readBaselineSource, useOfRuns } from '../../src/baseline/source.js'

const read = (text: string, runs = 1) => readBaselineSource(text, { runs }, (path) => `/w/${path}`)

test.each([
  ['', undefined],
  ['artifact', { kind: 'artifact', runs: 1 }],
  ['load-test:17', { kind: 'load-test', number: 17 }],
  ['load-test: 17', { kind: 'load-test', number: 17 }],
  ['perf/testreport.xml', { kind: 'path', path: '/w/perf/testreport.xml' }],
  ['perf/a:b', { kind: 'path', path: '/w/perf/a:b' }],
])('"%s"', (text, source) => {
  expect(read(text)).toEqual(source)
})

test('artifacts stand for several runs', () => {
  expect(read('artifact', 5)).toEqual({ kind: 'artifact', runs: 5 })
  const wanted = { runs: 2, branch: 'release/1', workflow: 'nightly.yml' }
  expect(readBaselineSource('artifact', wanted, String)).toEqual({ kind: 'artifact', ...wanted })
})

test.each(['load-test:', 'load-test:x', 'load-test:1:2', 'load-test:-1'])('%s has no number', (text) => {
  expect(read(text)).toHaveProperty('fault', expect.stringContaining('write load-test:17'))
})

test('each of several lines is a source, and is read once', () => {
  expect(read('\n perf/a.xml \r\nartifact\n\nload-test: 17\nartifact', 3)).toEqual({
    kind: 'several',
    sources: [
      { kind: 'path', path: '/w/perf/a.xml' },
      { kind: 'artifact', runs: 3 },
      { kind: 'load-test', number: 17 },
    ],
  })
  expect(read('artifact\nartifact')).toEqual({ kind: 'artifact', runs: 1 })
  expect(read('perf/a.xml\nload-test:x')).toHaveProperty(
    'fault',
    expect.stringContaining('write load-test:17'),
  )
  const many = Array.from({ length: 21 }, (_, index) => `perf/${index}.xml`).join('\n')
  expect(read(many)).toEqual({ fault: 'baseline names more than 20 sources. Leave some out.' })
})

/**
 * The latest first: `g` is a green run, `r` a red one, `s` a green one 8.1% slower than its baseline, `x` such a one that
 * sets no level; what says how much runs differ is upper case.
 */
test.each([
  ['gRg', 'one'],
  ['gRrg', 'two in a row: the latest'],
  ['grrrg', 'three in a row: a change that stood'],
  ['rgg', 'the latest, which no green one has followed yet'],
  ['rrgRg', 'a regression that is back'],
  ['gr', 'the first of all'],
  ['gggggggggggggggggggRg', 'the last of twenty'],
  ['ggggggggggggggggggggrg', 'the one before twenty'],
  ['gsgg', 'a slow green one alone'],
  ['rxgg', 'a slow one before a red one, which no better one has followed yet'],
  ['gXrg', 'a slow one after a red one: the latest of two in a row'],
  ['gRxg', 'a slow one before a red one: the same'],
  ['gxrxg', 'two slow ones and a red one: three in a row'],
  ['grxrg', 'a slow one among red ones: a change that stood'],
  ['rggXg', 'a slow one three before a red one'],
  ['rgggsg', 'a slow one four before a red one'],
  ['gXggrrr', 'a slow one three after a red one'],
  ['gsgggrrr', 'a slow one four after a red one'],
  ['gggggggggggggggggggXgrrr', 'a slow one, the last of twenty'],
  ['gggggggggggggggggrrrsg', 'a slow one that is not among twenty'],
])('%s: %s', (runs) => {
  const given = [...runs.toLowerCase().replaceAll('x', 's')]
  const { level, spread } = useOfRuns(
    given.map((run) => ({
      isRed: run === 'r',
      ...(run === 'g' ? {} : { slowerBy: run === 's' ? 8.1 : 20 }),
    })),
  )
  const shown = given.map((run, at) => (run === 's' && !level.includes(at) ? 'x' : run))
  expect(shown.map((run, at) => (spread.includes(at) ? run.toUpperCase() : run)).join('')).toBe(runs)
  expect(level).toEqual([...runs].flatMap((run, at) => (/[gs]/.test(run) ? [at] : [])))
})

test.each([
  [8, [0, 2]],
  [8.01, [2]],
])('a green run beside a red one that is %d%% slower', (slowerBy, level) => {
  expect(useOfRuns([{ isRed: false, slowerBy }, { isRed: true }, { isRed: false }]).level).toEqual(level)
})
