import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startGithub, type Github } from '../../sandbox/github/github.js'

let github: Github

beforeAll(async () => {
  github = await startGithub()
})
afterAll(() => github.close())

const service = 'twirp/github.actions.results.api.v1.ArtifactService'

async function call(method: string, fields: object, env?: Record<string, string>): Promise<Response> {
  const { ACTIONS_RUNTIME_TOKEN: token = '' } = env ?? (await github.env({ runId: 1 }))
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  const [, run, job] = /Actions\.Results:([^: ]+):([^: "]+)/.exec(claims) ?? []
  return fetch(`${github.url}/${service}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_run_backend_id: run, workflow_job_run_backend_id: job, ...fields }),
  })
}

async function field(answer: Response, name: string): Promise<string> {
  const json: unknown = await answer.json()
  return String(Object.entries(json ?? {}).find(([key]) => key === name)?.[1])
}

async function reserve(name: string, mimeType = 'text/plain'): Promise<string> {
  const answer = await call('CreateArtifact', { name, version: 7, mime_type: mimeType })
  expect(answer.status).toBe(200)
  return field(answer, 'signed_upload_url')
}

async function put(
  url: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, { method: 'PUT', body: Buffer.from(body), headers })
}

async function finalize(name: string, content: string): Promise<Response> {
  const hash = `sha256:${createHash('sha256').update(content).digest('hex')}`
  return call('FinalizeArtifact', { name, size: String(Buffer.byteLength(content)), hash })
}

describe('finalizing', () => {
  test('checks that the bytes are there, their number and their digest', async () => {
    const upload = await reserve('checked.txt')
    const early = await finalize('checked.txt', 'right')
    expect([early.status, await field(early, 'code')]).toEqual([412, 'failed_precondition'])
    await put(upload, 'right', { 'x-ms-blob-type': 'BlockBlob' })
    for (const wrong of ['wrong', 'too long']) {
      const refused = await finalize('checked.txt', wrong)
      expect([refused.status, await field(refused, 'code')]).toEqual([400, 'invalid_argument'])
    }
    expect(github.store.artifact('checked.txt')).toBeUndefined()
    expect((await finalize('checked.txt', 'right')).status).toBe(200)
    expect((await finalize('checked.txt', 'right')).status).toBe(409)
    expect((await finalize('never-created', 'x')).status).toBe(404)
  })
})
