import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pastOutcomes } from '../../bench/corpora/past.js'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { WorkflowRun } from '../../sandbox/github/store.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import { startJob } from '../../sandbox/runner/job.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { HistoryOutcome } from '../../src/outcome/outcome.js'
import { daily, thorough } from '../daily.js'
import { validateOutcome } from '../outcome-validator.js'
import { withoutFigures } from '../told.js'
import { machineEnv, own } from './sandbox.js'

/* Mode history through dist/, with GitHub and without a service. */

let github: Github
let workspace: string
beforeEach(async () => {
  github = await startGithub({ settings: { private: true } })
  github.permit({ actions: 'read' })
  workspace = mkdtempSync(path.join(tmpdir(), 'historied-'))
})
afterEach(async () => {
  await github.close()
  rmSync(workspace, { recursive: true, force: true })
})

interface Ran extends StepResult {
  /** The page that later steps of the job find. */
  page: string
  left: HistoryOutcome
}

async function history(
  inputs: Record<string, string> = {},
  options: Partial<GitHubOptions> = {},
): Promise<Ran> {
  const runId = 100
  const job = await startJob({
    workspace,
    machineEnv,
    github: { token: github.token(), apiUrl: github.url, runId, ...options },
    artifactService: { url: github.url, token: await github.runtimeToken(runId) },
  })
  try {
    const ran = await job.runStep({ action: own('history'), inputs }).done
    const read = (output: string) => readFileSync(ran.outputs[output] ?? '', 'utf8')
    const outcome = JSON.parse(read('outcome')) as HistoryOutcome
    expect(validateOutcome(outcome)).toEqual([])
    const page = ran.outputs['history-path'] === undefined ? '' : read('history-path')
    await job.finish()
    return { ...ran, page, left: outcome }
  } finally {
    await job.remove()
  }
}

async function earlier(id: number, bytes: string, run: Partial<WorkflowRun> = {}): Promise<void> {
  github.seed.run({ id, ...run })
  await github.seed.artifact({
    runId: id,
    name: 'load-test-outcome.json',
    bytes,
    mimeType: 'application/json',
  })
}

const warnings = ({ annotations }: StepResult) =>
  annotations.filter(({ kind }) => kind === 'warning').map(({ message }) => message)

daily(
  'the history has the runs of main, even red ones and this one; what cannot be read is named and left out',
  async () => {
    const timers = { requests: 3, actions: 1, transactions: 1 }
    const [first = '', second = '', third = '', own = ''] = pastOutcomes({ runs: 4, timers, seed: 1 })
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
    await earlier(100, own, { conclusion: null })
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
    github.permit({})
    const unread = await history({}, { token: github.token({}) })
    expect(unread.conclusion).toBe('failure')
    expect(unread.left.reasons[0]?.text).toMatch(/runs of the history could not be read: .*actions: read/)
    expect(github.store.artifacts.map(({ name }) => name)).not.toContain('load-test-outcome.json')
  },
)
