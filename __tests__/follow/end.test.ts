import { LostError } from '../../src/errors.js'
import { AnswerError, ServiceError } from '../../src/service/failure.js'
import { operations } from '../../src/service/operations.js'
import type { LoadTest } from '../../src/service/project.js'
import { sleep } from '../../src/clock.js'
import { endDetails, waitForEnd } from '../../src/follow/follow.js'
import { serve } from '../service/raw-service.js'
import { keptLog } from '../kept-log.js'
import { afterBadEnd, endReason } from '../../src/run/run.js'

const operation = operations({ organization: 'o', project: 'p' }).status(8)
const minute = 60_000

/** A service called on a simulated clock, and the log of the caller. */
function world(answer: (now: number, asked: number) => Partial<LoadTest> | Error) {
  let now = 0
  const asked: number[] = []
  const { log, lines } = keptLog()
  const look = async (): Promise<LoadTest> => {
    asked.push(now)
    const said = answer(now, asked.length)
    if (said instanceof Error) throw said
    return { number: 8, ...said }
  }
  const states: (string | undefined)[] = []
  return {
    asked,
    lines,
    states,
    watch: {
      client: { status: look, details: look },
      number: 8,
      timeout: 6 * 60 * minute,
      clock: {
        // As a real one, it does not begin at 0.
        now: () => Date.UTC(2026, 0, 17) + now,
        sleep: async (ms: number, signal?: AbortSignal) => {
          signal?.throwIfAborted()
          now += ms
        },
      },
      signal: new AbortController().signal,
      log,
      onState: ({ state }: LoadTest) => states.push(state),
    },
  }
}

function stateAt(now: number): string {
  if (now < minute) return 'SCHEDULED'
  if (now < 5 * minute) return 'PROVISIONING'
  if (now < 55 * minute) return 'RUNNING'
  return now < 60 * minute ? 'DEPROVISIONING' : 'FINISHED'
}

test('a run of an hour takes a quarter of the requests that polling every 5 s would take, and its end is soon noticed', async () => {
  const { watch, asked, states } = world((now) => ({ state: stateAt(now) }))
  const { ended, test: last } = await waitForEnd(watch)
  expect(ended).toBe(true)
  expect(last.state).toBe('FINISHED')
  expect(asked.length).toBeLessThanOrEqual(720 / 4)
  expect((asked.at(-1) ?? 0) - 60 * minute).toBeLessThanOrEqual(10_000)
  expect(states).toEqual(['SCHEDULED', 'PROVISIONING', 'RUNNING', 'DEPROVISIONING', 'FINISHED'])
})

test('the log shows each state once, with its duration, and is never flooded', async () => {
  const { watch, lines } = world((now) => ({ state: stateAt(now) }))
  await waitForEnd(watch)
  expect(lines.filter((line) => line.includes('is RUNNING'))).toEqual([
    expect.stringMatching(/^Load test 8 is RUNNING \(PROVISIONING took 4 min/),
  ])
  expect(lines.filter((line) => line.includes('has been RUNNING')).length).toBeGreaterThan(5)
  expect(lines.length).toBeLessThan(25)
})

test('an unknown state without an end time is reported once, and the step keeps waiting', async () => {
  const { watch, lines } = world((now) => (now < minute ? { state: 'QUIESCING' } : { state: 'FINISHED' }))
  await waitForEnd(watch)
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
    'warning: The state QUIESCING is unknown; the step keeps waiting.',
  ])
})

test.each<[string, (now: number) => Partial<LoadTest>, string[]]>([
  ['at the first look', () => ({ state: 'ARCHIVED', endTime: 1 }), []],
  [
    'after a while',
    (now) => ({ state: 'ARCHIVED', ...(now < minute ? {} : { endTime: 1 }) }),
    ['warning: The state ARCHIVED is unknown; the step keeps waiting.'],
  ],
])('an unknown state with an end time is an end, and is reported as one: %s', async (_, answer, before) => {
  const { watch, lines } = world(answer)
  await expect(waitForEnd(watch)).resolves.toMatchObject({ ended: true })
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
    ...before,
    'warning: The state ARCHIVED is unknown. Load test 8 has an end time, so it has ended; only FINISHED counts as a success.',
  ])
})

test('past the timeout the run is reported as still running', async () => {
  const { watch, asked } = world(() => ({ state: 'RUNNING' }))
  await expect(waitForEnd({ ...watch, timeout: 10 * minute })).resolves.toEqual({
    ended: false,
    test: { number: 8, state: 'RUNNING' },
  })
  expect(asked.at(-1)).toBe(10 * minute)
})

test('past the timeout, a fault that has hidden the run until then is not forgotten', async () => {
  const { watch } = world((now) => (now < minute ? { state: 'RUNNING' } : vanished))
  await expect(waitForEnd({ ...watch, timeout: 10 * minute })).resolves.toEqual({
    ended: false,
    test: { number: 8, state: 'RUNNING' },
    fault: vanished.message,
  })
})

