import { hasEnded, isBuilt, phaseOf, type Phase } from '../../src/service/project.js'

/** Whether a load test in this state has ended, and whether it is built, without and with an end time. */
const rows: [string | undefined, Phase, [boolean, boolean], [boolean, boolean]][] = [
  ['NEW', 'preparing', [false, false], [false, false]],
  ['SCHEDULED', 'preparing', [false, false], [false, false]],
  ['STARTING', 'preparing', [false, false], [false, false]],
  ['PROVISIONING', 'preparing', [false, false], [false, false]],
  ['RUNNING', 'running', [false, false], [true, true]],
  ['STOPPING', 'ending', [false, false], [true, true]],
  ['DEPROVISIONING', 'ending', [false, false], [true, true]],
  ['FINISHED', 'finished', [true, true], [true, true]],
  ['ABORTED', 'aborted', [true, true], [true, true]],
  ['ERROR', 'error', [true, true], [true, true]],
  // A state that nobody knows does not end a run, and an end time does.
  ['PAUSED', 'unknown', [false, true], [false, true]],
  ['finished', 'unknown', [false, true], [false, true]],
  ['toString', 'unknown', [false, true], [false, true]],
  ['', 'unknown', [false, true], [false, true]],
  [undefined, 'unknown', [false, true], [false, true]],
]

test.each(rows)('%s is %s; has ended: %j; is built: %j', (state, phase, ended, built) => {
  const test = state === undefined ? {} : { state }
  const both = [test, { ...test, endTime: 1_795_000_000_000 }]
  expect(phaseOf(state)).toBe(phase)
  expect(both.map(hasEnded)).toEqual(ended)
  expect(both.map(isBuilt)).toEqual(built)
  // As an outcome has it.
  expect(hasEnded({ ...test, endTime: '2026-11-22T10:00:00Z' })).toBe(ended[1])
})
