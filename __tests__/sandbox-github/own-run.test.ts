import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
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

test('a zipped artifact is stored on disk, and unzip and python3 can read it', async () => {
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
  const python =
    'import sys,zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("report/data.bin"))'
  const read = execFileSync('python3', ['-c', python, place], { maxBuffer: 20_000_000 })
  expect(sha256(read)).toBe(sha256(big))
})

test('a single file of many blocks is stored unchanged', async () => {
  const big = noise(20_000_001)
  const before = github.store.requests.length
  const { id } = await step.client.uploadArtifact('ignored', [await file('big.tar.gz', big)], folder, {
    skipArchive: true,
  })
  const artifact = github.store.artifact('big.tar.gz')
  expect(artifact).toMatchObject({ id, name: 'big.tar.gz', mimeType: 'application/gzip', size: big.length })
  expect(sha256(await readFile(artifact?.path ?? ''))).toBe(sha256(big))
  const blocks = github.store.requests.slice(before).filter(({ url }) => /comp=block(&|$)/.test(url))
  expect(blocks.map(({ status }) => status)).toEqual(Array(3).fill(201))
  expect(github.store.artifact('ignored')).toBeUndefined()
})

test('list, get, download and delete', async () => {
  await step.become({ runId: 12, job: 'one' })
  await step.client.uploadArtifact('logs', [await file('logs/a.txt', 'one')], folder)
  await step.become({ runId: 12, job: 'two' })
  await step.client.uploadArtifact('x', [await file('outcome.json', '{"a":1}')], folder, {
    skipArchive: true,
  })

  const { artifacts } = await step.client.listArtifacts()
  expect(artifacts.map(({ name }) => name).sort()).toEqual(['logs', 'outcome.json'])
  const { artifact: logs } = await step.client.getArtifact('logs')
  const { artifact: outcome } = await step.client.getArtifact('outcome.json')
  expect(outcome).toEqual(artifacts.find(({ name }) => name === 'outcome.json'))
  expect(outcome.digest).toBe(`sha256:${sha256(Buffer.from('{"a":1}'))}`)
  expect(outcome.createdAt).toBeInstanceOf(Date)

  const down = path.join(folder, 'down')
  const first = await step.client.downloadArtifact(logs.id, { path: down, expectedHash: logs.digest ?? '' })
  expect(first).toEqual({ downloadPath: down, digestMismatch: false })
  const second = await step.client.downloadArtifact(outcome.id, { path: down, expectedHash: 'sha256:00' })
  expect(second.digestMismatch).toBe(true)
  expect(await readFile(path.join(down, 'logs/a.txt'), 'utf8')).toBe('one')
  expect(await readFile(path.join(down, 'outcome.json'), 'utf8')).toBe('{"a":1}')

  const place = github.store.artifact('logs', 12)?.path ?? ''
  expect(await step.client.deleteArtifact('logs')).toEqual({ id: logs.id })
  expect(existsSync(place)).toBe(false)
  await expect(step.client.getArtifact('logs')).rejects.toMatchObject({ name: 'ArtifactNotFoundError' })
  await expect(step.client.deleteArtifact('logs')).rejects.toMatchObject({ name: 'ArtifactNotFoundError' })
  // The name is free again.
  await step.client.uploadArtifact('logs', [await file('logs/a.txt', 'again')], folder)
  expect(github.store.artifactsOf(12).map(({ name }) => name)).toEqual(['logs', 'outcome.json'])
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

  test('stay taken after an upload that broke off', async () => {
    await step.become({ runId: 17 })
    github.fail({ kind: 'server-error', status: 400, on: /comp=block/, times: 20 })
    await expect(upload('report')).rejects.toThrow()
    github.heal()
    await expect(upload('report')).rejects.toThrow(taken)
  })
})

describe('retention', () => {
  test('hides an expired artifact from lists and downloads', async () => {
    const seeded = await github.seed.artifact({ runId: 111, name: 'old', files: { a: 'a' } })
    await step.become({ runId: 111 })
    expect((await step.client.listArtifacts()).artifacts).toHaveLength(1)
    seeded.expiresAt = new Date(Date.now() - 1)
    expect((await step.client.listArtifacts()).artifacts).toEqual([])
    await expect(step.client.downloadArtifact(seeded.id, { path: folder })).rejects.toThrow(
      'No artifacts found for ID',
    )
  })
})
