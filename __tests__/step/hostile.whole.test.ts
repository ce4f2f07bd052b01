import { callsWhereTheArchiveIs, expectHarmless, hostile, startNamed } from './harm.js'
import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

test.each(Object.entries(hostile))('a load test whose name and description are %s', async (_, text) => {
  const ran = await startNamed(sandbox, text)
  expect(ran.outputs['verdict']).toBe('started')
  expectHarmless(sandbox, ran)
})

test.each(['..', '.', '../../..', 'a/b', '%2e%2e', '?x=1', '#', ''])(
  'a code archive whose id is %j: nothing is deleted at another address',
  async (id) => {
    const { ran, calls } = await callsWhereTheArchiveIs(id, sandbox)
    expect(ran.outputs['verdict']).toBe('passed')
    expect(calls.filter((call) => !/^(GET|POST) /.test(call))).toEqual([])
    expect(ran.summary).toContain('The code archive was not deleted: the service did not name its id.')
  },
)
