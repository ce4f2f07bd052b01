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

test('the newest artifact of a name is read, and deleted with the permission to do so', async () => {
  const [older, newer] = [
    await github.seed.artifact({ runId: 33, attempt: 1, name: 'twice', files: { a: '1' } }),
    await github.seed.artifact({ runId: 33, attempt: 2, name: 'twice', files: { a: '2' } }),
  ]
  expect((await step.client.getArtifact('twice', findBy(33))).artifact.id).toBe(newer.id)
  expect((await step.client.listArtifacts({ latest: true, ...findBy(33) })).artifacts).toHaveLength(1)
  await expect(step.client.deleteArtifact('twice', findBy(33))).rejects.toThrow(
    'Resource not accessible by integration',
  )
  await step.client.deleteArtifact('twice', findBy(33, github.token({ actions: 'write' })))
  expect(github.store.artifactsOf(33).map(({ id }) => id)).toEqual([older.id])
})

test('more than 100 artifacts are listed in pages', async () => {
  for (let n = 0; n < 101; n++)
    await github.seed.artifact({ runId: 34, name: `a${n}`, files: { n: String(n) } })
  const { artifacts } = await step.client.listArtifacts(findBy(34))
  expect(new Set(artifacts.map(({ name }) => name)).size).toBe(101)
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
