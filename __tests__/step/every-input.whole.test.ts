import { readFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import AdmZip from 'adm-zip'
import { readActions } from '../../scripts/readme-tables.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { contentOf } from './published.js'
import { onPull, startSandbox, type Ran, type Sandbox } from './sandbox.js'
import { inJob } from './several-steps.js'

/*
 * Every input and output of all actions, with proof that it works through dist/. There are only a few runs, each with
 * many inputs that differ from their defaults; each is checked from all sides.
 */

const actions = readActions()

let sandbox: Sandbox
/** Everything at once; with the report and outcome as they were on the runner. */
let whole: StepResult
let wholeInputs: Record<string, string | undefined>
let report: Buffer
let outcome: unknown
let properties: string
let started: Ran
let resumed: Ran
let collected: Ran
let judged: Ran
let historied: Ran
let merged: Ran
let checked: Ran
let timedOut: Ran
let confirmed: Ran

/** Steps one after the other, because the books must show which step did what. */
const eightSteps = 120_000

beforeAll(async () => {
  sandbox = await startSandbox()
  const { workspace, github, service } = sandbox
  github.permit({ actions: 'read', contents: 'read', 'pull-requests': 'write', statuses: 'write' })
  mkdirSync(path.join(workspace, 'suite'))
  for (const name of ['pom.xml', 'src', 'config']) {
    renameSync(path.join(workspace, name), path.join(workspace, 'suite', name))
  }
  writeFileSync(path.join(workspace, 'suite', 'recording.har'), 'x')
  writeFileSync(path.join(workspace, 'suite', 'config', 'project.properties'), 'note = old\n')
  writeFileSync(path.join(workspace, 'gates.yml'), 'gates:\n  - requests mean < 1 ms\n')
  const zip = new AdmZip()
  zip.addFile('given/build.gradle', Buffer.from('plugins {}'))
  zip.writeZip(path.join(workspace, 'given.zip'))

  const strategy = { 'job-index': 0, 'job-total': 2 }
  await inJob(sandbox, { strategy, github: { runId: 900, ...onPull } }, async ({ job, step }) => {
    const wanted = step({
      'load-test': 'Webshop regression',
      mode: 'run',
      'run-page': 'https://pages.example.com/{organization}/{project}/{number}',
      source: 'suite',
      exclude: '*.har',
      properties: `loadtests = TSearch\nnote = Käse`,
      'delete-archive': 'true',
      results: 'true',
      'retention-days': '5',
      gates: 'requests p95 < 60 s\ngates.yml',
      baseline: 'load-test:9',
      name: 'my-leg',
      'github-token': github.token({ 'pull-requests': 'write', actions: 'read' }, 'load-tester[bot]'),
      'fail-on': 'error',
    })
    wholeInputs = wanted.inputs ?? {}
    whole = await job.runStep(wanted).done
    report = readFileSync(whole.outputs['report-path'] ?? '')
    const temp = path.dirname(whole.outputs['outcome'] ?? '')
    properties = new AdmZip(path.join(temp, 'code-archive.zip')).readAsText(
      'project/config/project.properties',
    )
    outcome = JSON.parse(readFileSync(whole.outputs['outcome'] ?? '', 'utf8'))
    await job.finish()
  })

  const given = { source: 'given.zip' }
  const attempt = (runAttempt: number) => ({ job: { github: { runId: 910, runAttempt, ...onPull } } })
  started = await sandbox.run({ mode: 'start', comment: 'never', ...given }, attempt(1))
  resumed = await sandbox.run({ resume: 'true', comment: 'never', ...given }, attempt(2))
  const startedNumber = started.outputs['run-number'] ?? ''
  const elsewhere = { branch: 'another', commit: 'c0ffee02', repository: github.settings.repository }
  github.seed.pull({ number: 8, head: elsewhere })
  collected = await sandbox.run({
    ...{ mode: 'collect', 'load-test': '', 'run-number': startedNumber },
    'pull-request': '8',
  })

  const head = { branch: 'faster', commit: 'c0ffee01', repository: github.settings.repository }
  github.seed.pull({ number: 7, head })
  github.seed.run({ id: 900, event: 'pull_request', branch: 'faster', commit: 'c0ffee01' })
  github.seed.role('olga', 'maintain')
  github.seed.label(7, 'slower', 'olga')
  const judging = { report: 'artifact:my-leg-report', 'report-run': '900' }
  judged = await sandbox.runOwn(
    'judge',
    { ...judging, gates: 'requests mean < 1 ms', accept: 'slower' },
    { job: { github: { ...onPull, runId: 920 } } },
  )

  merged = await sandbox.runOwn(
    'merge',
    {
      name: 'my',
      legs: 'leg',
      needs: '{"build": {"result": "failure"}, "load-test": {"result": "failure"}}',
    },
    { job: { github: { ...onPull, runId: 900 } } },
  )

  // Two runs on main that left the same outcome, as a push to main would.
  const left = JSON.parse(contentOf({ path: artifact('my-leg-outcome.json')?.path ?? '' })) as LoadTestOutcome
  const pushed = { event: 'push', sha: 'c0ffee01', head: 'c0ffee01' }
  const outcomeOn = (branch: string) =>
    JSON.stringify({ ...left, step: { ...left.step, ...pushed, ref: `refs/heads/${branch}` } })
  writeFileSync(path.join(workspace, 'earlier.json'), outcomeOn('main'))
  // Two more are of another workflow, on another branch.
  const others = { branch: 'release', workflow: 'nightly.yml' }
  const runs = [{ id: 901 }, { id: 902 }, { id: 903, ...others }, { id: 904, ...others }]
  for (const one of runs) {
    const { id, branch } = github.seed.run(one)
    const file = { name: 'my-leg-outcome.json', bytes: outcomeOn(branch), mimeType: 'application/json' }
    await github.seed.artifact({ runId: id, ...file })
  }
  historied = await sandbox.runOwn(
    'history',
    { name: 'my-leg', 'history-runs': '1' },
    { job: { github: { runId: 930 } } },
  )
  checked = await sandbox.run(
    {
      mode: 'check',
      source: 'suite',
      name: 'my-leg',
      baseline: 'artifact',
      'baseline-branch': 'release',
      'baseline-workflow': 'nightly.yml',
    },
    { job: { github: onPull } },
  )

  const fromGit = { 'load-test': '3', source: 'none' }
  service.settings.secondsRunning = 600
  timedOut = await sandbox.run({ timeout: '6s', ...fromGit })
  Object.assign(service.settings, { secondsRunning: 0.01, slowdown: 2 })
  confirmed = await sandbox.run({
    confirm: 'true',
    gates: 'requests p95 <= baseline + 10 %',
    baseline: 'load-test:9\nearlier.json',
    comment: 'never',
    name: 'my-status',
    status: 'true',
    ...fromGit,
  })
}, eightSteps)
afterAll(() => sandbox.close())

const number = (ran: StepResult) => Number(ran.outputs['run-number'])
const start = (ran: StepResult) => sandbox.service.books.starts.find((one) => one.number === number(ran))
const upload = (ran: StepResult) => sandbox.uploads().find(({ id }) => id === ran.outputs['archive-id'])
const artifact = (name: string) => sandbox.github.store.artifacts.find((one) => one.name === name)
const address = (id: number | undefined) =>
  `https://github.com/${sandbox.github.settings.repository}/actions/runs/900/artifacts/${id}`
const requests = () => sandbox.service.books.requests

interface Gate {
  gate: string
  result: string
}
function gates(): Gate[] {
  return JSON.parse(whole.outputs['gates'] ?? '') as Gate[]
}

const inputs: Record<string, () => void> = {
  'base-url': () => expect(requests().length).toBeGreaterThan(0),
  'client-id': () => {
    const ids = sandbox.service.books.tokens.map(({ clientId }) => clientId)
    expect(new Set(ids)).toEqual(new Set([wholeInputs['client-id']]))
  },
  'client-secret': () => expect(whole.masks).toContain(wholeInputs['client-secret']),
  organization: () => expect(requests().some(({ path }) => path.includes('/orgs/demo-org/'))).toBe(true),
  project: () => expect(start(whole)?.project).toBe('webshop'),
  'load-test': () =>
    expect([start(whole)?.template, start(started)?.template, start(timedOut)?.template]).toEqual([1, 1, 3]),
  mode: () =>
    expect(
      [started, collected, judged, historied, merged, checked].map(({ outputs }) => outputs['verdict']),
    ).toEqual(['started', 'passed', 'accepted', 'passed', 'error', 'passed']),
  'run-number': () => expect(number(collected)).toBe(number(started)),
  // The same report, attached to another run.
  report: () => {
    const again = sandbox.github.store.artifact('load-test-report.tar.gz', 920)
    expect(readFileSync(again?.path ?? '')).toEqual(report)
  },
  'report-run': () =>
    expect(judged.summary).toMatch(/my-leg-report\.tar\.gz of workflow run 900.*\/runs\/900>/),
  // There are two.
  'history-runs': () => expect(historied.summary).toContain('1\u00a0run of main,'),
  // Without them the second leg of the matrix would be missing.
  legs: () => expect(merged.summary).toContain('Load tests: 2\u00a0of\u00a02 did not pass'),
  needs: () => expect(merged.summary).toMatch(/<code>build<.* The job ended as failure, /),
  'matrix-leg': () =>
    expect(outcome).toMatchObject({ step: { leg: { job: 'load-test', index: 0, total: 2 } } }),
  'run-page': () =>
    expect(whole.outputs['run-url']).toBe(`https://pages.example.com/demo-org/webshop/${number(whole)}`),
  source: () => {
    expect(whole.log).toContain('The archive has 3 files below project/')
    const bytes = readFileSync(path.join(sandbox.workspace, 'given.zip'))
    expect(upload(started)?.size).toBe(bytes.length)
    expect(start(started)?.archiveId).toBe(started.outputs['archive-id'])
    expect(timedOut.outputs['archive-sha512']).toBeUndefined()
    expect(sandbox.uploads()).toHaveLength(2)
  },
  // The check packs the same folder without exclude.
  exclude: () => {
    expect(whole.log).toContain('The archive has 3 files')
    expect(checked.log).toContain('The archive has 4 files')
  },
  properties: () => {
    expect(properties).toBe('note = old\n\n\nloadtests=TSearch\nnote=Käse\n'.replace('ä', '\\u00e4'))
    const unchanged = path.join(sandbox.workspace, 'suite/config/project.properties')
    expect(readFileSync(unchanged, 'utf8')).toBe('note = old\n')
  },
  'delete-archive': () =>
    expect(sandbox.service.books.deletedArchives.map(({ id }) => id)).toEqual([whole.outputs['archive-id']]),
  resume: () => {
    expect(number(resumed)).toBe(number(started))
    expect(resumed.outputs['verdict']).toBe('passed')
  },
  timeout: () => {
    expect(timedOut.outputs['verdict']).toBe('timed-out')
    expect(timedOut.log).toContain('had not ended after 6 s')
  },
  results: () => expect(artifact('my-leg-results.tar.gz')?.runId).toBe(900),
  'retention-days': () => {
    const { createdAt, expiresAt } = artifact('my-leg-report.tar.gz') ?? {}
    const days = (Number(expiresAt) - Number(createdAt)) / (24 * 60 * 60 * 1000)
    expect(Math.round(days)).toBe(5)
  },
  gates: () =>
    expect(gates()).toMatchObject([
      { gate: 'requests mean < 1 ms', result: 'failed', file: 'gates.yml' },
      { gate: 'requests p95 < 60 s', result: 'passed' },
    ]),
  baseline: () => {
    expect(outcome).toMatchObject({ comparison: { baseline: { name: 'load test 9', runs: 1 } } })
    expect(confirmed.summary).toContain('2\u00a0runs: load test 9, earlier.json')
  },
  'baseline-branch': () => expect(checked.summary).toContain('runs of release'),
  // The branch has none of this workflow.
  'baseline-workflow': () => expect(checked.summary).toContain('2\u00a0runs of release'),
  confirm: () => {
    const [run, second, ...more] = sandbox.service.books.starts.filter(
      ({ number: n }) => n >= number(confirmed),
    )
    expect([run?.template, second?.template, more]).toEqual([3, 3, []])
    expect(confirmed.log).toContain(`Load test ${second?.number} confirms it`)
  },
  accept: () => expect(judged.conclusion).toBe('success'),
  // Those of the whole run, of judge and of merge; the runs with comment: never were on the same pull request.
  comment: () => expect(sandbox.github.store.commentsOf(7)).toHaveLength(3),
  'pull-request': () => expect(sandbox.github.store.commentsOf(8)).toHaveLength(1),
  name: () => {
    for (const what of ['report.tar.gz', 'outcome.json', 'digest.html'])
      expect(artifact(`my-leg-${what}`)?.runId).toBe(900)
    expect(artifact('my-leg-history.html')?.runId).toBe(930)
    expect(merged.summary).toContain('| ❌\u00a0**<code>leg</code>** (failed)')
    expect(sandbox.github.store.commentsOf(7)[0]?.body).toContain('<!-- load-test-action: my%2dleg -->')
  },
  'github-token': () => expect(sandbox.github.store.commentsOf(7)[0]?.login).toBe('load-tester[bot]'),
  status: () => {
    const shown = { commit: sandbox.commit, context: 'my-status' }
    expect(sandbox.github.store.statuses).toMatchObject([{ ...shown, state: 'pending' }, shown])
  },
  'fail-on': () => {
    expect(whole.outputs['verdict']).toBe('failed')
    expect(whole.conclusion).toBe('success')
    expect(whole.summary).toContain('by fail-on: error')
    expect(timedOut.conclusion).toBe('failure')
  },
}

const outputs: Record<string, (value: string) => void> = {
  'run-number': (value) => expect(start(whole)?.number).toBe(Number(value)),
  'run-url': (value) => expect(whole.summary).toContain(value),
  state: (value) => expect(value).toBe('FINISHED'),
  verdict: (value) => expect(value).toBe('failed'),
  headline: (value) => expect(value).toMatch(/^my-leg: requests .*(?:slower|too slow) \(/),
  'digest-url': (value) => expect(value).toBe(address(artifact('my-leg-digest.html')?.id)),
  'comment-url': (value) =>
    expect(value).toMatch(new RegExp(`/pull/7#issuecomment-${sandbox.github.store.commentsOf(7)[0]?.id}$`)),
  'report-number': (value) =>
    expect(requests().some(({ path }) => path.endsWith(`/${number(whole)}/reports/${value}/download`))).toBe(
      true,
    ),
  'report-path': () => expect(report).toEqual(readFileSync(artifact('my-leg-report.tar.gz')?.path ?? '')),
  'report-artifact-id': (value) => expect(artifact('my-leg-report.tar.gz')?.id).toBe(Number(value)),
  'report-artifact-url': (value) => expect(value).toBe(address(artifact('my-leg-report.tar.gz')?.id)),
  'archive-id': (value) => expect(start(whole)?.archiveId).toBe(value),
  'archive-sha512': (value) => expect(upload(whole)?.sha512).toBe(value),
  'duration-seconds': (value) => expect(outcome).toMatchObject({ run: { durationSeconds: Number(value) } }),
  gates: () => expect(gates()).toHaveLength(2),
  metrics: (value) => expect(JSON.stringify(JSON.parse(value))).toMatch(/p95/),
  acceptance: (value) =>
    expect(JSON.parse(value)).toMatchObject({ label: 'slower', by: 'olga', commit: 'c0ffee01' }),
  // history.test.ts looks at the content while the job lasts.
  'history-path': (value) => expect(path.basename(value)).toBe('history.html'),
  outcome: () =>
    expect(outcome).toEqual(JSON.parse(contentOf({ path: artifact('my-leg-outcome.json')?.path ?? '' }))),
}

test('every input and output of every action has a row', () => {
  const all = [actions.root, ...Object.values(actions.own)]
  const names = (of: 'inputs' | 'outputs') => [...new Set(all.flatMap((one) => Object.keys(one[of])))].sort()
  expect(Object.keys(inputs).sort()).toEqual(names('inputs'))
  expect(Object.keys(outputs).sort()).toEqual(names('outputs'))
})

test.each([
  ['judge', () => judged],
  ['merge', () => merged],
  ['history', () => historied],
] as const)('the action %s sets each of its outputs', (name, ran) => {
  expect(Object.keys(ran().outputs)).toEqual(expect.arrayContaining(Object.keys(actions.own[name].outputs)))
})

test.each(Object.keys(inputs))('input %s', (name) => inputs[name]?.())

test.each(Object.keys(outputs))('output %s', (name) => {
  const from = { acceptance: judged, 'history-path': historied }[name] ?? whole
  const value = from.outputs[name] ?? ''
  expect(value).not.toBe('')
  outputs[name]?.(value)
})
