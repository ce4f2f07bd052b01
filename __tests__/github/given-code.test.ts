import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { jobFacts } from '../../src/github/job/job.js'
import { openJob } from '../../src/opened-job.js'
import { redaction } from '../../src/text/redaction.js'
import { keptLog } from '../kept-log.js'
import { ownFolder } from '../own-folder.js'

/* Whose code a step names that tests a ZIP or what the template chooses, on the pull request of a fork. */

const folder = ownFolder()
const before = process.env.RUNNER_TEMP
beforeAll(() => {
  process.env.RUNNER_TEMP = folder
  writeFileSync(path.join(folder, 'suite.zip'), '')
})
afterAll(() => {
  if (before === undefined) delete process.env.RUNNER_TEMP
  else process.env.RUNNER_TEMP = before
})

const head = 'b'.repeat(40)
const base = 'a'.repeat(40)
const given: Readonly<Record<string, string>> = {
  ...{ 'base-url': 'https://loadtest.example.com', 'client-id': 'id', 'client-secret': 'opensesame' },
  ...{ organization: 'o', project: 'p', 'load-test': '1', mode: 'run', timeout: '1h', comment: 'never' },
  ...{ 'fail-on': 'failed', resume: 'false', confirm: 'false', results: 'false', status: 'true' },
  ...{ 'delete-archive': 'false', 'retention-days': '0' },
}

async function opened(event: string, repository: string, source: string, found = head) {
  const pull = { number: 7, head: { sha: head, repo: { full_name: repository } }, base: { ref: 'main' } }
  const file = path.join(folder, 'event.json')
  const run = { head_sha: head, head_repository: { full_name: repository } }
  writeFileSync(file, JSON.stringify({ pull_request: pull, workflow_run: run }))
  const env = {
    ...{ GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: 'shop/shop' },
    ...{ GITHUB_REF: 'refs/heads/main', GITHUB_SHA: base, GITHUB_WORKSPACE: folder },
  }
  const facts = jobFacts(env, () => ({ commit: found }))
  const get = (name: string) => ({ ...given, source })[name] ?? ''
  const { job } = await openJob('load-test', facts, get, { log: keptLog().log, secrets: redaction() })
  return job.step.head
}

test.each(['suite.zip', 'none'])('source: %s: the head of a fork is not what was tested', async (source) => {
  expect(await opened('pull_request_target', 'mallory/shop', source)).toBeUndefined()
  expect(await opened('workflow_run', 'mallory/shop', source)).toBeUndefined()
  expect(await opened('pull_request_target', 'shop/shop', source)).toBe(head)
  expect(await opened('workflow_run', 'shop/shop', source)).toBe(head)
  expect(await opened('pull_request_target', 'mallory/shop', source, base)).toBe(base)
  expect(await opened('push', 'mallory/shop', source, base)).toBe(base)
})