test('a service that never says a state is reported once, and the step keeps waiting', async () => {
  const { watch, lines } = world((now) => (now < 20 * minute ? {} : { state: 'FINISHED' }))
  await waitForEnd(watch)
  expect(lines.filter((line) => line.includes('is in no known state'))).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('warning'))).toEqual([
    'warning: The service does not say in which state load test 8 is: its start and end times decide. Look at its page on the service for more.',
  ])
})

test('a blip does not end a run, however often it comes', async () => {
  const blip = new ServiceError(operation, { status: 503, executed: 'unknown' })
  const { watch } = world((now, count) =>
    count % 2 ? blip : { state: now < 300 * minute ? 'RUNNING' : 'FINISHED' },
  )
  await expect(waitForEnd(watch)).resolves.toMatchObject({ ended: true })
})

const vanished = new ServiceError(operation, { status: 404, executed: 'no' })
const page = new AnswerError(operation, 'is HTML, not JSON')
const forbidden = new ServiceError(operation, { status: 403, executed: 'no' })

test.each<[string, Error, number]>([
  ['a load test that is not there', vanished, 30],
  ['a foreign answer', page, 30],
  ['a service that is away', new ServiceError(operation, { executed: 'no', broke: 'gone' }), 30],
  ['a refusal', forbidden, 1],
  ['a token that is refused', new ServiceError(operation, { status: 401, executed: 'no' }), 1],
  ['a certificate', new ServiceError(operation, { executed: 'no', broke: 'untrusted', lasting: true }), 1],
])('%s: if that never ends, the step gives up, and names the run', async (_, error, minutes) => {
  const { watch, asked } = world((now) => (now < minute ? { state: 'RUNNING' } : error))
  const ended = waitForEnd(watch)
  await expect(ended).rejects.toThrow(LostError)
  await expect(ended).rejects.toThrow(/^The state of load test 8 could not be read for/)
  const says = expect(await ended.catch(String))
  if (error === vanished) says.toContain('It was there before: somebody may have deleted it.')
  else says.not.toContain('deleted')
  expect(asked.at(-1)).toBeGreaterThanOrEqual(minutes * minute)
  expect(asked.at(-1)).toBeLessThan((minutes + 3) * minute)
})

test('a fault that is not of the service ends the step at once', async () => {
  const { watch, asked } = world(() => new Error('out of memory'))
  await expect(waitForEnd(watch)).rejects.toThrow('out of memory')
  await expect(endDetails(watch)).rejects.toThrow('out of memory')
  expect(asked).toEqual([0, 0])
})

const hidden = (status: number, retryAfterSeconds?: number) =>
  new ServiceError(operation, {
    ...{ status, executed: 'no' as const },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })

test.each<[string, number, number, boolean]>([
  ['two minutes', 120, 60, false],
  ['a day: there is one more look before the end', 86_400, 60, true],
])('a Retry-After of %s is kept', async (_, seconds, timeout, isSaid) => {
  const { watch, asked, lines } = world((now) =>
    now < 60_000 ? hidden(429, seconds) : { state: 'FINISHED' },
  )
  await expect(waitForEnd({ ...watch, timeout: timeout * minute })).resolves.toMatchObject({ ended: true })
  expect(asked.slice(0, 2)).toEqual([0, Math.min(seconds * 1000, (timeout - 1) * minute)])
  expect(lines.some((line) => /asks to wait 24 h.*looking again in 59 min/.test(line))).toBe(isSaid)
})

test('a copy that the service has named and never shows is given up', async () => {
  const never = world(() => hidden(404))
  await expect(waitForEnd(never.watch)).rejects.toThrow(
    /^The state of load test 8 could not be read for 30 min\. .* answered 404\./,
  )
  const late = world((now) => (now < 29 * minute ? hidden(404) : { state: 'FINISHED' }))
  await expect(waitForEnd(late.watch)).resolves.toMatchObject({ ended: true })
  const gone = world((now) => (now < minute || now > 20 * minute ? { state: stateAt(now * 3) } : hidden(404)))
  await expect(waitForEnd(gone.watch)).resolves.toMatchObject({ ended: true })
})

test('a cancelled job stops waiting at once', async () => {
  const { watch } = world(() => ({ state: 'RUNNING' }))
  const signal = AbortSignal.abort(new Error('The job was cancelled.'))
  await expect(waitForEnd({ ...watch, signal })).rejects.toThrow('The job was cancelled.')
})

test('after a status without a state, the details are read', async () => {
  const { watch } = world((_, count) => (count % 2 ? {} : { state: 'FINISHED' }))
  await expect(waitForEnd(watch)).resolves.toMatchObject({ ended: true, test: { state: 'FINISHED' } })
})

test('a status that fails for good is replaced by the details after three minutes', async () => {
  const { watch } = world((now) => ({ state: stateAt(now) }))
  const status = () => Promise.reject(hidden(500))
  const ran = waitForEnd({ ...watch, client: { ...watch.client, status } })
  await expect(ran).resolves.toMatchObject({ ended: true, test: { state: 'FINISHED' } })
})

