import { LostError, StartError } from '../../src/errors.js'
import { brokenOff, mayStillRun } from '../../src/run/run.js'
import { worded } from '../told.js'

/* What a step that was broken off says about the run that it leaves. */

const going = new AbortController().signal
const fault = new Error('The connection broke.')
const collect =
  'To follow and judge it later, run this step with mode: collect and run-number: 10; that starts nothing new.'
const unknown =
  'Load test 10 may still be running. If it is, and you no longer need it, stop it on the service.'
const run = (state: string, url?: string) => ({ number: 10, state, ...(url === undefined ? {} : { url }) })

test.each<[string, unknown, ReturnType<typeof run> | undefined, string[]]>([
  ['without a run', fault, undefined, []],
  [
    'a start of which nobody knows',
    new StartError('No answer.', ['It may appear.']),
    undefined,
    ['It may appear.'],
  ],
  [
    'a run that goes on',
    fault,
    run('RUNNING'),
    ['Load test 10 is still running. Stop it on the service if you no longer need it.', collect],
  ],
  [
    'a run with a page',
    new StartError('Gone.', ['It may appear.']),
    run('STARTING', 'https://x/10'),
    [
      'Load test 10 is still running at https://x/10 and can be stopped there if you no longer need it.',
      collect,
    ],
  ],
  ['a run that has ended', fault, run('FINISHED'), [collect]],
  ['a run that could not be seen any more', new LostError('Gone.'), run('RUNNING'), [unknown, collect]],
  ['a run in an unknown state', fault, run('CANCELED'), [unknown, collect]],
])('%s', (_, error, left, advice) => {
  const reasons = [error instanceof Error ? error.message : '']
  expect(worded(brokenOff(error, left, going))).toEqual({ verdict: 'error', reasons, advice })
  const cancelled = { verdict: 'cancelled', reasons: ['The job was cancelled.'], advice }
  expect(worded(brokenOff(error, left, AbortSignal.abort()))).toEqual(cancelled)
})

test.each([
  [undefined, 'stop it on the service.'],
  ['https://x/10', 'stop it at https://x/10.'],
])('a run of which nothing is known, with the page %s', (url, where) => {
  const left = { number: 10, ...(url === undefined ? {} : { url }) }
  expect(mayStillRun(left)).toBe(
    `Load test 10 may still be running. If it is, and you no longer need it, ${where}`,
  )
})
