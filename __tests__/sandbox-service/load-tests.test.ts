import { field, stateOf, suite, visit, type Visitor } from './visitor.js'

let visitor: Visitor
beforeEach(async () => {
  visitor = await visit()
})
afterEach(() => visitor.leave())

async function start(template: number): Promise<number> {
  const { status, body } = await visitor.call(`v1/loadTests/${template}/runCopy`)
  expect(status).toBe(200)
  return Number(field(body, 'data.index'))
}

test('states come in order, and the times are set at the start and at the end', async () => {
  const number = await start(1)
  const states: string[] = []
  for (let second = 0; second < 16; second++) {
    states.push(await stateOf(visitor, number))
    visitor.pass(1)
  }
  const running = Array<string>(10).fill('RUNNING')
  expect(states).toEqual([
    'NEW',
    'SCHEDULED',
    'PROVISIONING',
    'STARTING',
    ...running,
    'STOPPING',
    'DEPROVISIONING',
  ])
  const { body } = await visitor.call(`v1/loadTests/${number}/status`)
  expect(body).toMatchObject({ data: { index: number, executionState: { state: 'FINISHED' } } })
  const { createdAt = 0 } = visitor.service.books.loadTests['webshop']?.at(-1)?.run ?? {}
  expect(Number(field(body, 'data.executionState.startTime')) - createdAt).toBe(3000)
  expect(Number(field(body, 'data.executionState.endTime')) - createdAt).toBe(16_000)
})

test('the latest code archive is that at the start of the run; without any, the run ends in ERROR', async () => {
  const { body } = await visitor.upload(suite)
  const uploaded = field(body, 'data.id')
  await start(1)
  expect(visitor.service.books.starts.at(-1)?.archiveId).toBe(uploaded)
  for (const id of [uploaded, 'ca-1']) await visitor.call(`v2/code-archives/${id}`, { method: 'DELETE' })
  const number = await start(1)
  visitor.pass(100)
  const ended = await visitor.call(`v1/loadTests/${number}/status`)
  expect(field(ended.body, 'data.executionState.state')).toBe('ERROR')
  expect(field(ended.body, 'data.executionState.message')).toContain('the project has none')
  expect(visitor.service.books.starts.at(-1)?.archiveId).toBeUndefined()
})

test('a fixed code archive stays the same, also in copies of copies, until it is deleted', async () => {
  await visitor.upload(suite)
  const copy = await start(5)
  await start(copy)
  expect(visitor.service.books.starts.map(({ archiveId }) => archiveId)).toEqual(['ca-1', 'ca-1'])
  await visitor.call('v2/code-archives/ca-1', { method: 'DELETE' })
  const number = await start(copy)
  visitor.pass(100)
  const { body } = await visitor.call(`v1/loadTests/${number}/status`)
  expect(field(body, 'data.executionState.message')).toContain('ca-1 of this load test no longer exists')
})

test.each([
  ['GET', 'POST'],
  ['POST', 'GET'],
] as const)('runCopy by %s: %s is answered with 405 and executes nothing', async (right, wrong) => {
  visitor.service.settings.runCopyMethod = right
  const refused = await visitor.call('v1/loadTests/3/runCopy', { method: wrong })
  expect(refused.status).toBe(405)
  expect(refused.headers.get('allow')).toBe(right)
  const head = await visitor.call('v1/loadTests/3/runCopy', { method: 'HEAD' })
  expect(head.status).toBe(405)
  expect(visitor.service.books.starts).toEqual([])
  expect((await visitor.call('v1/loadTests/3/runCopy', { method: right })).status).toBe(200)
  expect(visitor.service.books.starts).toHaveLength(1)
})