test('the timeout ends a status call that hangs', async () => {
  const service = await serve(() => undefined)
  await service.client.authenticate()
  const { watch } = world(() => ({}))
  const clock = { now: () => performance.now(), sleep }
  await expect(waitForEnd({ ...watch, client: service.client, clock, timeout: 200 })).resolves.toEqual({
    ended: false,
    test: { number: 8 },
  })
  expect(service.calls()).toHaveLength(1)
})

test.each<[string, Error]>([
  ['404', vanished],
  ['a page', page],
])('the step waits for details that are %s at first, for at most two minutes', async (_, error) => {
  const late = world((now) => (now < minute ? error : { state: 'FINISHED', endTime: 5 }))
  await expect(endDetails(late.watch)).resolves.toEqual({ number: 8, state: 'FINISHED', endTime: 5 })
  const { watch, asked } = world(() => error)
  await expect(endDetails(watch)).resolves.toEqual({ number: 8 })
  expect(asked.at(-1)).toBe(2 * minute)
})

test('details that are refused for a minute are never given', async () => {
  const { watch, asked } = world(() => forbidden)
  await expect(endDetails(watch)).rejects.toThrow(forbidden)
  expect(asked.at(-1)).toBe(minute)
})

const maven = `[INFO] Scanning for projects...
[INFO] ----------------------< com.acme:loadtest >----------------------
[INFO] Building loadtest 1.0
[INFO] --- compiler:3.11.0:compile (default-compile) @ loadtest ---
[INFO] Compiling 12 source files with javac [debug target 17] to target/classes
[INFO] -------------------------------------------------------------
[ERROR] COMPILATION ERROR :
[INFO] -------------------------------------------------------------
[ERROR] /work/suite/src/com/acme/Shop.java:[7,3] cannot find symbol
  symbol:   class Baskett
  location: class com.acme.Shop
[INFO] 1 error
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project loadtest: Compilation failure
[ERROR] -> [Help 1]
[ERROR] Re-run Maven using the -X switch to enable full debug logging.`

const gradle = `> Task :compileJava FAILED
/work/suite/src/Shop.java:7: error: cannot find symbol
  symbol: class Baskett
1 error
FAILURE: Build failed with an exception.
* What went wrong:
Execution failed for task ':compileJava'.`

const compiled = '/work/suite/src/com/acme/Shop.java:[7,3] cannot find symbol'
const goal =
  'Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project loadtest: Compilation failure'

test.each([
  ['a sentence', 'The environment 6.x is retired.', 'The environment 6.x is retired.'],
  ['a long one', 'x'.repeat(400), `${'x'.repeat(299)}…`],
  ['lines without a fault', 'It ended.\nNobody knows why.', 'It ended. Nobody knows why.'],
  ['a sentence before a log', `The build failed.\n${maven}`, `The build failed. ${compiled} ${goal}`],
  ['a log', maven, `${compiled} ${goal}`],
  [
    'a log on one line',
    `The build failed. ${maven.replaceAll('\n', ' ')}`,
    `The build failed. ${compiled} symbol: class Baskett location: class com.acme.Shop ${goal}`,
  ],
  [
    "Gradle's log",
    gradle,
    '/work/suite/src/Shop.java:7: error: cannot find symbol > Task :compileJava FAILED',
  ],
  [
    'the same fault twice',
    `It failed.\n${'[ERROR] A.java:[1,1] no\n'.repeat(9)}`,
    'It failed. A.java:[1,1] no',
  ],
  [
    'blank and indented lines',
    `It failed.\r\n\r\n   A.java:7: error: no \n`,
    'It failed. A.java:7: error: no',
  ],
  [
    'a sentence with a bracket',
    'It failed [twice].\nA.java:7: error: no',
    'It failed [twice]. A.java:7: error: no',
  ],
  ['a fault without a space', 'It failed.\n[ERROR]A.java:7 no', 'It failed. A.java:7 no'],
  ['nothing', ' \n ', ''],
  ['a line without end', `It failed.\n[ERROR] ${'y'.repeat(400)}`, `It failed. ${'y'.repeat(179)}…`],
])('the reason of an end: %s', (_, text, due) => {
  expect(endReason(text)).toBe(due)
})

test.each([
  ['ERROR', true, /^Correct what the reason names.* Look at https:\/\/x\.test\/17 for the whole log\.$/],
  ['ABORTED', false, /^Look at https:\/\/x\.test\/17 for why it ended, or who ended it\./],
  ['ERROR', false, /^Look at https:\/\/x\.test\/17 for the cause/],
])('what to do after %s, with a reason for that it never ran: %s', (state, isBuildFault, due) => {
  const run = { number: 17, url: 'https://x.test/17', state }
  expect(afterBadEnd(run, isBuildFault)).toEqual([expect.stringMatching(due)])
  expect(afterBadEnd({ number: 17, state }, isBuildFault).join()).toContain(
    'Look at load test 17 on the service for',
  )
})
