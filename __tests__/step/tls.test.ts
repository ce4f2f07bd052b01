import { createServer as createHttpsServer } from 'node:https'
import { daily, thorough } from '../daily.js'
import { makeAuthority, type Authority } from './authority.js'
import { portOf, serve } from './front.js'
import { startProxy } from './proxy.js'
import { onPull, startSandbox, type Sandbox } from './sandbox.js'

/** This machine, by an address that proxy settings do not treat as loopback. */
const host = '0.0.0.0'

let authority: Authority
let sandbox: Sandbox

beforeAll(() => {
  authority = makeAuthority(['IP:127.0.0.1', `IP:${host}`, 'DNS:localhost'])
})
afterAll(() => authority.remove())
const opened: Sandbox[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

async function open(settings: Parameters<typeof startSandbox>[0]): Promise<void> {
  sandbox = await startSandbox(settings)
  opened.push(sandbox)
}

daily(
  'NODE_TLS_REJECT_UNAUTHORIZED=0 is refused before the first request, and a GitHub that nobody vouches for gets no token',
  async () => {
    await open({ tls: authority.tls })
    const seen: unknown[] = []
    const strange = createHttpsServer(authority.tls, ({ headers }, response) => {
      seen.push(headers)
      response.end('{}')
    })
    await new Promise<void>((done) => strange.listen(0, '127.0.0.1', done))
    try {
      const github = { eventName: 'issue_comment', event: { issue: { number: 7 } } }
      const job = {
        machineEnv: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
        github: { ...github, apiUrl: `https://127.0.0.1:${portOf(strange.address())}` },
      }
      const ran = await sandbox.run({ 'pull-request': '7' }, { job, withPost: true })
      expect([ran.conclusion, ran.outputs['verdict']]).toEqual(['failure', 'error'])
      const told = ran.annotations.map(({ message }) => message).join('\n')
      expect(told).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0')
      expect([seen, sandbox.service.books.requests]).toEqual([[], []])
    } finally {
      strange.close()
    }
  },
)

daily('a report is not fetched over http once the service was reached over https', async () => {
  await open({ tls: authority.tls })
  let strayed = 0
  const plain = await serve((_, response) => {
    strayed++
    response.end('report')
  })
  const fault = { kind: 'redirect', to: `${plain.url}/report` } as const
  sandbox.service.settings.faults = [{ operation: 'report', times: 'always', fault }]
  const ran = await sandbox.run({}, { job: { machineEnv: { NODE_EXTRA_CA_CERTS: authority.file } } })
  await plain.close()
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.summary).toContain('The service redirects to an address that is not followed.')
  expect(strayed).toBe(0)
})

thorough('http_proxy carries calls to GitHub', async () => {
  const proxy = await startProxy()
  try {
    await open({ tls: authority.tls, host })
    const address = sandbox.github.url.replace('127.0.0.1', host)
    const machineEnv = { NODE_EXTRA_CA_CERTS: authority.file, http_proxy: proxy.url }
    const job = { machineEnv, github: { ...onPull, apiUrl: address } }
    const ran = await sandbox.run({ mode: 'start' }, { job })
    expect(ran.outputs['verdict']).toBe('started')
    expect(sandbox.github.store.commentsOf(7)).toHaveLength(1)
    const comments = [...proxy.forwarded, ...proxy.tunnels].filter((to) => to.includes(new URL(address).host))
    expect(comments).not.toEqual([])
  } finally {
    await proxy.close()
  }
})
