import { AnswerError, ServiceError, type FailureFacts } from '../../src/service/failure.js'
import { namelessAnswer, type StartAnswer } from '../../src/service/service.js'
import type { Operation } from '../../src/service/operations.js'
import type { LoadTest } from '../../src/service/project.js'
import type { StartNote } from '../../src/run/run.js'
import { StartError } from '../../src/errors.js'
import { existing } from '../../src/run/new-copies.js'
import { startOnce as begin, type Start } from '../../src/start/once.js'
import { answered, calls } from '../fake-service.js'
import { keptLog } from '../kept-log.js'

const template: LoadTest = { number: 1, name: 'Webshop' }
const nameless: StartNote = {
  ...{ service: 'https://x.test', organization: 'acme', project: 'shop', template: 1, attempt: 1 },
  ...{ id: 'a', at: '2026-11-22T10:00:00Z', highest: 1 },
}
const note: StartNote = { ...nameless, templateName: 'Webshop' }
const second = 1000
const minute = 60 * second

const { log } = keptLog()

const fails = (facts: FailureFacts) => namelessAnswer(new ServiceError(calls.runCopy(1), facts))
const says = (status: number, method?: Operation['method']) =>
  namelessAnswer(new ServiceError(calls.runCopy(1, method), { status, executed: 'unknown' }))
const dropped = fails({ executed: 'unknown', broke: 'the connection broke' })
const unanswered = fails({ executed: 'unknown', unanswered: true, broke: 'no answer within 300 s' })
const unnamed: StartAnswer = { is: 'unnamed', fault: new AnswerError(calls.runCopy(1), 'is not JSON') }
const named = (copy: LoadTest): StartAnswer => ({ is: 'named', copy })
const unproven = (number: number): StartAnswer => ({ is: 'named', copy: { number }, unproven: true })
const away = new ServiceError(calls.list(), { status: 503, executed: 'unknown' })
const noList = () => Promise.reject(new ServiceError(calls.list(), { status: 403, executed: 'no' }))

const copy: LoadTest = { number: 2, name: 'Webshop (copy)' }
const twin: LoadTest = { number: 4, name: 'Webshop (copy)' }
/** Another step has noted that it started this one. */
const theirs: LoadTest = { number: 60, name: 'Webshop (copy)' }

interface Act {
  hears: StartAnswer | Error
  /** What the list finally shows, by milliseconds after the request. */
  appears?: Record<number, LoadTest>
}

interface Trouble {
  details?: LoadTest[]
  /** Times at which the list is not available, after it was first read. */
  isListAway?: (now: number) => boolean
  /** As the OpenAPI document has it. */
  method?: Operation['method'] | undefined
}

/** A service with its own clock; a script decides its answers. */
function world(acts: Act[], trouble: Trouble = {}) {
  const { details = [], isListAway = () => false } = trouble
  const method = 'method' in trouble ? trouble.method : 'GET'
  let now = 0
  const shown: { at: number; test: LoadTest }[] = [{ at: 0, test: template }]
  const requests: { at: number; method: string | undefined }[] = []
  let hasStarted = false
  const start: Listless = {
    client: {
      list: async () => {
        if (hasStarted && isListAway(now)) throw away
        return shown.filter(({ at }) => at <= now).map(({ test }) => test)
      },
      details: async (number) => {
        const listed = shown.filter(({ at }) => at <= now).map(({ test }) => test)
        const found = [...details, ...listed].find((test) => test.number === number)
        if (!found) throw new ServiceError(calls.details(number), { status: 404, executed: 'no' })
        return found
      },
      runCopy: async (_number, asked) => {
        hasStarted = true
        const act = acts[requests.length]
        requests.push({ at: now, method: asked })
        if (!act) throw new Error('one request too many')
        for (const [after, test] of Object.entries(act.appears ?? {}))
          shown.push({ at: now + Number(after), test })
        if (act.hears instanceof Error) throw act.hears
        return act.hears
      },
    },
    note,
    ...(method === undefined ? {} : { method }),
    clock: {
      now: () => now,
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted()
        now += milliseconds
      },
    },
    log,
    signal: new AbortController().signal,
    startOf: async (number) => (number === theirs.number ? {} : undefined),
  }
  return { start, requests, now: () => now }
}

type Listless = Omit<Start, 'before'>

/** As a step does it: what exists is read before. */
async function startOnce(start: Listless) {
  const before = await existing(start.client, start.note.template)
  return begin({ ...start, before, note: { ...start.note, highest: before.highest } })
}

