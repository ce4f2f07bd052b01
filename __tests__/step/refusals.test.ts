import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { daily, thorough } from '../draws.js'
import type { OwnAction } from '../../src/outcome/outcome.js'
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

daily('a misspelt input is refused with a suggestion', async () => {
  await refused(
    { gate: 'requests p95 <= 1 ms', token: 'x', 'fail-on': 'never' },
    /^gate is not an input of this action\. Did you mean gates\?$/,
  )
  untouched()
})

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
  await refused({ source: 'none', 'load-test': '3' }, /The credentials lack the scope LOADTEST_COPY_RUN/, {
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
  await refused({ source: 'two.zip' }, /top-level director/)
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

thorough('files that look like secrets get a warning', async () => {
  writeFileSync(path.join(sandbox.workspace, '.env'), 'TOKEN=1')
  const ran = await sandbox.run({ mode: 'start' })
  expect(ran.annotations.filter(({ kind }) => kind === 'warning').map(({ message }) => message)).toEqual([
    expect.stringMatching(/look like secrets: .*\.env/),
  ])
})

/** What the inputs already rule out, and the sentence that mends it: nothing is uploaded or started, exit 1. */
const misuses: [Record<string, string>, RegExp][] = [
  [{ gates: 'requests p95 <= baseline + 10%' }, /^gates, line 1: .*the input baseline is empty/],
  [{ gates: 'requests error-rate > 100%' }, /No run can pass this gate/],
  [
    { gates: 'requests p59 <= 500 ms' },
    /^gates, line 1: The report will have no p59, but p50, p95, p99, p99\.9\. Did you mean p50\?/,
  ],
  [{ gates: 'requests p90 <= 500 ms', mode: 'start', baseline: 'artifact' }, /no p90, .* Did you mean p95\?/],
  [
    {
      gates: 'requests p95 <= 1 s',
      properties: 'com.xceptance.xlt.reportgenerator.runtimePercentiles = 50 90',
    },
    /no p95, but p50, p90\. Did you mean p90\?/,
  ],
  [{ gates: 'requests p100.1 <= 500 ms' }, /"p100\.1" is not a metric/],
  [{ gates: 'requests p95th <= 500 ms' }, /Did you mean p95\?/],
  [{ gates: 'requests avg <= 500 ms' }, /Did you mean mean\?/],
  [{ gates: 'transactions apdex >= 0.8' }, /transactions have no apdex\. It applies only to actions/],
  [{ gates: 'page-loads lcp <= 2.5 s' }, /page-loads have no lcp\. It applies only to web-vitals/],
  [{ gates: 'request p95 <= 500 ms' }, /requests for the row of all/],
  [{ gates: 'requests "Login" p95 <= 1 s' }, /Write request Login|Write request "Login"/],
  [{ gates: "action 'Checkout' apdex >= 0.8" }, /straight double quotes/],
  [{ gates: 'action "Checkout" apdex >= 85' }, /No run can pass this gate/],
  [{ gates: 'p95 <= 500 ms' }, /has no subject before it/],
  [{ gates: 'requests p95 <= 500' }, /The amount of p95 has no unit/],
  [{ gates: 'requests p95 =< 500 ms' }, /Write <=/],
  [{ gates: '- requests p95 <= 500 ms' }, /does not begin with a dash/],
  [{ gates: 'requests p95 <= baseline 10%' }, /Write baseline \+ 10%/],
  [{ gates: 'requests throughput >= 10 rps' }, /Did you mean \/s\?/],
  [{ gates: 'xpath //errors = 0' }, /Write xpath\(EXPRESSION\)/],
  [{ gates: 'scorecard pass' }, /Write: scorecard passes/],
  [{ gates: '../gates.yml' }, /"\.\.\/gates\.yml", which does not exist/],
  [{ gates: 'config/project.properties' }, /contains no list of gates/],
  [{ gates: 'agents p95 <= 1 s' }, /agents have no p95/],
  [{ gates: 'web-vitals "*" errors = 0' }, /web-vitals have no errors/],
  [{ gates: 'requests errors <= 1%' }, /Did you mean error-rate\?/],
  [{ gates: 'requests p95 <= basline + 10%' }, /Did you mean baseline\?/],
  [{ gates: 'requests p95 <= 500 ms stict' }, /Did you mean strict\?/],
  [{ gates: 'requests p95 <= 500 mss' }, /Did you mean ms\?/],
  [{ gates: 'wran: requests p95 <= 500 ms' }, /Write warn: before a gate/],
  [{ gates: 'http_req_duration: p(95)<500' }, /p\(95\) is not a metric\. Write, for example: requests p95/],
  [{ gates: 'requests p95 <= 1e300 ms' }, /1e300 is not a number/],
  [{ gates: 'requests p95 <= 1.500,5 ms' }, /1\.500,5 is not a number/],
  [{ gates: 'requests p95 <= -5 ms' }, /A limit takes no sign/],
  [{ baseline: 'main' }, /baseline: artifact and baseline-branch: main/],
  [{ baseline: 'latest' }, /Did you mean artifact\?/],
  [{ baseline: 'artifact', 'baseline-branch': 'mian' }, /no such branch\. Did you mean main\?/],
  [{ baseline: 'artifact', 'baseline-workflow': 'nightly' }, /write the name of the workflow's file/],
  [{ baseline: 'artifact', 'github-token': '' }, /baseline: artifact needs github-token/],
  [{ 'baseline-branch': 'main' }, /has no effect without baseline: artifact/],
  [{ baseline: 'https://example.com/report.zip' }, /Download it in an earlier step, and write its path/],
  [{ baseline: 'load-test:99' }, /404/],
  [{ baseline: '../report' }, /"\.\.\/report", but there is no such file or folder/],
  [{ confirm: 'true' }, /needs a baseline/],
  [{ timeout: '345' }, /write a duration such as 90s/],
  [{ comment: 'true' }, /write one of auto, always, never/],
  [{ name: 'a/b' }, /must not contain/],
  [{ 'retention-days': '90 days' }, /write a whole number from 0 to 400/],
  [{ 'pull-request': '#7' }, /write a whole number such as 17/],
  [{ status: 'load-test' }, /write true or false/],
  [{ properties: 'webshop.url' }, /write it as key = value/],
  [{ 'run-number': '17' }, /only for mode collect/],
  [{ organization: 'Demo Org' }, /write its short name/],
  [{ 'run-page': 'https://example.com/runs/' }, /with \{number\} in it/],
  [{ source: 'false' }, /To upload nothing, write source: none/],
  [{ source: 'perf' }, /The folder to pack, "perf", does not exist/],
  [{ source: 'none', properties: 'a = b' }, /properties has no effect with source: none/],
  [{ 'load-test': 'load-test:17' }, /write its number alone, 17\.$/],
  [{ 'load-test': 'https://lt.example.com/#/o/p/load-tests/17/settings' }, /write its number alone, 17\.$/],
  [{ 'load-test': 'Webshop regresion' }, /There are similar ones: 1 \("Webshop regression"\)\.$/],
  [{ baseline: '#17' }, /Did you mean load-test:17\?/],
  [{ baseline: 'old/report.zip' }, /"old\/report\.zip", but there is no such file or folder/],
  [
    { baseline: 'src' },
    /"src", which cannot be used\. The report folder contains no report that can be read/,
  ],
  [{ baseline: 'config/project.properties' }, /"config\/project\.properties", which cannot be used/],
  [{ gates: 'pom.xlm' }, /"pom\.xlm", which does not exist in the workspace\. Did you mean pom\.xml\?/],
  [{ gates: 'config/' }, /"config", which could not be read: it is a folder/],
  [{ 'base-url': 'https://lt.example.com/#/demo-org/webshop' }, /write https:\/\/lt\.example\.com$/],
  [{ 'base-url': 'https://lt.example.com/x/public/api/v2' }, /write https:\/\/lt\.example\.com\/x$/],
  [{ source: 'pom.xml' }, /The input source is "pom\.xml", which is a file/],
  [{ source: 'suite.zip' }, /The archive "suite\.zip" does not exist/],
  [{ 'load-test': '#17' }, /write its number alone, 17\.$/],
  [{ 'client-secret': 'secrets.XTC_SECRET' }, /^client-secret is the name of a secret, not its value/],
  [{ accept: 'true' }, /accept is "true": write the name of one label/],
  [{ mode: 'collect', 'run-number': '1' }, /Load test 1 has never been started/],
  [{ gates: 'none' }, /"none" is not a subject\. To judge without gates, leave gates empty\.$/],
  [{ gates: 'requests p95 ≤ 500 ms' }, /"≤" is not an operator\. Write <=\.$/],
  [{ gates: 'requests p95 <= ‘500 ms’' }, /straight double quotes/],
  [{ gates: 'requests p95 <= "500 ms"' }, /Write a number with its unit, without quotes/],
  [{ gates: 'requests p95 <= 0,5 s' }, /0,5 is not a number/],
  [{ gates: 'requests p95<500' }, /The amount of p95 has no unit\. Write NUMBER ms or NUMBER s\./],
  [{ gates: 'requests error-rate <= 0.01' }, /The amount of error-rate has no unit\. Write NUMBER %\./],
  [{ gates: 'requests p95 <= 1 s, requests errors = 0' }, /Write each gate on a line of its own\.$/],
  [{ gates: '["requests p95 <= 1 s"]' }, /Write each gate on a line of its own\.$/],
  [{ gates: '// slow\nrequests p95 <= 1 s' }, /^gates, line 1, .*Comments begin with #\.$/m],
  [{ gates: 'requests p95 <= {{ vars.LIMIT }}' }, /The character \{ is not allowed here/],
  [{ gates: 'warning: requests p95 <= 1 s' }, /Write warn: before a gate that only warns/],
  [{ gates: 'requests p95 <= 110% of baseline' }, /The unit % cannot be used with p95/],
  [{ gates: '.github\\gates.yml' }, /Write \/ in its path\.$/],
  [{ baseline: 'none' }, /To compare with nothing, leave baseline empty\.$/],
  [{ baseline: 'load-test:latest' }, /write load-test:17\.$/],
  [{ baseline: 'artifact', 'baseline-branch': 'origin/main' }, /has no such branch/],
  [{ accept: 'accepted-regression, slower' }, /write the name of one label/],
  [{ accept: '["accepted-regression"]' }, /write the name of one label/],
  [{ 'load-test': '"17"' }, /write its number alone, 17\.$/],
  [{ 'load-test': '0' }, /numbers begin with 1\.$/],
  [{ properties: '-Dwebshop.url=https://pr.example.com' }, /^properties, line 1: write it as key = value\.$/],
  [{ properties: '"webshop.url" = x' }, /^properties, line 1: write it as key = value\.$/],
  [{ 'run-page': 'https://lt.example.com/{{number}}' }, /with \{number\} in it/],
  [{ results: 'yes' }, /results is "yes": write true or false\.$/],
  [{ timeout: '1,5h' }, /write a duration such as 90s/],
  [{ 'client-id': '' }, /^client-id is empty: add the secret/],
]

/** The same for actions that start nothing. */
const ownMisuses: [OwnAction, Record<string, string>, RegExp][] = [
  ['judge', {}, /^report is required/],
  ['judge', { report: 'artifact' }, /^report is no path: .* or write artifact:NAME\.$/],
  ['judge', { report: 'https://lt.example.com/report.zip' }, /^report is no path: download the report/],
  ['judge', { report: 'pom.xml', gates: 'requests p95 <= baseline + 5%' }, /the input baseline is empty/],
  ['judge', { report: 'pom.xml', gates: 'requests p95<500' }, /has no unit/],
  ['judge', { report: 'pom.xml', baseline: 'load-test:9' }, /needs the service/],
  ['judge', { report: 'pom.xml', accept: 'yes' }, /write the name of one label/],
  ['judge', { report: 'pom.xml', 'report-run': '17' }, /no effect on a path/],
  ['judge', { report: 'artifact:x', 'report-run': 'latest' }, /write a whole number/],
  ['merge', { legs: '- search\n- login' }, /^legs is not a list of names/],
  ['merge', { legs: '{"name": "search"}' }, /^legs is not a list of names/],
  ['merge', { needs: 'success' }, /write needs: \$\{\{ toJSON\(needs\) \}\}\.$/],
  ['merge', { 'fail-on': 'warn' }, /write one of failed, error, never\.$/],
  ['merge', { leg: 'search' }, /Did you mean legs\?$/],
  ['merge', { 'pull-request': '#7' }, /write a whole number/],
  ['history', { 'history-runs': 'all' }, /from 1 to 200\.$/],
  ['history', { name: 'a/b' }, /must not contain/],
  ['history', { gates: 'gates.yaml' }, /does not exist in the workspace/],
  ['history', { gates: 'requests p95 =< 1 s' }, /Write <=/],
  ['history', { 'github-token': '' }, /needs github-token/],
]

thorough.each(misuses)('%j', async (inputs, sentence) => {
  const ran = await refused(inputs, sentence)
  expect(ran.annotations.map(({ message }) => message).join('\n')).not.toContain(sandbox.workspace)
  nothingUploaded()
})

thorough.each(ownMisuses)('%s: %j', async (name, inputs, sentence) => {
  const ran = await sandbox.runOwn(name, inputs)
  expect([ran.conclusion, ran.outputs['verdict']]).toEqual(['failure', 'error'])
  const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
  expect(errors.join('\n')).toMatch(sentence)
})

const checked = misuses.filter(([{ mode }], index) => mode === undefined && index % 6 === 0)
thorough.each(checked)('mode check: %j', async (inputs, sentence) => {
  const ran = await sandbox.run({ ...inputs, mode: 'check' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.annotations.map(({ message }) => message).join('\n')).toMatch(new RegExp(sentence, 'm'))
})

thorough('https where plain http is spoken, in words', async () => {
  const url = sandbox.service.url.replace('http:', 'https:')
  await refused({ 'base-url': url }, /it answers plain http, not https/)
})

thorough('what is most likely not meant gets a warning, and a run', async () => {
  const gates = [
    'requests error-rate <= 100%',
    'warn: requests p95 <= baseline + 10%',
    'requests p95 >= 1 ms',
    'warn: requests p59 <= 1 s',
    'requests p95 = 500 ms',
  ].join('\n')
  const ran = await sandbox.run({ mode: 'start', gates, exclude: 'confg/', properties: 'webshop.url = ' })
  expect(ran.outputs['verdict']).toBe('started')
  const told = ran.annotations.map(({ kind, message }) => `${kind}: ${message}`)
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 1: Every run passes this gate/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 2: .*input baseline is empty/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 3: .* Did you mean <=\?/))
  expect(told).toContainEqual(expect.stringMatching(/^warning: gates, line 4: The report will have no p59/))
  expect(told).toContainEqual(
    expect.stringMatching(/^warning: gates, line 5: Hardly any run has exactly this/),
  )
  expect(told).toContain('warning: properties, line 1: webshop.url is set to nothing.')
  expect(told).toContainEqual(expect.stringMatching(/^notice: exclude: "confg\/" .* Did you mean config\?/))
})
