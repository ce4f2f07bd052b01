import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { stepClient, type StepClient } from './artifact-client.js'

let github: Github
let step: StepClient
let folder: string

beforeAll(async () => {
  github = await startGithub({ settings: { repository: 'octo-org/shop' } })
  step = await stepClient(github, jest, { runId: 900 })
})
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'other-run-'))
  github.settings.private = false
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})
afterAll(async () => {
  step.restore()
  await github.close()
})

function findBy(workflowRunId: number, token = github.token()) {
  return { findBy: { token, workflowRunId, repositoryOwner: 'octo-org', repositoryName: 'shop' } }
}

test('artifacts of another run are found and downloaded, as a ZIP and unchanged', async () => {
  const outcome = JSON.stringify({ format: 1, verdict: 'passed' })
  await github.seed.artifact({ runId: 31, name: 'zipped', files: { 'load-test-outcome.json': outcome } })
  await github.seed.artifact({
    runId: 31,
    name: 'load-test-outcome.json',
    bytes: outcome,
    mimeType: 'application/json',
  })
  await github.seed.artifact({ runId: 32, name: 'elsewhere', files: { a: 'a' } })
  const { artifacts } = await step.client.listArtifacts(findBy(31))
  expect(artifacts.map(({ name }) => name)).toEqual(['load-test-outcome.json', 'zipped'])
  for (const { id, name, digest } of artifacts) {
    const down = path.join(folder, name)
    const answer = await step.client.downloadArtifact(id, {
      path: down,
      expectedHash: digest ?? 'none',
      ...findBy(31),
    })
    expect(answer.digestMismatch).toBe(false)
    expect(await readdir(down)).toEqual(['load-test-outcome.json'])
    expect(await readFile(path.join(down, 'load-test-outcome.json'), 'utf8')).toBe(outcome)
  }
})

test('a private repository requires actions: read, any repository a token', async () => {
  const { id } = await github.seed.artifact({ runId: 36, name: 'mine', files: { a: 'a' } })
  const anonymous = await fetch(`${github.url}/repos/octo-org/shop/actions/artifacts/${id}/zip`)
  expect(anonymous.status).toBe(401)
  github.settings.private = true
  const blind = findBy(36, github.token({ contents: 'read' }))
  await expect(step.client.listArtifacts(blind)).rejects.toThrow('Resource not accessible by integration')
  await expect(step.client.downloadArtifact(id, { path: folder, ...blind })).rejects.toMatchObject({
    status: 403,
  })
  await step.client.downloadArtifact(id, { path: folder, ...findBy(36) })
  expect(await readdir(folder)).toEqual(['a'])
})
