import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { daily, thorough } from '../draws.js'
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
  expect(ran.summary).toMatch(/^## ⚠️ Load test: no verdict\. /)
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
  expect(ran.summary).toContain('## ⚠️ Load test: no verdict. 3 inputs need to be changed')
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

thorough('a missing scope is named', async () => {
  await refused({ source: 'none', 'load-test': '3' }, /The credentials lack the scope LOADTEST_COPY_RUN/, {
    credentials: 'read only',
  })
})

daily('no checkout before the step', async () => {
  const workspace = mkdtempSync(path.join(tmpdir(), 'nothing-'))
  try {
    await refused({}, /Add a step with actions\/checkout before this one/, { job: { workspace } })
  } finally {
    rmSync(workspace, { recursive: true })
  }
  untouched()
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
    expect(ran.log).toContain('set source: none')
    untouched()
  })

  thorough('a step that packs nothing of it runs: source: none', async () => {
    const inputs = { mode: 'start', 'load-test': '3', source: 'none' }
    const ran = await sandbox.run(inputs, about('somebody/shop'))
    expect(ran.outputs['verdict']).toBe('started')
    nothingUploaded()
  })

  thorough('a branch of the repository itself runs', async () => {
    const ran = await sandbox.run({ mode: 'start' }, about(sandbox.github.settings.repository))
    expect(ran.outputs['verdict']).toBe('started')
  })
})

/** What the inputs already rule out, and the sentence that mends it: nothing is uploaded or started, exit 1. */
const misuses: [Record<string, string>, RegExp][] = [
  [{ gates: 'requests p95 <= baseline + 10%' }, /^gates, line 1: .*the input baseline is empty/],
  [{ gates: 'requests error-rate > 100%' }, /No run can pass this gate/],
  [{ gates: 'requests p95 <= basline + 10%' }, /Did you mean baseline\?/],
  [{ gates: 'requests p95 <= 500 ms stict' }, /Did you mean strict\?/],
  [{ gates: 'wran: requests p95 <= 500 ms' }, /Write warn: before a gate/],
  [{ gates: 'requests p95 <= 1e300 ms' }, /1e300 is not a number/],
  [{ gates: 'requests p95 <= 1.500,5 ms' }, /1\.500,5 is not a number/],
  [{ baseline: 'main' }, /baseline: artifact and baseline-branch: main/],
  [{ baseline: 'latest' }, /Did you mean artifact\?/],
  [{ baseline: 'config/project.properties' }, /"config\/project\.properties", which cannot be used/],
  [{ gates: 'pom.xlm' }, /"pom\.xlm", which does not exist in the workspace\. Did you mean pom\.xml\?/],
  [{ 'base-url': 'https://lt.example.com/#/demo-org/webshop' }, /write https:\/\/lt\.example\.com$/],
  [{ 'base-url': 'https://lt.example.com/x/public/api/v2' }, /write https:\/\/lt\.example\.com\/x$/],
  [{ source: 'suite.zip' }, /The archive "suite\.zip" does not exist/],
  [{ 'load-test': '#17' }, /write its number alone, 17\.$/],
  [{ 'client-secret': 'secrets.XTC_SECRET' }, /^client-secret is the name of a secret, not its value/],
  [{ accept: 'true' }, /accept is "true": write the name of a label/],
  [{ mode: 'collect', 'run-number': '1' }, /Load test 1 has never been started/],
]

thorough.each(misuses)('%j', async (inputs, sentence) => {
  const ran = await refused(inputs, sentence)
  expect(ran.annotations.map(({ message }) => message).join('\n')).not.toContain(sandbox.workspace)
  nothingUploaded()
})

thorough('https where plain http is spoken, in words', async () => {
  const url = sandbox.service.url.replace('http:', 'https:')
  await refused({ 'base-url': url }, /it answers plain http, not https/)
})

thorough('what is most likely not meant gets a warning, and a run', async () => {
  const gates = 'requests error-rate <= 100%\nwarn: requests p95 <= baseline + 10%'
  const ran = await sandbox.run({ mode: 'start', gates, exclude: 'confg/' })
  expect(ran.outputs['verdict']).toBe('started')
  const told = ran.annotations.map(({ kind, message }) => `${kind}: ${message}`)
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 1: Every run passes this gate/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 2: .*input baseline is empty/))
  expect(told).toContainEqual(expect.stringMatching(/^notice: exclude: "confg\/" .* Did you mean config\?/))
})
