import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { daily, thorough } from '../daily.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import { validateOutcome } from '../outcome-validator.js'
import { startSandbox, type Ran, type RunOptions, type Sandbox } from './sandbox.js'
import { inJob, until } from './several-steps.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
// Whatever a check finds, it changes nothing on the service or GitHub.
afterEach(async () => {
  const { books } = sandbox.service
  const { store } = sandbox.github
  try {
    expect([books.starts, sandbox.uploads(), books.deletedArchives]).toEqual([[], [], []])
    // A download may be asked for by POST.
    const reading = ['token', 'report', 'result']
    const written = books.requests.filter(
      ({ method, operation, path: address }) =>
        (method !== 'GET' && !reading.includes(operation)) || address.endsWith('/runCopy'),
    )
    expect(written).toEqual([])
    expect(store.artifacts).toEqual([])
    expect([...store.comments.values()].flat()).toEqual([])
  } finally {
    await sandbox.close()
  }
})

const onPull = (repository?: string): { job: { github: Partial<GitHubOptions> } } => {
  const head = { sha: 'abc', ...(repository === undefined ? {} : { repo: { full_name: repository } }) }
  const event = { pull_request: { number: 7, head, base: { ref: 'main' } } }
  return { job: { github: { eventName: 'pull_request', event } } }
}

/** What the summary lists as checked, as `subject: result`, and the findings by subject. */
function table({ summary }: Pick<Ran, 'summary'>) {
  const [, list = ''] = summary.split('What was checked')
  const all = list.split('\n').flatMap((item) => {
    const [, subject, result = '', found = ''] = /^- \S+?\s(.*?) \(([\w ]+)\): (.*)$/u.exec(item) ?? []
    return subject === undefined ? [] : [{ subject: plain(subject), result, found: plain(found) }]
  })
  return {
    all,
    /** The rows that are not ok, without what only a run can try. */
    open: all
      .filter(({ result }) => result !== 'ok' && result !== 'not tried')
      .map(({ subject, result }) => `${subject}: ${result}`),
    found: (wanted: string) =>
      all
        .filter(({ subject }) => subject === wanted)
        .map(({ found }) => found)
        .join('\n'),
  }
}

