import { startGithub, type Github } from '../../sandbox/github/github.js'
import { connect } from '../../src/github/octokit.js'
import { runOfCommit } from '../../src/github/report-artifact.js'

let github: Github
beforeEach(async () => {
  github = await startGithub({ settings: { private: true } })
})
afterEach(() => github.close())

const commit = 'c'.repeat(40)

function newest(token = github.token({ actions: 'read' })): Promise<number> {
  const octokit = () => connect(token, { baseUrl: github.url })
  const at = { owner: 'sandbox', repo: 'project', name: 'report', workflow: 'load-test.yml', commit }
  return runOfCommit(octokit, { ...at, token, currentRun: 30 })
}

/** A run, with a report that may have expired. */
async function run(
  id: number,
  changes: { commit?: string; workflow?: string; name?: string; expiresAt?: Date } = {},
) {
  const { name = 'report.tar.gz', expiresAt, ...more } = changes
  github.seed.run({ id, event: 'pull_request', commit, createdAt: new Date(id), ...more })
  const file = { runId: id, name, bytes: 'x', mimeType: 'application/gzip' }
  await github.seed.artifact({ ...file, ...(expiresAt && { expiresAt }) })
}

test('the report comes from the newest other run of this workflow and commit that has the artifact', async () => {
  await run(10)
  await run(20)
  await run(21, { name: 'other.tar.gz' })
  await run(22, { expiresAt: new Date(0) })
  await run(23, { commit: 'd'.repeat(40) })
  await run(24, { workflow: 'nightly.yml' })
  await run(30)
  expect(await newest()).toBe(20)
})

test('if there is none, or runs cannot be read, a sentence says so', async () => {
  await run(21, { name: 'other.tar.gz' })
  await expect(newest()).rejects.toThrow(
    `No other workflow run of commit ${commit} has the artifact report that report names. Wait until its load test has ended, then run this job again.`,
  )
  await expect(newest(github.token({ contents: 'read' }))).rejects.toThrow(
    /^The workflow runs of commit c{40} could not be read: .*actions: read\.$/,
  )
})
