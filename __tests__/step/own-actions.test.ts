import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { daily, thorough } from '../daily.js'
import { pastOutcomes } from '../../bench/corpora/past.js'
import type { WorkflowRun } from '../../sandbox/github/store.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { HistoryOutcome } from '../../src/outcome/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { green, leg } from '../publish/outcomes.js'
import { picture } from '../publish/webp.js'
import { withoutFigures } from '../told.js'
import { writeLargeTestReport } from '../../sandbox/report/large.js'
import { JudgeSandbox, gates, judging } from './judged.js'
import { outcomeIn } from './published.js'
import { onPull, own } from './sandbox.js'

/* The actions that need no service, through dist/, with GitHub. */

let sandbox: JudgeSandbox
beforeEach(async () => {
  sandbox = await JudgeSandbox.open()
})
afterEach(() => sandbox.close())

daily('a folder is judged, attached whole, and named everywhere', async () => {
  mkdirSync(sandbox.at('results/20261121-1200/charts'))
  writeFileSync(sandbox.at('results/20261121-1200/charts/RequestRuntime.webp'), picture)
  const { ran, posts } = await sandbox.inJob(onPull, async (job) => {
    const ran = await job.runStep(judging({ report: 'results/20261121-1200', gates })).done
    return { ran, posts: await job.finish() }
  })
  expect(ran.conclusion).toBe('success')
  expect(posts).toMatchObject([{ conclusion: 'success', summary: '' }])
  expect(ran.outputs).toMatchObject({ verdict: 'passed' })
  expect(ran.outputs['run-number']).toBeUndefined()
  expect(Number(ran.outputs['duration-seconds'])).toBeGreaterThan(0)
  const outcome = sandbox.outcomeOf()
  expect(outcome).toMatchObject({
    verdict: 'passed',
    kind: 'load-test',
    mode: 'judge',
    report: { given: { name: 'results/20261121-1200' }, ending: '.tar.gz' },
  })
  expect(outcome.run).toBeUndefined()
  const report = sandbox.github.store.artifact('load-test-report.tar.gz', 100)
  const unpacked = sandbox.at('unpacked')
  mkdirSync(unpacked)
  execFileSync('tar', ['-xzf', report?.path ?? '', '-C', unpacked])
  execFileSync('diff', ['-r', sandbox.at('results/20261121-1200'), path.join(unpacked, '20261121-1200')])
  const digest = readFileSync(sandbox.github.store.artifact('load-test-digest.html', 100)?.path ?? '', 'utf8')
  expect(digest).toContain(`<img src="data:image/webp;base64,${picture.toString('base64')}"`)
  for (const text of [ran.summary, sandbox.github.store.commentsOf(7)[0]?.body, digest]) {
    expect(text).toContain('Both gates (limits) passed')
    expect(text).toContain('results/20261121-1200')
    expect(text).not.toMatch(/load test finished|undefined/)
  }
})

thorough(
  "what a link leads to, and Git's own folder, are never attached; files that look like secrets are named",
  async () => {
    sandbox.put('normal', '.git')
    writeFileSync(sandbox.at('.git/config'), 'extraheader = AUTHORIZATION: basic c3VwZXJzZWNyZXQ=')
    symlinkSync('.git', sandbox.at('perf'))
    const linked = await sandbox.judge({ report: 'perf' })
    expect(linked.outputs['verdict']).toBe('error')
    expect(linked.summary).toContain('report leads through perf, which is a link')
    expect(sandbox.github.store.artifact('load-test-report.tar.gz', 100)).toBeUndefined()
    rmSync(sandbox.at('perf'))
    writeFileSync(sandbox.at('.env'), 'TOKEN=1')
    const ran = await sandbox.judge({ report: '.', gates }, { runId: 101 })
    expect(ran.outputs['verdict']).toBe('passed')
    const attached = readFileSync(sandbox.github.store.artifact('load-test-report.tar.gz', 101)?.path ?? '')
    expect(gunzipSync(attached).includes('AUTHORIZATION')).toBe(false)
    expect(ran.annotations.map(({ message }) => message).join('\n')).toMatch(
      /The report contains files that look like secrets: [^ ]*\/\.env\. They are attached with it\./,
    )
  },
)

// What a folder or an archive holds is in report/report-reader.test.ts.
thorough("a misspelt artifact, and Git's own folder, are reported in a sentence", async () => {
  await sandbox.github.seed.artifact({ runId: 40, name: 'old', files: { 'testreport.xml': '' } })
  sandbox.put('normal', '.git')
  for (const [report, sentence] of [
    ['artifact:odl', /does not have: odl. It has old/],
    ['.git', /^report lies in \.git, the folder of Git itself/],
  ] as const) {
    const ran = await sandbox.judge({ report, 'report-run': report === '.git' ? '' : '40' })
    expect(ran.outputs['verdict']).toBe('error')
    const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
    expect(errors.join('\n')).toMatch(sentence)
  }
})

thorough('a step that is cut off says so, without a word about a load test', async () => {
  // Reading it takes long.
  await writeLargeTestReport(sandbox.at('results/20261121-1200/testreport.xml'), 50_000_000, 3)
  const { main, post } = await sandbox.inJob(onPull, async (job) => {
    const running = job.runStep({
      ...judging({ report: 'results/20261121-1200' }),
      cancelOn: (line) => line.includes('Read the report'),
    })
    const main = await running.done
    const [post] = await job.finish()
    return { main, post }
  })
  expect(main.outputs['verdict']).toBe('cancelled')
  for (const text of [post?.summary, sandbox.github.store.commentsOf(7)[0]?.body]) {
    expect(text).toContain('cancelled before there was a result')
    expect(text).not.toContain('oad test was')
  }
})