/** The error that ends the start. */
async function endOf(start: Listless): Promise<StartError> {
  const error: unknown = await startOnce(start).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof StartError) return error
  throw new Error(`It ended with ${String(error)}.`)
}

test('the copy that the service names is the run', async () => {
  const w = world([{ hears: named(copy), appears: { 0: copy } }])
  await expect(startOnce(w.start)).resolves.toEqual({ copy, isOpen: false, notes: [] })
  expect(w.requests).toHaveLength(1)
  expect(w.now()).toBe(0)
})

test('that holds for a number below one that existed', async () => {
  const w = world([{ hears: named(copy) }], { details: [copy] })
  const list = async () => [template, twin]
  await expect(startOnce({ ...w.start, client: { ...w.start.client, list } })).resolves.toMatchObject({
    copy,
  })
})

test.each<[string, StartAnswer, LoadTest[]]>([
  ['is in the list below the highest', named({ number: 3 }), [template, { number: 3 }, twin]],
  ['is the highest of the list', named(twin), [template, twin]],
  ['is below the highest, where nothing says that it is a load test', unproven(3), [template, twin]],
  ['is the template, which the list lacks', named(template), []],
])('a number in the answer that %s is that of no copy', async (_, hears, listed) => {
  const w = world([{ hears }], { details: [template, { number: 3 }, twin] })
  const end = await endOf({ ...w.start, client: { ...w.start.client, list: async () => listed } })
  expect(end.message).toMatch(/^The service answered the start with load test \d, which existed before\. /)
  expect(w.requests).toHaveLength(1)
})

const doubtful: [string, StartAnswer][] = [
  ['status 503', says(503)],
  ['a broken connection', dropped],
  ['a time-out of ours', unanswered],
  ['2xx without a load test', unnamed],
  ['the number of the template', named(template)],
]

describe.each(doubtful)('after %s', (_, hears) => {
  test.each([0, 5, 30, 90])(
    'a copy that is listed after %i s is followed, with a warning that this is a guess',
    async (lag) => {
      const w = world([{ hears, appears: { [lag * second]: copy } }])
      await expect(startOnce(w.start)).resolves.toEqual({
        copy,
        isOpen: true,
        notes: [expect.stringContaining('Load test 2 is the only new copy of load test 1')],
      })
      expect(w.requests).toHaveLength(1)
    },
  )

  test("another job's copy is not taken for ours, even if it is listed first", async () => {
    const w = world([{ hears, appears: { 0: copy, [5 * second]: twin } }])
    const { message, advice } = await endOf(w.start)
    expect(message).toContain('2 ("Webshop (copy)"), 4 ("Webshop (copy)") are new since then')
    expect(advice.join('\n')).toContain('mode: collect and run-number: 4')
    expect(w.requests).toHaveLength(1)
  })

  test('the step waits for a list that is not available', async () => {
    const w = world([{ hears, appears: { 0: copy } }], { isListAway: (now) => now < 10 * minute })
    await expect(startOnce(w.start)).resolves.toMatchObject({ copy })
    expect(w.requests).toHaveLength(1)
  })

  test('if the list stays unavailable, the step ends, and says that a copy may be running', async () => {
    const w = world([{ hears, appears: { 0: copy } }], { isListAway: () => true })
    const { message, advice } = await endOf(w.start)
    expect(message).toContain('It is not known whether a load test was started')
    expect(advice.join()).toContain('A copy of load test 1 may be running all the same')
    expect(w.requests).toHaveLength(1)
  })
})

