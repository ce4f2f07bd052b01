import { getEventListeners } from 'node:events'
import { AnswerError, ServiceError, type FailureFacts } from '../../src/service/failure.js'
import { deadline, sleep } from '../../src/clock.js'
import { repeat, type Patience } from '../../src/service/patience.js'
import { calls } from '../fake-service.js'
import { keptLog } from '../kept-log.js'

const quick: Patience = { firstPause: 1, longestPause: 2, total: 60_000 }
const fault = (facts: Partial<FailureFacts>) =>
  new ServiceError(calls.list(), { executed: 'unknown', ...facts })
const busy = fault({ status: 503 })
const wrong = () => new AnswerError(calls.list(), 'is not JSON')

/** A call that fails with these faults, one after the other, and then answers how often it was made. */
async function repeated(faults: Error[], patience: Patience = quick, signal?: AbortSignal) {
  let tries = 0
  const { log, lines } = keptLog()
  const call = async () => {
    const next = faults[tries++]
    if (next) throw next
    return tries
  }
  const end: unknown = await repeat(call, patience, log, signal).catch((error: unknown) => error)
  return { end, tries, lines }
}

test.each<[string, Error]>([
  ['503', busy],
  ['429', fault({ status: 429 })],
  ['408', fault({ status: 408 })],
  ['a broken connection', fault({})],
])('a call is repeated after %s', async (_, passing) => {
  expect(await repeated([passing, passing, passing, passing])).toMatchObject({ end: 5, tries: 5 })
})

test.each<[string, Error]>([
  ['404', fault({ status: 404 })],
  ['401', fault({ status: 401 })],
  ['a certificate that is not trusted', fault({ lasting: true })],
  ['a fault of ours', new Error('x')],
])('a call is not repeated after %s, and nothing is said', async (_, lasting) => {
  expect(await repeated([lasting])).toEqual({ end: lasting, tries: 1, lines: [] })
  const later = await repeated([busy, lasting])
  expect(later).toMatchObject({ end: lasting, tries: 2 })
  expect(later.lines).toEqual([expect.stringMatching(/answered 503\. .* Trying again\.$/)])
})

test('a wrong answer is asked for three times in all, whatever comes in between', async () => {
  const third = wrong()
  expect(await repeated([wrong(), wrong()])).toMatchObject({ end: 3 })
  const given = await repeated([wrong(), busy, wrong(), busy, third])
  expect(given).toMatchObject({ end: third, tries: 5 })
  expect(given.lines).toHaveLength(4)
})

test('after its time a call is not repeated, and nothing says that it is', async () => {
  expect(await repeated([busy], { ...quick, total: 0 })).toEqual({ end: busy, tries: 1, lines: [] })
})

test('what the step has done before a call takes nothing of its time', async () => {
  const total = 1.5 * performance.now()
  expect(await repeated([busy], { ...quick, total })).toMatchObject({ end: 2, tries: 2 })
})

test('the time is read again after each fault', async () => {
  let total = 60_000
  const shrinking: Patience = {
    ...quick,
    get total() {
      return total
    },
  }
  const { log } = keptLog()
  let tries = 0
  const call = () => {
    if (++tries === 3) total = 0
    return Promise.reject(busy)
  }
  await expect(repeat(call, shrinking, log)).rejects.toBe(busy)
  expect(tries).toBe(3)
})

test('a fault is described once as long as it is the same', async () => {
  const { lines } = await repeated([busy, fault({ status: 503 }), fault({ status: 502 }), busy])
  expect(lines).toEqual([
    expect.stringMatching(/answered 503\. .* Trying again\.$/),
    'Attempt 2 failed the same way. Trying again.',
    expect.stringMatching(/answered 502\. .* Trying again\.$/),
    expect.stringMatching(/answered 503\. .* Trying again\.$/),
  ])
})

test('Retry-After is waited for', async () => {
  const asked = fault({ status: 429, retryAfterSeconds: 0.1 })
  const events: string[] = []
  const call = async () => {
    if (events.push('call') === 1) throw asked
  }
  setTimeout(() => events.push('a while later'), 30)
  await repeat(call, quick, keptLog().log)
  expect(events).toEqual(['call', 'a while later', 'call'])
})

test('a Retry-After beyond the time of the call ends it, and the log says why', async () => {
  const asked = fault({ status: 429, retryAfterSeconds: 61 })
  const { end, tries, lines } = await repeated([asked])
  expect({ end, tries }).toEqual({ end: asked, tries: 1 })
  expect(lines).toEqual(['The service asks to wait 1 min 1 s, which is longer than this call may take.'])
})

test('a cancelled job ends the repetition and its pauses, with its reason', async () => {
  const cancel = new AbortController()
  const asked = fault({ status: 429, retryAfterSeconds: 30 })
  const slow = repeated([asked], quick, cancel.signal)
  setTimeout(() => cancel.abort(new Error('cancelled')), 5)
  expect(await slow).toMatchObject({ end: new Error('cancelled'), tries: 1 })
  const before = await repeated([busy], quick, AbortSignal.abort(new Error('cancelled')))
  expect(before).toMatchObject({ end: new Error('cancelled'), tries: 0 })
})

describe('a pause', () => {
  test('ends', async () => {
    await expect(sleep(1)).resolves.toBeUndefined()
    const { signal } = new AbortController()
    await expect(sleep(1, signal)).resolves.toBeUndefined()
    // A run of hours has thousands of them.
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test.each<[string, unknown, string]>([
    ['a reason', new Error('cancelled'), 'cancelled'],
    ['a reason that is not an error', 'cancelled', 'aborted'],
  ])('that is cut off rejects with %s', async (_, reason, due) => {
    const cancel = new AbortController()
    const long = sleep(60_000, cancel.signal)
    cancel.abort(reason)
    await expect(long).rejects.toThrow(due)
    await expect(sleep(60_000, cancel.signal)).rejects.toThrow(due)
  })
})

test('a deadline is in the future, whatever the number', async () => {
  const signals = [1e15, 2 ** 31, 60_000].map(deadline)
  const past = [-5, 0, 0.2].map(deadline)
  await sleep(20)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  expect(past.map(({ aborted }) => aborted)).toEqual([true, true, true])
})