const attach = (runId: number, name: string, bytes: string) =>
  sandbox.github.seed.artifact({ runId, name, bytes, mimeType: 'application/json' })

daily(
  'all legs green: one comment, one summary, one digest, one verdict; nothing is read from GitHub',
  async () => {
    const { github } = sandbox
    github.settings.private = true
    for (const name of ['search', 'login'])
      await attach(100, `load-test-${name}-outcome.json`, JSON.stringify(leg(name, green()).outcome))
    await attach(100, 'load-test-search-report.tar.gz', 'not an outcome')
    // With the permissions of the recipe.
    const token = github.token({ contents: 'read', 'pull-requests': 'write' })
    const inputs = { needs: '{"load-test": {"result": "success"}}' }
    const ran = await sandbox.inJob(
      { ...onPull, token },
      (job) => job.runStep({ action: own('merge'), inputs }).done,
    )
    expect(ran).toMatchObject({ conclusion: 'success', outputs: { verdict: 'passed' } })
    expect(ran.outputs['outcome']).toMatch(/outcome\.json$/)
    const { legs = [] } = outcomeIn('merge', github, 100)
    expect(legs.map(({ name, verdict }) => `${name}: ${verdict}`)).toEqual([
      'login: passed',
      'search: passed',
    ])
    const digest = readFileSync(github.store.artifact('load-test-digest.html', 100)?.path ?? '', 'utf8')
    const comments = github.store.commentsOf(7).map(({ body }) => body)
    expect(comments).toHaveLength(1)
    for (const face of [ran.summary, comments[0], digest]) {
      expect(face).toContain('Load tests: all 2 passed')
      expect(face).toContain('search')
      expect(face).not.toContain('undefined')
    }
  },
)

interface Historied extends StepResult {
  /** The page that later steps of the job find. */
  page: string
  left: HistoryOutcome
}

const history = (token = sandbox.github.token()) =>
  sandbox.inJob({ token }, async (job): Promise<Historied> => {
    const ran = await job.runStep({ action: own('history'), inputs: {} }).done
    const read = (output: string) => readFileSync(ran.outputs[output] ?? '', 'utf8')
    const left = JSON.parse(read('outcome')) as HistoryOutcome
    expect(validateOutcome(left)).toEqual([])
    const page = ran.outputs['history-path'] === undefined ? '' : read('history-path')
    await job.finish()
    return { ...ran, page, left }
  })

async function earlier(id: number, bytes: string, run: Partial<WorkflowRun> = {}): Promise<void> {
  sandbox.github.seed.run({ id, ...run })
  await attach(id, 'load-test-outcome.json', bytes)
}

const warnings = ({ annotations }: StepResult) =>
  annotations.filter(({ kind }) => kind === 'warning').map(({ message }) => message)

daily(
  'the history has the runs of main, even red ones and this one; what cannot be read is named and left out',
  async () => {
    const { github } = sandbox
    github.settings.private = true
    github.permit({ actions: 'read' })
    const timers = { requests: 3, actions: 1, transactions: 1 }
    const [first = '', second = '', third = '', present = ''] = pastOutcomes({ runs: 4, timers, seed: 1 })
    await earlier(38, third.replace(/"p95":[^,}]+/, '"p95":1e308'))
    await earlier(39, third)
    Object.assign(github.store.run(39) ?? {}, { commit: null })
    await earlier(40, first)
    await earlier(41, second, { conclusion: 'failure' })
    await earlier(42, '{"format": 1, "verdict": ')
    await earlier(43, withoutFigures, { conclusion: 'failure' })
    await earlier(44, third)
    await earlier(45, third, { event: 'pull_request' })
    await earlier(46, third, { headRepository: 'somebody/fork' })
    await earlier(47, third, { branch: 'other' })
    await earlier(100, present, { conclusion: null })
    const ran = await history()
    expect(ran.conclusion).toBe('success')
    expect(ran.outputs['verdict']).toBe('passed')
    const runs = ran.left.history?.runs.map(({ url }) => Number(url.split('/').at(-1)))
    expect(runs).toEqual([40, 41, 44, 100])
    expect(warnings(ran)).toEqual([
      expect.stringMatching(/runs\/42 is not JSON and is left out\.$/),
      expect.stringMatching(/runs\/38 does not conform to docs\/outcome\.schema\.json: \/figures\/.*p95 is /),
      'Runs without figures, which read no report, are left out: 1.',
    ])
    const artifact = github.store.artifact('load-test-history.html', 100)
    expect(readFileSync(artifact?.path ?? '', 'utf8')).toBe(ran.page)
    expect(ran.page).toContain('<h1>4\u00a0runs of main, changes show from 5 on</h1>')
    expect(ran.summary).toContain('4\u00a0runs of main, changes show from 5 on')
    expect(ran.summary).toContain(`/artifacts/${artifact?.id}`)
    // The outcome of the load test is the only one.
    const names = github.store.artifactsOf(100).map(({ name }) => name)
    expect(names.sort()).toEqual(['load-test-history.html', 'load-test-outcome.json'])
  },
)

thorough(
  'a missing permission is named, and nothing is left that later runs would take for an outcome',
  async () => {
    const { github } = sandbox
    github.settings.private = true
    github.permit({})
    const unread = await history(github.token({}))
    expect(unread.conclusion).toBe('failure')
    expect(unread.left.reasons[0]?.text).toMatch(/runs of the history could not be read: .*actions: read/)
    expect(github.store.artifacts.map(({ name }) => name)).not.toContain('load-test-outcome.json')
  },
)
