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
