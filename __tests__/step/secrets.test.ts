import { daily, thorough } from '../daily.js'
import { testReportXml } from '../../sandbox/report/archive.js'
import { escaped } from '../../sandbox/report/xml.js'
import { tarGzOf } from '../unpack/archives.js'
import { shortRun } from '../sandbox-report/read-back.js'
import { bodyOf, serve, serveBefore, type Front } from './front.js'
import { published, waysToWrite } from './published.js'
import { expectHour, onPull, startSandbox, type Ran, type RunOptions, type Sandbox } from './sandbox.js'

/** With every character that must be escaped in an address, a form, JSON or XML. */
const secret = 'q7+W/e=Z & 8%20"k"<v>\\é~s3cr3t'

let sandbox: Sandbox
const servers: Front[] = []
beforeEach(async () => {
  sandbox = await startSandbox({ secrets: { everything: secret } })
})
afterEach(async () => {
  await sandbox.close()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** On a pull request, so that there is a comment to look at too. */
async function run(inputs: Record<string, string> = {}, { job, ...more }: RunOptions = {}): Promise<Ran> {
  return sandbox.run(
    { 'client-secret': '${{ secrets.CLIENT_SECRET }}', results: 'true', ...inputs },
    {
      withPost: true,
      ...more,
      job: {
        secrets: { CLIENT_SECRET: secret },
        ...job,
        github: { ...onPull, ...job?.github },
      },
    },
  )
}

/** Places where the secret can be read, in any encoding. */
function leaks(ran: Ran, hidden: string): string[] {
  const ways = waysToWrite(hidden)
  return [...published(sandbox, ran)].flatMap(([place, text]) =>
    ways.filter((way) => text.includes(way)).map((way) => `${place}: ${way}`),
  )
}

const tokensOf = ({ masks }: Pick<Ran, 'masks'>) =>
  masks.filter((mask) => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(mask))

function expectHidden(ran: Ran): void {
  expect(ran.masks).toContain(secret)
  expect(leaks(ran, secret)).toEqual([])
  // The post step masks the token of the main step again.
  const tokens = [...new Set([ran, ...ran.post].flatMap(tokensOf))]
  expect(tokens).toHaveLength(sandbox.service.books.tokens.length)
  for (const token of tokens) {
    expect(leaks(ran, token)).toEqual([])
    expect(leaks(ran, token.split('.')[2] ?? token)).toEqual([])
  }
}

daily('the search finds a secret in every form', () => {
  const forms = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams([['client_secret', secret]]).toString(),
    JSON.stringify({ secret }),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${secret}tail`).toString('base64')),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${secret}tail`).toString('base64url')),
  ]
  for (const form of forms) expect(waysToWrite(secret).filter((way) => form.includes(way))).not.toEqual([])
})

thorough('artifacts are not named after a secret, and no address of a run has one', async () => {
  const page = `https://x.example/${encodeURIComponent(secret)}/{number}`
  const ran = await run({ name: `for-${secret}`, 'run-page': page })
  expect(ran.annotations.map(({ message }) => message)).toEqual([
    expect.stringContaining('run-page holds a secret'),
    expect.stringContaining('name holds a secret'),
  ])
})

thorough('a green run', async () => {
  expectHour(sandbox.service)
  const ref = `refs/heads/for-${secret}`
  const ran = await run({ gates: 'requests p95 < 60 s' }, { job: { github: { ref, workflow: secret } } })
  expect(ran.masks).toContain(sandbox.github.token())
  expect(ran.outputs['verdict']).toBe('passed')
  expect(sandbox.github.store.artifacts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['load-test-report.tar.gz', 'load-test-results.tar.gz', 'load-test-outcome.json']),
  )
  expect(sandbox.github.store.commentsOf(7)[0]?.bodies).toHaveLength(2)
  expectHidden(ran)
})

