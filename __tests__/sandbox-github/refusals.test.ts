import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { stepClient, type StepClient } from './artifact-client.js'

let github: Github
let step: StepClient
let folder: string

beforeAll(async () => {
  github = await startGithub()
  step = await stepClient(github, jest)
})
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'refusals-'))
  await step.become({ runId: 19 })
})
afterEach(async () => {
  Object.assign(github.settings, { storageQuotaHit: false, singleFiles: true })
  await rm(folder, { recursive: true })
})
afterAll(async () => {
  step.restore()
  await github.close()
})

async function file(name: string, text: string): Promise<string> {
  const place = path.join(folder, name)
  await writeFile(place, text)
  return place
}

test('a used-up quota is reported', async () => {
  github.settings.storageQuotaHit = true
  const upload = step.client.uploadArtifact('quota', [await file('a.txt', 'a')], folder)
  await expect(upload).rejects.toMatchObject({
    name: 'Error',
    message: expect.stringContaining('Failed to CreateArtifact: Artifact storage quota has been hit.'),
  })
})

test('a service that accepts only ZIPs refuses a single file', async () => {
  github.settings.singleFiles = false
  await step.become({ runId: 20 })
  const files = [await file('single.json', '{}')]
  await expect(step.client.uploadArtifact('x', files, folder, { skipArchive: true })).rejects.toThrow(
    'Failed request: (400) Bad Request',
  )
  await expect(step.client.uploadArtifact('single', files, folder)).resolves.toHaveProperty('id')
})

test('a token that was not issued here is refused', async () => {
  process.env.ACTIONS_RUNTIME_TOKEN = process.env.ACTIONS_RUNTIME_TOKEN?.replace(/\.[^.]+$/, '.c2lnbmF0dXJl')
  await expect(step.client.listArtifacts()).rejects.toThrow('(401) Unauthorized: missing or invalid token')
})

test('a server other than github.com counts as an old Enterprise Server', async () => {
  process.env.GITHUB_SERVER_URL = github.url
  await expect(step.client.listArtifacts()).rejects.toMatchObject({ name: 'GHESNotSupportedError' })
})

test('several single files, no file, or a missing file are refused by the client', async () => {
  const one = await file('one.txt', '1')
  const skip = { skipArchive: true }
  await expect(step.client.uploadArtifact('x', [one, one], folder, skip)).rejects.toThrow(
    'only supported when uploading a single file',
  )
  for (const files of [[], [path.join(folder, 'gone')]]) {
    await expect(step.client.uploadArtifact('x', files, folder, skip)).rejects.toMatchObject({
      name: 'FilesNotFoundError',
    })
  }
})

// Waits for: the pause of @actions/artifact's own retry, 3 s.
test('a call answered with 503 is repeated', async () => {
  await step.become({ runId: 21 })
  github.fail({ kind: 'server-error', status: 503, on: /CreateArtifact/ })
  await step.client.uploadArtifact('again', [await file('a.txt', 'a')], folder)
  const asked = github.store.requests.filter(({ url }) => url.includes('CreateArtifact')).slice(-2)
  expect(asked.map(({ status }) => status)).toEqual([503, 200])
})
