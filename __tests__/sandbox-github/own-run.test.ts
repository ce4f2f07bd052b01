import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { noise, stepClient, type StepClient } from './artifact-client.js'

let github: Github
let step: StepClient
let folder: string

beforeAll(async () => {
  github = await startGithub()
  step = await stepClient(github, jest, { runId: 11 })
})
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'own-run-'))
  await step.become({ runId: 11 })
})
afterEach(async () => {
  github.heal()
  Object.assign(github.settings, { retentionDays: 90, attemptsShareNames: false })
  await rm(folder, { recursive: true })
})
afterAll(async () => {
  step.restore()
  await github.close()
})

async function file(name: string, bytes: Uint8Array | string): Promise<string> {
  const place = path.join(folder, name)
  await mkdir(path.dirname(place), { recursive: true })
  await writeFile(place, bytes)
  return place
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test('a zipped artifact is stored on disk, and unzip can read it', async () => {
  const big = noise(9_000_000)
  const files = [await file('report/index.html', '<h1>Report</h1>'), await file('report/data.bin', big)]
  const { id, size, digest } = await step.client.uploadArtifact('zipped', files, folder)

  const artifact = github.store.artifact('zipped', 11)
  expect(artifact).toMatchObject({ id, size, mimeType: 'application/zip', version: 7, runId: 11, attempt: 1 })
  const place = artifact?.path ?? ''
  expect(path.relative(github.folder, place)).toBe(path.join('run-11', String(id), 'zipped.zip'))
  const stored = await readFile(place)
  expect(stored.length).toBe(size)
  expect(artifact?.digest).toBe(`sha256:${sha256(stored)}`)
  expect(digest).toBe(sha256(stored))

  execFileSync('unzip', ['-q', place, '-d', path.join(folder, 'unzip')])
  expect(sha256(await readFile(path.join(folder, 'unzip/report/data.bin')))).toBe(sha256(big))
})

describe('names', () => {
  const taken =
    'Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: ' +
    'an artifact with this name already exists on the workflow run'

  const upload = async (name: string) => step.client.uploadArtifact(name, [await file('a.txt', name)], folder)

  test('collide within one attempt of a run, even from different jobs', async () => {
    await step.become({ runId: 14, job: 'leg 1' })
    await upload('report')
    await step.become({ runId: 14, job: 'leg 2' })
    await expect(upload('report')).rejects.toThrow(taken)
    await step.become({ runId: 15, job: 'leg 1' })
    await expect(upload('report')).resolves.toMatchObject({ size: expect.any(Number) })
  })

  test('are free again in the next attempt, unless attempts share them', async () => {
    await step.become({ runId: 16, attempt: 1 })
    await upload('report')
    await step.become({ runId: 16, attempt: 2 })
    await upload('report')
    expect((await step.client.listArtifacts()).artifacts).toHaveLength(1)
    expect(github.store.artifactsOf(16).map(({ attempt }) => attempt)).toEqual([2, 1])
    github.settings.attemptsShareNames = true
    await step.become({ runId: 16, attempt: 3 })
    await expect(upload('report')).rejects.toThrow(taken)
  })
})