thorough('a debug run, with tokens that are revoked on the way', async () => {
  sandbox.service.settings.faults = [
    { operation: 'status', fault: { kind: 'revoke-tokens' } },
    { operation: 'report', fault: { kind: 'expire-tokens' } },
    { operation: 'details', skip: 1, fault: { kind: 'wrong-json' } },
  ]
  const ran = await run({}, { job: { stepDebug: true } })
  expect(ran.log).toMatch(/##\[debug\]GET \/public\/api\/v1\/\S+\/status: 200 after \d+ ms/)
  expect(ran.log).toMatch(/##\[debug\]POST \/oauth\/token: 200 after \d+ ms/)
  expect(ran.outputs['verdict']).toBe('passed')
  expect(sandbox.service.books.tokens.length).toBeGreaterThan(2)
  expectHidden(ran)
})

daily(
  'a report whose timers are named after the secret: the secret is shown nowhere, and gates match the names as shown',
  async () => {
    const spellings = [
      secret,
      encodeURIComponent(secret),
      [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
      Buffer.from(secret).toString('hex'),
      Buffer.from(`id:${secret}`).toString('base64'),
      Array.from(secret).join('\u200b'),
      JSON.stringify(secret),
    ]
    let used = 0
    const named = testReportXml(shortRun).replace(
      /<name>[^<]+<\/name>/g,
      () => `<name>T ${escaped(spellings[used++ % spellings.length] ?? '')} ${used}</name>`,
    )
    expect(used).toBeGreaterThan(spellings.length)
    const archive = await tarGzOf([['20260101-000000/testreport.xml', named]])
    const front = await serveBefore(sandbox.service.url, (path) =>
      path.endsWith('/reports/1/download') ? { body: archive } : undefined,
    )
    servers.push(front)
    const gates = 'requests p95 < 1 ms\nrequest "T *" p95 < 1 ms\ntransaction "T *" count > 0'
    const ran = await run({ 'base-url': front.url, gates })
    expect(ran.outputs['verdict']).toBe('failed')
    expect(ran.summary).toContain('<code>T &#42;&#42;&#42; 50')
    const faces = [...published(sandbox, ran)].filter(
      ([place]) => !/^artifact load-test-report|results/.test(place),
    )
    expect(faces.length).toBeGreaterThan(10)
    const ways = [...waysToWrite(secret), ...spellings]
    expect(
      faces.flatMap(([place, text]) =>
        ways.filter((way) => text.includes(way)).map((way) => `${place}: ${way}`),
      ),
    ).toEqual([])
  },
)

thorough('a wrong secret, which may be right somewhere else, is not shown', async () => {
  const [credentials] = sandbox.service.world.credentials
  if (credentials) credentials.clientSecret = 'another'
  const ran = await run()
  expect(ran.log).toContain('the load-testing service answered 401')
  expectHidden(ran)
})

thorough('a cancelled run, even in its post step', async () => {
  sandbox.service.settings.secondsRunning = 600
  const ran = await run({}, { step: { cancelOn: (line) => line.includes('is RUNNING') } })
  expect(ran.post[0]?.summary).toContain('was still running')
  expectHidden(ran)
})

/** A service whose errors and names repeat what it was sent. */
async function echo(
  refuses: 'token' | 'list',
  tell: (secret: string, token: string) => string,
): Promise<string> {
  const token = 'tok-5f0e/9c+d2b4a71e6=end'
  const server = await serve((request, response) => {
    void (async () => {
      const form = new URLSearchParams(await bodyOf(request))
      const sent = form.get('client_secret') ?? secret
      const told = tell(sent, token)
      const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
      if (request.url === '/oauth/token') {
        if (refuses === 'token') answer(401, { error_description: told, form: form.toString() })
        else answer(200, { access_token: token, expires_in: 3600 })
      } else if (/\/loadTests\/\d+$/.test(request.url ?? '')) {
        answer(200, { success: true, data: { index: 1, name: told, description: told } })
      } else {
        answer(403, { message: told, authorization: request.headers.authorization })
      }
    })()
  })
  servers.push(server)
  return server.url
}

thorough.each<['token' | 'list', string, (secret: string, token: string) => string]>([
  ['token', 'as a form', (hidden) => `bad: ${new URLSearchParams([['client_secret', hidden]]).toString()}`],
  ['list', 'in base64', (_hidden, token) => `Basic ${Buffer.from(`user:${token}:x`).toString('base64')}`],
])('a service that repeats secrets in its answers, %s refused, %s', async (refuses, _form, tell) => {
  const ran = await run({ 'base-url': await echo(refuses, tell), source: 'none' })
  expect(ran.outputs['verdict']).toBe('error')
  expect(ran.log).toContain(`the load-testing service answered ${refuses === 'token' ? 401 : 403}`)
  expect(leaks(ran, secret)).toEqual([])
  if (refuses === 'list') expect(leaks(ran, 'tok-5f0e/9c+d2b4a71e6=end')).toEqual([])
})