/** Without Markdown. */
function plain(cell: string): string {
  return cell
    .replace(/<[^>]*>|\*\*|^\| | \|$/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}

const check = (inputs: Record<string, string> = {}, options?: RunOptions) =>
  sandbox.run({ mode: 'check', ...inputs }, options)

daily('nothing is wrong: the same list in log and summary, an outcome file, and nothing else', async () => {
  const inputs = {
    mode: 'check',
    gates: 'requests p95 < 1 s',
    baseline: 'load-test:9',
    results: 'true',
    'delete-archive': 'true',
  }
  await inJob(sandbox, {}, async ({ job, step }) => {
    const ran = await job.runStep(step(inputs)).done
    const { all, open, found } = table(ran)
    expect(open).toEqual([])
    expect(all.map(({ subject }) => subject.replace(/^operation .*/, 'operation'))).toEqual([
      ...['inputs', 'gates', 'address', 'access token'],
      ...['project', 'load test', 'state', 'engine', 'Use Latest'],
      ...['LOADTEST_DETAILS', 'LOADTEST_LIST', 'LOADTEST_COPY_RUN', 'CODEARCHIVE_UPLOAD'].map(scope),
      ...['CODEARCHIVE_DELETE', 'LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD'].map(scope),
      ...[scope('LOADTEST_RESULT_DOWNLOAD'), 'OpenAPI document'],
      ...Array<string>(8).fill('operation'),
      ...['number', 'state', 'start', 'end'].map((field) => `field ${field}`),
      ...['baseline', 'code archive', 'comment', 'artifacts'],
    ])
    expect(found('address')).toContain(`${sandbox.service.url} answers`)
    expect(found('project')).toContain('9 load tests')
    expect(found('load test')).toContain('load test 1, "Webshop regression"')
    expect(found('state')).toBe('It is NEW.')
    // A token alone shows nothing: what reads was called, and what costs was not.
    const results = (wanted: string) =>
      all.filter(({ result }) => result === wanted).map(({ subject }) => subject)
    expect(results('not tried')).toEqual(
      ['LOADTEST_COPY_RUN', 'CODEARCHIVE_UPLOAD', 'CODEARCHIVE_DELETE'].map(scope),
    )
    expect(found(scope('LOADTEST_STATUS'))).toBe('Used.')
    expect(found('field state')).toBe('Read from the answers to list, details, runCopy, status.')
    expect(found('code archive')).toMatch(/^4 files below project\/, \d+\sbytes\. Not uploaded/)
    expect(found('baseline')).toContain('load test 9')
    // The log has the same rows.
    expect(ran.log.match(/^\s*\S+ [\w ]+ \((?:ok|not tried)\): /gm)).toHaveLength(all.length)

    expect(ran.conclusion).toBe('success')
    expect(ran.outputs).toMatchObject({ verdict: 'passed', gates: '[]' })
    expect(ran.outputs['run-number']).toBeUndefined()
    expect(ran.outputs['archive-sha512']).toMatch(/^[0-9a-f]{128}$/)
    expect(ran.annotations.map(({ kind, title }) => [kind, title])).toEqual([
      ['notice', `✅ Load test check: all ${all.length - 3} checks passed, 3 only a run can try`],
    ])
    const outcome: unknown = JSON.parse(readFileSync(ran.outputs['outcome'] ?? '', 'utf8'))
    expect(validateOutcome(outcome)).toEqual([])
    expect(outcome).toMatchObject({ kind: 'check', verdict: 'passed', reasons: [] })
    const [post] = await job.finish()
    expect(post?.summary).toBe('')
  })
})

const scope = (name: string) => `scope ${name}`

thorough(
  'many problems at once: each has its row, and everything that can be checked is checked',
  async () => {
    rmSync(path.join(sandbox.workspace, 'pom.xml'))
    writeFileSync(path.join(sandbox.workspace, 'gates.yml'), 'gates: [requests p95 < 1 day]\n')
    const few = sandbox.service.credentials('read only')
    few.scopes = few.scopes.filter((one) => one !== 'LOADTEST_STATUS')
    const ran = await check(
      {
        'load-test': '5',
        timeout: 'soon',
        gates: 'requests p95th < 1 s\ngates.yml',
        baseline: 'load-test:4711',
      },
      { credentials: 'read only', ...onPull() },
    )
    const { open, found } = table(ran)
    expect(open).toEqual([
      'inputs: problem',
      'gates: problem',
      'Use Latest: problem',
      'scope LOADTEST_COPY_RUN: problem',
      'scope CODEARCHIVE_UPLOAD: problem',
      'baseline: problem',
      'code archive: problem',
      'scope LOADTEST_STATUS: in doubt',
      'comment: in doubt',
    ])
    expect(found('inputs')).toContain('timeout is "soon"')
    expect(found('gates')).toMatch(/p95th.*gates\.yml/)
    expect(found('scope CODEARCHIVE_UPLOAD')).toContain('Create new credentials with this scope')
    expect(found('Use Latest')).toContain('Set it to Use Latest on the service')
    expect(found('baseline')).toContain('4711')
    expect(found('code archive')).toContain('there is no build file')
    expect(found('comment')).toContain('pull-requests: write')
    expect(ran.conclusion).toBe('failure')
    expect(ran.outputs['verdict']).toBe('error')
    expect(ran.annotations.filter(({ kind }) => kind === 'error')).toHaveLength(7)
    expect(ran.summary).toMatch(
      /^## ⚠️ Load test check: a run would fail\. [^]*7\sof\s\d+\schecks found a problem, 2\sare\sin doubt/,
    )
  },
)

thorough('without the list, a template is found by its number alone', async () => {
  const few = sandbox.service.credentials('read only')
  few.scopes = few.scopes.filter((one) => one !== 'LOADTEST_LIST')
  const open = async (template: string) =>
    table(await check({ 'load-test': template }, { credentials: 'read only' })).open
  expect(await open('1')).toContain('scope LOADTEST_LIST: in doubt')
  expect(await open('1')).not.toContain('load test: problem')
  expect(await open('Webshop regression')).toContain('load test: problem')
})

thorough('the rows for a second run and for a label that accepts', async () => {
  const inputs = { baseline: 'load-test:9', confirm: 'true', accept: 'accepted-regression' }
  const gates = 'warn: requests p95 <= baseline + 10 %\nrequests p95 < 1 s'
  const idle = table(await check({ ...inputs, gates, accept: '' }))
  expect(idle.open).toEqual(['confirm: in doubt'])
  expect(idle.found('confirm')).toContain('no gate compares with the baseline and can fail')

  const head = 'c'.repeat(40)
  sandbox.github.seed.pull({
    number: 7,
    head: { branch: 'faster', commit: head, repository: 'sandbox/project' },
  })
  sandbox.github.seed.push({ branch: 'faster', commit: head })
  const ran = await check({ ...inputs, gates: 'requests p95 <= baseline + 10 %' }, onPull())
  const { open, found } = table(ran)
  expect(open).toEqual(['comment: in doubt'])
  expect(found('confirm')).toMatch(/It costs as much as the first, and both must end within \d+/)
  expect(found('accept')).toBe('The labels of pull request 7 and the pushes to it can be read.')
  expect(ran).toMatchObject({ conclusion: 'success', outputs: { verdict: 'passed' } })
})

thorough('fail-on: never leaves no step green that found what would stop a run', async () => {
  const ran = await check({ 'load-test': 'Webshop search', 'fail-on': 'never' })
  expect(table(ran).found('load test')).toMatch(/Several load tests are named .*6 .*7/)
  expect(ran).toMatchObject({ conclusion: 'failure', outputs: { verdict: 'error' } })
})

describe('access', () => {
  thorough('without a token, the document is still compared and the archive still packed', async () => {
    const ran = await check({ baseline: 'load-test:9' }, { credentials: 'expired' })
    const { all, open, found } = table(ran)
    expect(found('access token')).toContain('Check client-id and client-secret')
    expect(open.filter((row) => row.includes('problem'))).toEqual(['access token: problem'])
    expect(open).toEqual(
      expect.arrayContaining(['scopes', 'project', 'load test', 'baseline'].map((row) => `${row}: in doubt`)),
    )
    expect(all.filter(({ subject }) => subject.startsWith('operation ')).length).toBeGreaterThan(5)
    expect(found('code archive')).toContain('4 files')
    expect(ran.conclusion).toBe('failure')
  })

  thorough('no load-test, no secrets: the rest is checked', async () => {
    const ran = await check({ 'load-test': '', 'client-secret': '' }, onPull('somebody/fork'))
    const { open, found } = table(ran)
    expect(found('inputs')).toContain('GitHub gives no secrets to pull requests from forks')
    expect(open).toEqual(expect.arrayContaining(['access token: in doubt', 'load test: problem']))
    expect(open).toContain('comment: in doubt')
    expect(sandbox.service.books.tokens).toEqual([])
  })

  thorough('an address that speaks no TLS', async () => {
    const tls = sandbox.service.url.replace('http:', 'https:')
    const ran = await check({ 'base-url': tls })
    const { open, found } = table(ran)
    expect(open).toEqual(['address: problem', 'service: in doubt'])
    expect(found('address')).toMatch(/the connection broke|the service could not be reached/)
    expect(found('code archive')).toContain('4 files')
  })
})

thorough('operations that are missing, have another method, or require something else', async () => {
  const test1 = '/public/api/v1/orgs/{org}/projects/{project}/loadTests/{loadTestNumber}'
  const archives = '/public/api/v2/orgs/{org}/projects/{project}/code-archives'
  const answer = await fetch(`${sandbox.service.url}/public/api/json`)
  const document = (await answer.json()) as { paths: Record<string, Record<string, object>> }
  const { paths } = document
  const change = (path: string, from: string, to: string) => {
    const { [from]: operation = {}, ...others } = paths[path] ?? {}
    paths[path] = { ...others, [to]: operation }
  }
  change(test1, 'get', 'post')
  change(`${test1}/reports/{reportNumber}/download`, 'get', 'post')
  change(archives, 'post', 'put')
  for (const gone of [`${test1}/status`, `${archives}/{codeArchiveId}`]) Reflect.deleteProperty(paths, gone)
  const fault = { kind: 'wrong-json', body: JSON.stringify(document) } as const
  sandbox.service.settings.faults = [{ operation: 'openapi', times: 'always', fault }]
  sandbox.service.books.requests.length = 0
  const ran = await check({ 'delete-archive': 'true' })
  const { open, found } = table(ran)
  expect(open).toEqual([
    'operation details: problem',
    'operation status: problem',
    'operation upload: problem',
    'operation deleteArchive: in doubt',
  ])
  expect(found('operation status')).toMatch(
    /The OpenAPI document of the service has no .*\/loadTests\/1\/status/,
  )
  expect(found('operation details')).toMatch(
    /The OpenAPI document of the service has POST for .*, but the step uses GET/,
  )
  // The interface does not show this method.
  expect(found('operation report')).toMatch(
    /The OpenAPI document has POST .*download\. The step uses that method/,
  )
  expect(found('operation upload')).toMatch(
    /The OpenAPI document of the service has PUT for .*, but the step uses POST/,
  )
  // An archive that cannot be deleted does not stop a run.
  expect(ran.annotations.filter(({ kind }) => kind === 'error')).toHaveLength(3)
  expect(ran.conclusion).toBe('failure')
})

thorough('on GitHub: a baseline that does not exist yet, a comment that may not be read', async () => {
  sandbox.github.settings.private = true
  sandbox.github.permit({ contents: 'read', actions: 'read' })
  sandbox.github.seed.run({ id: 1 })
  const ran = await check({ baseline: 'artifact' }, onPull())
  const { open, found } = table(ran)
  expect(open).toEqual(['baseline: in doubt', 'comment: in doubt'])
  expect(found('comment')).toContain('Give the job the permission pull-requests: write')
  // With this gate a run would be refused.
  const gates = 'requests p95 <= baseline + 10 %'
  const refused = await check({ baseline: 'artifact', gates }, onPull())
  expect(table(refused).open).toContain('baseline: problem')
  expect(refused.outputs['verdict']).toBe('error')
})

thorough('a check that is cancelled says so, and its post step has nothing to report', async () => {
  const fault = { kind: 'latency' as const, milliseconds: 60_000 }
  sandbox.service.settings.faults = [{ operation: 'list', fault }]
  await inJob(sandbox, onPull().job, async ({ job, step }) => {
    const handle = job.runStep(step({ mode: 'check' }))
    await until(() => sandbox.service.books.requests.some(({ operation }) => operation === 'list'))
    handle.cancel()
    const main = await handle.done
    expect(main).toMatchObject({ conclusion: 'cancelled', outputs: { verdict: 'cancelled' } })
    const [post] = await job.finish()
    expect(post?.summary).toBe('')
  })
})
