import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { share } from '../daily.js'
import { hurried, startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const broken = pathToFileURL(path.resolve('__tests__/step/broken.js')).href

const ways = [
  ['loudly', 'Nobody expects this'],
  ['silently', 'The step has come to a standstill. This is a mistake in the action: please report it.'],
] as const

test.each(share(ways, 1))(
  'a step that breaks down %s is an error that names its run',
  async (how, reason) => {
    const machineEnv = { NODE_OPTIONS: `${hurried.NODE_OPTIONS} --import=${broken}`, BROKEN: how }
    const ran = await sandbox.run({}, { job: { machineEnv }, withPost: true })
    const [{ number } = { number: 0 }] = sandbox.service.books.starts.slice(-1)
    expect(ran).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: { verdict: 'error' } })
    expect(ran.outputs['run-number']).toBe(String(number))
    const [first] = ran.annotations.filter(({ kind }) => kind === 'error')
    for (const text of [ran.summary, first?.message]) {
      expect(text).toContain(reason)
      expect(text).toContain(`run-number: ${number}`)
    }
    expect(ran.post.map(({ annotations }) => annotations)).toEqual([[]])
  },
)
