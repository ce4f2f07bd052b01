import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { daily, thorough } from '../draws.js'
import { nobody } from './front.js'
import { startSandbox, type RunOptions, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

/** The step is red with this sentence, and nothing was started. */
async function refused(inputs: Record<string, string>, sentence: string | RegExp, options: RunOptions = {}) {
  const ran = await sandbox.run(inputs, options)
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
  expect(errors.join('\n')).toMatch(sentence)
  // Readers of the log click addresses: nothing may follow them without a space.
  expect(errors.join('\n')).not.toMatch(/https?:\/\/\S+[.,;:](?:\s|$)/)
  expect(ran.summary).toMatch(/^## ❌ Load test: error\. /)
  expect(ran.outputs['outcome']).toMatch(/outcome\.json$/)
  expect(sandbox.service.books.starts).toEqual([])
  expect(ran.outputs['run-number']).toBeUndefined()
  return ran
}

const untouched = () => expect(sandbox.service.books.requests).toEqual([])
const nothingUploaded = () => expect(sandbox.uploads()).toEqual([])

daily('all wrong inputs at once, before the first request', async () => {
  const ran = await refused(
    { 'base-url': 'http://example.com', mode: 'fast', timeout: 'soon' },
    /base-url must start with https/,
  )
  expect(ran.summary).toContain('## ❌ Load test: error. 3 inputs need to be changed')
  expect(ran.log).toMatch(/base-url must start with https/)
  expect(ran.log).toMatch(/mode is "fast"/)
  expect(ran.log).toMatch(/timeout is "soon"/)
  untouched()
})

daily('a mistake in a gate, with its place and a hint, before the first request', async () => {
  await refused({ gates: '# fine\nrequests p95th <= 500 ms' }, /gates, line 2, column 10: .*p95/)
  untouched()
})

daily(
  'a misspelt input is refused with a suggestion; an input unlike any other causes a warning',
  async () => {
    const ran = await refused(
      { gate: 'requests p95 <= 1 ms', token: 'x', 'fail-on': 'never' },
      /^gate is not an input of this action\. Did you mean gates\?$/,
    )
    const warnings = ran.annotations.filter(({ kind }) => kind === 'warning').map(({ message }) => message)
    expect(warnings).toContain(
      'token is not an input of this action and has no effect. Did you mean github-token?',
    )
    untouched()
  },
)

daily('a wrong secret', async () => {
  await refused(
    { 'client-secret': 'wrong' },
    /Getting an access token failed: the service answered 401.*Check client-id and client-secret/s,
  )
  nothingUploaded()
})

thorough('expired credentials', async () => {
  await refused(
    {},
    /If the credentials have expired, create new ones \(Integrations, API Client Credentials\)/,
    { credentials: 'expired' },
  )
})

thorough('a missing scope is named', async () => {
  await refused({ upload: 'false', 'load-test': '3' }, /The credentials lack the scope LOADTEST_COPY_RUN/, {
    credentials: 'read only',
  })
})

thorough('disabled organization credentials', async () => {
  await refused(
    { project: 'private-shop' },
    /403.*a project can disable the credentials of its organization/s,
  )
  nothingUploaded()
})

thorough('an unknown project', async () => {
  await refused({ project: 'no-shop' }, /404.*Check organization, project and/s)
  nothingUploaded()
})

thorough('an unknown template, by number and by name', async () => {
  await refused({ 'load-test': '99' }, /404.*Check organization, project and the number 99/s)
  await refused(
    { 'load-test': 'Webshop' },
    /No load test of the project is named "Webshop"\. There are similar ones: 1 \("Webshop regression"\)/,
  )
  nothingUploaded()
})

thorough('a name that several load tests have', async () => {
  await refused({ 'load-test': 'Webshop search' }, /Several load tests are named "Webshop search": 6 .*, 7 /)
})

describe('a mistake of the first day is reported with what to do', () => {
  daily('no checkout before the step', async () => {
    const workspace = mkdtempSync(path.join(tmpdir(), 'nothing-'))
    try {
      await refused({}, /Add a step with actions\/checkout before this one/, { job: { workspace } })
    } finally {
      rmSync(workspace, { recursive: true })
    }
    untouched()
  })

  thorough('base-url with the path of a page', async () => {
    const { url } = sandbox.service
    await refused(
      { 'base-url': `${url}/orgs/demo-org` },
      /404.*Check base-url: there is no token endpoint at \/oauth\/token below it\. Most services .* without a path/s,
    )
    nothingUploaded()
  })

  thorough('a host that does not exist', async () => {
    await refused(
      { 'base-url': 'https://loadtest.invalid' },
      /could not be reached \(.*loadtest\.invalid\)\. Check the spelling of loadtest\.invalid in base-url/,
    )
    untouched()
  })

  thorough('no secret, and no base-url', async () => {
    await refused(
      { 'client-secret': '', 'base-url': '' },
      /client-secret is empty: add the secret to the repository \(Settings, Secrets and variables, Actions\)/,
    )
    untouched()
  })
})

thorough('no build file', async () => {
  rmSync(path.join(sandbox.workspace, 'pom.xml'))
  await refused({}, /pom\.xml/)
  untouched()
})

thorough('two top-level directories', async () => {
  const zip = path.join(sandbox.workspace, 'two.zip')
  execFileSync('python3', [
    '-c',
    `import zipfile\nz = zipfile.ZipFile(${JSON.stringify(zip)}, 'w')\nz.writestr('a/pom.xml', '<project/>')\nz.writestr('b/c', '')\nz.close()`,
  ])
  await refused({ archive: 'two.zip' }, /top-level director/)
  untouched()
})

thorough('a service that is not there', async () => {
  const gone = await nobody()
  try {
    await refused({ 'base-url': gone.url }, /the service could not be reached/)
  } finally {
    await gone.close()
  }
})

daily('a pull request from a fork has no secrets, and the step says so', async () => {
  const event = {
    pull_request: {
      number: 7,
      head: { sha: 'abc', repo: { full_name: 'somebody/shop' } },
      base: { ref: 'main' },
    },
  }
  await refused(
    { 'client-id': '', 'client-secret': '' },
    /client-secret is empty: GitHub gives no secrets to pull requests from forks/,
    {
      job: { github: { eventName: 'pull_request', event } },
    },
  )
  untouched()
})

describe('pull_request_target', () => {
  const about = (full_name: string) => ({
    job: {
      github: {
        eventName: 'pull_request_target',
        event: {
          pull_request: {
            number: 7,
            head: { sha: sandbox.commit, repo: { full_name } },
            base: { ref: 'main' },
          },
        },
      },
    },
  })

  daily("nothing of a fork's head is packed, and the step says why", async () => {
    const sentence =
      /Nothing is packed on pull_request_target for the head of somebody\/shop: the service would build and run/
    const ran = await refused({ mode: 'start' }, sentence, about('somebody/shop'))
    expect(ran.log).toContain('set upload: false')
    untouched()
  })

  thorough('a step that packs nothing of it runs: upload: false', async () => {
    const inputs = { mode: 'start', 'load-test': '3', upload: 'false' }
    const ran = await sandbox.run(inputs, about('somebody/shop'))
    expect(ran.outputs['verdict']).toBe('started')
    nothingUploaded()
  })

  thorough('a branch of the repository itself runs', async () => {
    const ran = await sandbox.run({ mode: 'start' }, about(sandbox.github.settings.repository))
    expect(ran.outputs['verdict']).toBe('started')
  })
})

thorough('files that look like secrets get a warning', async () => {
  writeFileSync(path.join(sandbox.workspace, '.env'), 'TOKEN=1')
  const ran = await sandbox.run({ mode: 'start' })
  expect(ran.annotations.filter(({ kind }) => kind === 'warning').map(({ message }) => message)).toEqual([
    expect.stringMatching(/look like secrets: .*\.env/),
  ])
})
