import { stepsIn } from '../../src/comparison/steps.js'

/** 30 runs that are higher by a step from the 15th on. */
const risen = (step: number) =>
  Array.from({ length: 30 }, (_, run) => (run < 15 ? 0 : step) + (((run * 7) % 11) - 5) * 0.008)

// Where 4 instead of 0.1 percent of unchanged histories may have a step, each has one.
test.each([
  ['a whole run, whose runs may resemble each other', true, 0.04, []],
  ['one of few timers, which have their run in them', false, 0.04, []],
  ['a whole run that plainly rose', true, 0.05, [14]],
  ['one of few timers that plainly rose', false, 0.05, [14]],
])('%s', (_, isWhole, step, found) => {
  expect(stepsIn([{ values: risen(step), least: 0.0001, isWhole }]).map(({ at }) => at)).toEqual(found)
})
