import { untilBuilt } from '../../src/follow/follow.js'
import type { Uploaded } from '../../src/run/run.js'
import { defined } from '../../src/text/fields.js'
import { simulatedClock } from '../fake-service.js'
import { json, serve } from '../service/raw-service.js'
import { toldOutcome, worded } from '../told.js'

/* What mode start tells about its run, and how long it holds the lock of the uploads. */

const sha512 = 'a'.repeat(128)
const other = 'b'.repeat(128)

interface Built {
  /** The states that the details show, one after the other; the last one stays. */
  states: string[]
  record?: object
  /** More that the details tell about the execution. */
  ending?: object
  upload?: boolean
  uploaded?: Uploaded | undefined
  /** Milliseconds. */
  timeout?: number
}

async function started({
  states,
  record = {},
  ending = {},
  upload = true,
  timeout = 3_600_000,
  ...more
}: Built) {
  const uploaded = 'uploaded' in more ? more.uploaded : { sha512 }
  const { client, log, calls } = await serve((_, response, count) =>
    json(response, {
      index: 8,
      ...record,
      executionState: { state: states[Math.min(count, states.length) - 1], ...ending },
    }),
  )
  const clock = simulatedClock()
  const began = clock.now()
  const world = { clock, log, signal: new AbortController().signal }
  const session = { inputs: { timeout, upload }, world, client, ...toldOutcome() }
  const launched = { run: { number: 8, state: 'NEW' }, ...defined({ uploaded }) }
  const fault: unknown = await untilBuilt(session, launched).catch((error: unknown) => error)
  const { verdict, reasons, advice, run } = worded(session.told())
  return { verdict, reasons, advice, run, fault, looks: calls().length, waited: clock.now() - began }
}

const goesOn = [
  'Load test 8 is still running. Stop it on the service if you no longer need it.',
  'To follow and judge it later, run this step with mode: collect and run-number: 8; that starts nothing new.',
]
const [, collectLater] = goesOn

test('a run without an upload does not wait: nothing is asked', async () => {
  const seen = await started({ states: ['NEW'], upload: false })
  expect(seen).toMatchObject({ verdict: 'started', advice: goesOn, looks: 0, waited: 0 })
  expect(seen.reasons).toEqual(['The load test was started; this step does not wait for it.'])
})

test.each<[string, Built, object]>([
  [
    'runs',
    { states: ['NEW', 'PROVISIONING', 'RUNNING'] },
    {
      ...{ verdict: 'started', advice: goesOn, looks: 3, waited: 10_000 },
      reasons: ['The load test was started and built; this step does not wait for its end.'],
      run: { number: 8, state: 'RUNNING' },
    },
  ],
  [
    'has finished already',
    { states: ['FINISHED'] },
    {
      ...{ verdict: 'started', advice: [collectLater], looks: 1, waited: 0 },
      reasons: ['The load test has already finished.'],
    },
  ],
  [
    'could not be built',
    { states: ['NEW', 'ERROR'], ending: { reason: 'No pom.xml.' } },
    {
      ...{ verdict: 'load-test-failed', advice: [collectLater] },
      reasons: ['Load test 8 ended in ERROR: No pom.xml.'],
    },
  ],
  [
    'was ended by somebody',
    { states: ['ABORTED'] },
    { verdict: 'load-test-failed', reasons: ['Load test 8 ended in ABORTED.'] },
  ],
])('a run that %s', async (_, given, due) => {
  expect(await started(given)).toMatchObject({ fault: undefined, ...due })
})

test.each([
  ['half an hour', 3_600_000, 30],
  ['the timeout, if it is shorter', 600_000, 10],
])('a run that is not built within %s may get the code of another job', async (_, timeout, minutes) => {
  const seen = await started({ states: ['PROVISIONING'], timeout })
  expect(seen).toMatchObject({ verdict: 'started', advice: goesOn, waited: minutes * 60_000 })
  expect(seen.reasons).toEqual([
    `Load test 8 was still PROVISIONING after ${minutes} min: it may not have been built yet. If another job uploads before that, its code may be tested in this run. Keep other jobs from uploading to this project until it is RUNNING.`,
  ])
})

test.each<[string, object, Uploaded | undefined, boolean]>([
  ['what was uploaded', { revision: sha512 }, { sha512 }, false],
  ['another archive', { revision: other }, { sha512 }, true],
  ['an archive that it does not name', {}, { sha512 }, false],
  ['another archive, and nothing is known to have been uploaded', { revision: other }, undefined, false],
])('a run that is built from %s', async (_, record, uploaded, isForeign) => {
  const { fault, verdict } = await started({ states: ['RUNNING'], record, uploaded })
  const message = expect.stringMatching(
    /^Load test 8 is built from the code archive with the SHA-512 bbbb/,
  ) as string
  const foreign = expect.objectContaining({ name: 'UserError', message }) as unknown
  expect([fault, verdict]).toEqual(isForeign ? [foreign, 'error'] : [undefined, 'started'])
})