test.each([
  ...[302, 429, 503].map((status): [string, StartAnswer] => [`status ${status}`, says(status)]),
  ['a broken connection', dropped] satisfies [string, StartAnswer],
])('after %s and two minutes without a copy, the start is requested once more', async (_, hears) => {
  const w = world([{ hears }, { hears: named(copy), appears: { 0: copy } }])
  await expect(startOnce(w.start)).resolves.toMatchObject({ copy, isOpen: true, notes: [] })
  expect(w.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
  expect(w.requests[1]?.at).toBeGreaterThanOrEqual(2 * minute)
})

test('a copy that another step has noted as its own is not followed', async () => {
  const w = world([
    { hears: dropped, appears: { 0: theirs } },
    { hears: named(copy), appears: { 0: copy } },
  ])
  await expect(startOnce(w.start)).resolves.toMatchObject({ copy, notes: [] })
  const both = world([{ hears: dropped, appears: { 0: theirs, 1: copy } }])
  await expect(startOnce(both.start)).resolves.toMatchObject({ copy, isOpen: true })
  expect([w.requests.length, both.requests.length]).toEqual([2, 1])
})

test('a start is never requested a third time', async () => {
  const w = world([{ hears: dropped }, { hears: says(504) }])
  const { message, advice } = await endOf(w.start)
  expect(message).toContain(
    'Two requests were sent, and no new copy of load test 1 is in the list after 2 min',
  )
  expect(advice.join()).toContain('mode: collect')
  expect(w.requests).toHaveLength(2)
})

test.each([
  ['a time-out of ours', unanswered],
  ['2xx without a load test', unnamed],
  ['the number of the template', named(template)],
])('after %s, the start is not requested again: it may still be executed', async (_, hears) => {
  const w = world([{ hears }])
  const { message, advice } = await endOf(w.start)
  expect(message).toContain('No new copy of load test 1 is in the list after 2 min')
  expect(advice.join()).toContain('may be running all the same')
  expect(w.requests).toHaveLength(1)
})

const refusals = [401, 403, 405]

test.each(refusals)(
  'a service that starts a copy but answers %i is found out, and no copy is named as ours',
  async (status) => {
    const w = world([{ hears: says(status), appears: { 0: copy } }])
    const { message, advice } = await endOf(w.start)
    expect(message).toContain('2 ("Webshop (copy)") is new since then')
    expect(message).toContain(`the load-testing service answered ${status}`)
    expect(advice.join()).toContain('mode: collect and run-number: 2')
    expect(w.requests).toHaveLength(1)
  },
)

test('after 401 without a copy, the start is requested once more, with a new token', async () => {
  const w = world([{ hears: says(401) }, { hears: named(copy), appears: { 0: copy } }])
  await expect(startOnce(w.start)).resolves.toMatchObject({ copy })
  const refused = world([{ hears: says(401) }, { hears: says(401) }])
  expect((await endOf(refused.start)).message).toContain('The access token was not accepted.')
  expect(refused.requests).toHaveLength(2)
})

test.each<[Operation['method'] | undefined, string[]]>([
  ['POST', ['POST']],
  ['PUT', ['PUT']],
  ['GET', ['GET']],
  [undefined, ['GET']],
])('with the method %s in the document, the start is requested by %j', async (method, used) => {
  const w = world([{ hears: named(copy), appears: { 0: copy } }], { method })
  await startOnce(w.start)
  expect(w.requests.map((request) => request.method)).toEqual(used)
})

test.each<[Operation['method'] | undefined, number, string[]]>([
  // The answer itself says that the method is wrong.
  [undefined, 405, ['GET', 'POST']],
  [undefined, 501, ['GET', 'POST']],
  ['GET', 405, ['GET', 'POST']],
  ['GET', 501, ['GET', 'POST']],
  ['POST', 405, ['POST', 'GET']],
])(
  'method %s in the document, then %i and no copy: the start is requested by %j',
  async (method, status, used) => {
    const w = world([{ hears: says(status) }, { hears: named(copy), appears: { 0: copy } }], { method })
    await expect(startOnce(w.start)).resolves.toMatchObject({ copy, notes: [] })
    expect(w.requests.map((request) => request.method)).toEqual(used)
    expect(w.now()).toBeLessThan(10 * second)
  },
)

test.each([
  [404, 405, 'the load-testing service answered 404.', 'By POST it answered 405.'],
  [405, 403, 'the load-testing service answered 403.', 'By GET it answered 405.'],
  [403, 404, 'the load-testing service answered 403.', 'By POST it answered 404.'],
  [405, 501, 'the load-testing service answered 405.', 'By POST it answered 501.'],
])(
  'refused by both methods, %i and %i: the answer that says why comes first, and nothing more is requested',
  async (first, then, why, beside) => {
    const w = world([{ hears: says(first, 'GET') }, { hears: says(then, 'POST') }], { method: undefined })
    const end: unknown = await startOnce(w.start).catch((error: unknown) => error)
    if (!(end instanceof Error)) throw new Error('It did not end.')
    expect(end).not.toBeInstanceOf(StartError)
    expect(end.message).toContain(why)
    expect(end.message.endsWith(beside)).toBe(true)
    expect(w.requests).toHaveLength(2)
  },
)

test('a service that refuses one method and is not reached by the other has refused nothing for good', async () => {
  const facts = { executed: 'no' as const, broke: 'the service could not be reached' }
  const unsentByPost = namelessAnswer(new ServiceError(calls.runCopy(1, 'POST'), facts))
  const w = world([{ hears: says(404, 'GET') }, { hears: unsentByPost }], { method: undefined })
  const { message, advice } = await endOf(w.start)
  expect(message).toMatch(/the service could not be reached Two requests were sent, and no new copy /)
  expect(advice.join()).toContain('may be running all the same')
})

test('after a fault of the token at the second request, the first one is still uncertain', async () => {
  const w = world([{ hears: dropped }, { hears: new Error('No token.') }])
  const { message, advice } = await endOf(w.start)
  expect(message).toContain('the connection broke No token.')
  expect(advice.join()).toContain('may be running all the same')
})

test.each([
  [
    'in the list',
    [
      { ...copy, archiveId: 'theirs' },
      { ...twin, archiveId: 'ours' },
    ],
    [],
  ],
  [
    'in the details',
    [copy, twin],
    [
      { ...copy, archiveId: 'theirs' },
      { ...twin, archiveId: 'ours' },
    ],
  ],
] satisfies [string, LoadTest[], LoadTest[]][])(
  'the code archive %s tells two copies apart, at the first look',
  async (_, [first, then], details) => {
    const appears = { 0: first ?? copy, 1: then ?? twin }
    const w = world([{ hears: dropped, appears }], { details })
    await expect(startOnce({ ...w.start, note: { ...note, archiveId: 'ours' } })).resolves.toMatchObject({
      copy: { number: 4 },
      notes: [],
    })
    expect(w.now()).toBeLessThan(5 * second)
  },
)

test.each<[StartAnswer, number, string]>([
  [dropped, 1, 'The job was cancelled.'],
  [says(405), 1, 'the load-testing service answered 405'],
  // Just before another request.
  [dropped, 8, 'The job was cancelled.'],
  [says(405), 3, 'the load-testing service answered 405'],
])('a cancelled job ends the search, and a refusal stays one', async (hears, pause, due) => {
  const controller = new AbortController()
  const { signal } = controller
  const w = world([{ hears }])
  let pauses = 0
  const sleep: Start['clock']['sleep'] = (milliseconds) => {
    if (++pauses === pause) controller.abort(new Error('The job was cancelled.'))
    return w.start.clock.sleep(milliseconds, signal)
  }
  await expect(startOnce({ ...w.start, clock: { ...w.start.clock, sleep }, signal })).rejects.toThrow(due)
  expect(pauses).toBe(pause)
})

test('a copy whose number is not the highest is named, and no other start is requested', async () => {
  const w = world([{ hears: dropped, appears: { 0: copy } }])
  const list = async () => [twin, ...(await w.start.client.list())]
  const { message } = await endOf({ ...w.start, client: { ...w.start.client, list } })
  expect(message).toContain('2 ("Webshop (copy)") is new since then')
  expect(w.requests).toHaveLength(1)
})

test('a cancelled job keeps the run that the service names, but none that may be anything', async () => {
  const signal = AbortSignal.abort(new Error('The job was cancelled.'))
  const started = (hears: StartAnswer) => startOnce({ ...world([{ hears }]).start, signal })
  await expect(started(named(copy))).resolves.toMatchObject({ copy })
  await expect(started(unproven(2))).rejects.toThrow('The job was cancelled.')
})

test('a refusal by the method that the document has is the end, as the service said it', async () => {
  const w = world([{ hears: says(404) }], { method: 'GET' })
  const end: unknown = await startOnce(w.start).catch((error: unknown) => error)
  expect(end).toBeInstanceOf(ServiceError)
  expect(w.requests).toHaveLength(1)
})

describe('a number in the answer whose name does not say that it is the copy', () => {
  const old = { ...copy, startTime: Date.now() - 3_600_000 }

  test.each<[string, LoadTest[]]>([
    ['of a copy', [copy]],
    ['of a copy without a name', [{ number: 2 }]],
    ['of a copy whose clock differs', [{ ...copy, startTime: Date.now() - minute }]],
    // The number is higher than all that existed.
    ['of a copy, whenever it started', [old]],
  ])('%s: it is followed', async (_, details) => {
    const w = world([{ hears: unproven(2) }], { details })
    await expect(startOnce(w.start)).resolves.toMatchObject({ copy: { number: 2 }, notes: [] })
    expect(w.requests).toHaveLength(1)
  })

  test.each<[string, LoadTest[]]>([
    ['of no load test', [copy]],
    ['of another load test', [{ number: 4711, name: 'Search' }]],
  ])('%s: the copy is looked for in the list', async (_, details) => {
    const w = world([{ hears: unproven(4711), appears: { 0: copy } }], { details })
    await expect(startOnce(w.start)).resolves.toMatchObject({
      copy,
      notes: [expect.stringContaining('only new copy')],
    })
    expect(w.requests).toHaveLength(1)
  })

  test.each<[string, Record<number, LoadTest>, LoadTest | undefined]>([
    ['that is shown after a minute', { [minute]: { ...copy, number: 4711 } }, { number: 4711 }],
    ['beside a copy that the list has', { 0: copy }, copy],
    ['of no load test', {}, undefined],
  ])('nor, with a name that says so, does the service have it, %s', async (_, appears, followed) => {
    const w = world([{ hears: named({ number: 4711 }), appears }])
    const { message } = followed
      ? await startOnce(w.start).then(({ copy }) => {
          expect(copy).toEqual(followed)
          return { message: '' }
        })
      : await endOf(w.start)
    if (!followed)
      expect(message).toMatch(/load test 4711, which it does not have\. No new copy .* no other start/)
    expect(w.requests).toHaveLength(1)
  })

  test.each<[string, Partial<Start['client']>]>([
    ['list, under another name', { details: () => Promise.reject(answered(404)) }],
    ['details alone', { list: async () => [template] }],
  ])('what the service named, and did not have at first, is found in the %s', async (_, only) => {
    const w = world([
      { hears: named({ number: 4711 }), appears: { [minute]: { number: 4711, name: 'Search' } } },
    ])
    const start = { ...w.start, client: { ...w.start.client, ...only } }
    await expect(startOnce(start)).resolves.toMatchObject({ copy: { number: 4711 } })
  })

  test('without a list, what the service names is followed, whether it has it or not', async () => {
    const w = world([{ hears: named({ number: 4711 }) }])
    const start = { ...w.start, client: { ...w.start.client, list: noList } }
    await expect(startOnce(start)).resolves.toMatchObject({ copy: { number: 4711 } })
    const below = await endOf({
      ...start,
      note: { ...note, template: 5000 },
      client: { ...start.client, runCopy: async () => named(copy) },
    })
    expect(below.message).toContain('answered the start with load test 2, which existed before.')
  })

  test('without a list, one that started when it should is followed, also by a clock that is a little behind', async () => {
    const w = world([{ hears: unproven(2) }], { details: [{ ...copy, startTime: Date.now() - minute }] })
    const start = { ...w.start, client: { ...w.start.client, list: noList } }
    await expect(startOnce(start)).resolves.toMatchObject({ copy: { number: 2 } })
  })

  test('of whatever name, if the template has none: it is followed', async () => {
    const w = world([{ hears: unproven(2) }], { details: [{ ...copy, name: 'Search' }] })
    await expect(startOnce({ ...w.start, note: nameless })).resolves.toMatchObject({
      copy: { number: 2 },
    })
  })

  test('whose record is no load test: it is not followed', async () => {
    const w = world([{ hears: unproven(2) }])
    const details = () => Promise.reject(new AnswerError(calls.details(2), 'is not JSON'))
    const end = await endOf({ ...w.start, client: { ...w.start.client, details } })
    expect(end.message).toContain('answered the start with load test 2, which is none. ')
  })

  test('of an older load test, where there is no list: it is not followed, and nothing else is started', async () => {
    const w = world([{ hears: unproven(2) }], { details: [old] })
    const end = await endOf({ ...w.start, client: { ...w.start.client, list: noList } })
    expect(end.message).toContain('answered the start with load test 2, which is another one.')
    expect(w.now()).toBe(0)
    expect(w.requests).toHaveLength(1)
  })

  test('that cannot be read for another reason: it is followed', async () => {
    const w = world([{ hears: unproven(2) }])
    const refused = new ServiceError(calls.details(2), { status: 403, executed: 'no' })
    const details = () => Promise.reject(refused)
    const start = { ...w.start, client: { ...w.start.client, details } }
    await expect(startOnce(start)).resolves.toMatchObject({ copy: { number: 2 }, notes: [] })
  })
})
