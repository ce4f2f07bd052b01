import type { WorkflowRun } from '../../sandbox/github/store.js'
import { connect } from '../../src/github/api/octokit.js'
import { reportArtifact, runOfCommit } from '../../src/github/runs/report-artifact.js'
import { jobFacts } from '../../src/github/job/job.js'
import { readInputs } from '../../src/inputs/inputs.js'
import { regression } from '../publish/outcomes.js'
import { copiedArtifacts } from './copied-artifacts.js'
import { withoutFigures } from '../told.js'
import { privateGithub } from './private-github.js'

const at = await privateGithub('report-artifact')
const { log, lines } = at

const refused = () => Promise.reject(new Error('not needed'))
const commit = 'c'.repeat(40)
const other = 'd'.repeat(40)

async function newest(token = at.github.token({ actions: 'read' })): Promise<number> {
  const octokit = () => connect(token, { baseUrl: at.github.url })
  const store = copiedArtifacts(at.github)
  const of = {
    owner: 'sandbox',
    repo: 'project',
    workflow: 'load-test.yml',
    currentRun: 30,
    token,
    folder: at.folder,
    log,
  }
  const named = { name: 'report', artifact: 'load-test-outcome', commit }
  return runOfCommit({ ...of, ...named, octokit, store: { ...store, listArtifacts: refused } })
}

interface Changes extends Partial<WorkflowRun> {
  name?: string
  expiresAt?: Date
  /** The commit that its outcome names; a text is the outcome itself. Absent = it has none. */
  outcome?: { commit: string } | string
}

/** A run, with a report that may have expired. */
async function run(id: number, { name = 'report.tar.gz', expiresAt, outcome, ...more }: Changes = {}) {
  at.github.seed.run({ id, event: 'pull_request', commit, createdAt: new Date(id), ...more })
  const file = { runId: id, name, bytes: 'x', mimeType: 'application/gzip' }
  await at.github.seed.artifact({ ...file, ...(expiresAt && { expiresAt }) })
  if (outcome === undefined) return
  const left = regression()
  const bytes =
    typeof outcome === 'string' ? outcome : JSON.stringify({ ...left, step: { ...left.step, ...outcome } })
  await at.github.seed.artifact({
    runId: id,
    name: 'load-test-outcome.json',
    bytes,
    mimeType: 'application/json',
  })
}

test('the report comes from the newest other run of this workflow and commit that has the artifact', async () => {
  await run(10)
  await run(20)
  await run(21, { name: 'other.tar.gz' })
  await run(22, { expiresAt: new Date(0) })
  await run(23, { commit: other })
  await run(24, { workflow: 'nightly.yml' })
  await run(30)
  expect(await newest()).toBe(20)
})

test.each<[string, Changes, boolean]>([
  ['a green run', { conclusion: 'success' }, true],
  ['a red run', { conclusion: 'failure' }, true],
  ['a cancelled run', { conclusion: 'cancelled' }, false],
  ['a run that is not over', { conclusion: null }, false],
  ['a run of a fork', { headRepository: 'somebody/project' }, false],
  ['a run of a deleted fork', { headRepository: null }, false],
  // Its outcome says what it measured.
  ['its outcome names the commit', { outcome: { commit } }, true],
  ['its outcome names another commit', { outcome: { commit: other } }, false],
  ['its outcome is not JSON', { outcome: '{"format": 1' }, false],
  ['its outcome is nested too deeply', { outcome: `${'['.repeat(200_000)}${']'.repeat(200_000)}` }, false],
  ['its outcome has no figures', { outcome: withoutFigures }, true],
  // Without an outcome, the event does.
  ...['push', 'pull_request', 'merge_group', 'workflow_dispatch'].map((event): [string, Changes, boolean] => [
    `${event} without an outcome`,
    { event },
    true,
  ]),
  ...['pull_request_target', 'issue_comment', 'release'].flatMap((event): [string, Changes, boolean][] => [
    [`${event} without an outcome`, { event }, false],
    [`${event}, of the commit by its outcome`, { event, outcome: { commit } }, true],
  ]),
])('%s: %j is %s', async (_, changes, counts) => {
  await run(10)
  await run(20, changes)
  expect(await newest()).toBe(counts ? 20 : 10)
})

test.each<[string, Changes, string | undefined]>([
  ['an own run, by its outcome', { outcome: { commit: other } }, other],
  ['an own run without an outcome', {}, commit],
  ['a fork, whatever its outcome says', { headRepository: 'm/project', outcome: { commit: other } }, commit],
  ['a deleted fork', { headRepository: null, event: 'issue_comment', outcome: { commit: other } }, undefined],
])('the commit that the report of a numbered run is of: %s', async (_, changes, due) => {
  await run(10, changes)
  const token = at.github.token({ actions: 'read' })
  const given: Record<string, string> = { mode: 'judge', report: 'report', 'report-run': '10' }
  const access = {
    inputs: {
      ...readInputs('judge', (name) => given[name] ?? '', { workspace: '/', env: {} }),
      ...{ githubToken: token, name: 'load-test' },
    },
    job: jobFacts({ GITHUB_REPOSITORY: 'sandbox/project', GITHUB_RUN_ID: '30' }, () => undefined),
    octokit: () => connect(token, { baseUrl: at.github.url }),
    artifactStore: async () => ({
      ...copiedArtifacts(at.github),
      listArtifacts: refused,
      uploadArtifact: refused,
    }),
    log,
    temp: at.folder,
  }
  const { given: found } = await reportArtifact(access, 'report', 10)
  expect(found.commit).toBe(due)
})

test('why a run does not count is in the log', async () => {
  await run(10)
  await run(20, { outcome: { commit: other } })
  await run(21, { event: 'issue_comment' })
  await newest()
  expect(lines).toEqual([
    'Workflow run 21 does not say which commit it measured (issue_comment), so its report is not judged.',
    'Workflow run 20 measured another commit, so its report is not judged.',
  ])
})

test('if there is none, or runs cannot be read, a sentence says so', async () => {
  await run(21, { name: 'other.tar.gz' })
  await expect(newest()).rejects.toThrow(
    `No other completed run of this workflow has measured commit ${commit.slice(0, 7)} and has the artifact report that report names. Wait until its load test has ended.`,
  )
  await expect(newest(at.github.token({ contents: 'read' }))).rejects.toThrow(
    /^The workflow runs of commit c{40} could not be read: .*actions: read\.$/,
  )
})
