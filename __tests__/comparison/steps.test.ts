import { stepsIn, type Track } from '../../src/comparison/steps.js'

/** 30 runs that are higher by a step from one of them on. */
const risen = (step: number, from = 15) =>
  Array.from({ length: 30 }, (_, run) => (run < from ? 0 : step) + (((run * 7) % 11) - 5) * 0.008)

// Where 3 instead of 0.1 percent of unchanged histories may have a step, each has one.
test.each([
  ['a whole run, whose runs may resemble each other', true, 0.04, []],
  ['one of few timers, which have their run in them', false, 0.04, []],
  ['a whole run that plainly rose', true, 0.05, [14]],
  ['one of few timers that plainly rose', false, 0.05, [14]],
])('%s', (_, isWhole, step, found) => {
  expect(stepsIn([{ values: risen(step), least: 0.0001, isWhole }]).map(({ at }) => at)).toEqual(found)
})

test.each([
  [18, [15, 15]],
  [19, [15, 19]],
])('of a clear step at the 15th run and a smaller one at the %dth, the steps are at %j', (from, found) => {
  const tracks = [risen(0.8), risen(0.4, from)].map((values) => ({ values, least: 0.0001, isWhole: true }))
  expect(stepsIn(tracks).map(({ at }) => at)).toEqual(found)
  expect(stepsIn(tracks.toReversed()).map(({ at }) => at)).toEqual(found)
})

/** The same where each run resembles the one before. */
const wave = (step: number) =>
  Array.from({ length: 30 }, (_, run) => (run < 15 ? 0 : step) + 0.05 * Math.sin(run / 2))

/** A track alone. */
const stepsOf = (values: readonly number[], least = 0.0001) =>
  stepsIn([{ values, least, isWhole: true }])
    .map(({ at }) => at)
    .sort((a, b) => a - b)

test.each([
  ['a figure that is far from those beside it', risen(0.1).with(17, 5), [15]],
  ['runs that did not measure it', risen(0.1).with(3, NaN).with(20, NaN), [15]],
  ['the first run after a step did not measure it', risen(0.1).with(15, NaN), [16]],
  ['a step and one back', risen(0.4, 10).map((value, run) => value - (run < 20 ? 0 : 0.4)), [10, 20]],
  ['no run', [], []],
  ['four runs at either side', [0, 0, 0, 0, 5, 5, 5, 5], [4]],
  ['three before', [0, 0, 0, 5, 5, 5, 5], []],
  ['three after', [0, 0, 0, 0, 5, 5, 5], []],
  ['just too small', risen(0.047), []],
  ['just large enough', risen(0.048), [14]],
  ['the same where runs resemble each other: too small', wave(0.25), []],
  ['the same where runs resemble each other: large enough', wave(0.26), [14]],
])('a track alone: %s', (_, values, at) => {
  expect(stepsOf(values)).toEqual(at)
})

test('nothing is known more exactly than a figure varies at least', () => {
  const values = Array.from({ length: 30 }, (_, run) => (run < 15 ? 0 : 0.02))
  expect(stepsOf(values, 0.00001)).toEqual([15])
  expect(stepsOf(values, 0.001)).toEqual([])
})

describe('what all timers have in common in a run', () => {
  /** So many timers with the same days, and steps of their own. */
  const timers = (
    count: number,
    day: (run: number) => number,
    step: (timer: number, run: number) => number,
  ) =>
    Array.from({ length: count }, (_, timer): Track => {
      const own = (run: number) => (((run * 7 + timer * 5) % 11) - 5) * 0.004
      const values = Array.from({ length: 30 }, (__, run) => timer + day(run) + step(timer, run) + own(run))
      return { values, least: 0.0001, isWhole: false }
    })
  const found = (tracks: readonly Track[]) =>
    stepsIn(tracks)
      .map(({ track, at }) => `${track} at ${at}`)
      .sort()
  const day = (run: number) => (run % 2 === 0 ? 0.3 : -0.3)
  const one = (timer: number, run: number) => (timer === 2 && run >= 14 ? 0.08 : 0)

  test('is taken from five of them, so that a step of one shows; of four it is not known', () => {
    expect(found(timers(5, day, one))).toEqual(['2 at 14'])
    expect(found(timers(4, day, one))).toEqual([])
  })

  test.each([
    [0.025, []],
    [0.026, ['2 at 14']],
  ])('besides, one of 12 has a step of %d: %j', (by, steps) => {
    const step = (timer: number, run: number) => (timer === 2 && run >= 14 ? by : 0)
    expect(found(timers(12, () => 0, step))).toEqual(steps)
  })

  test('is not taken from errors, which have their own', () => {
    const errors = timers(1, () => 0, one).map((track) => ({ ...track, isWhole: true }))
    expect(found([...timers(6, day, one), ...errors])).toEqual(['2 at 14'])
  })

  test('has its own steps, which each of them keeps', () => {
    const all = (_: number, run: number) => (run >= 10 && run < 20 ? 0.5 : 0)
    expect(found(timers(5, () => 0, all))).toEqual(
      [0, 1, 2, 3, 4].flatMap((timer) => [`${timer} at 10`, `${timer} at 20`]),
    )
  })

  test('has no step where days merely resemble each other', () => {
    const alike = (run: number) => wave(0.2)[run] ?? 0
    expect(found(timers(6, alike, () => 0))).toEqual([])
  })

  test('makes no step of those that did not change, if half of the others did', () => {
    const half = (timer: number, run: number) => (timer < 5 && run >= 14 ? 0.1 : 0)
    expect(found(timers(10, day, half))).toEqual([0, 1, 2, 3, 4].map((timer) => `${timer} at 14`))
  })
})
