import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jest } from '@jest/globals'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { artifactClient } from '../../src/github/artifacts/artifacts.js'
import { downloadFiles, type ArtifactStore } from '../../src/github/artifacts/store.js'
import { enterpriseArtifacts } from '../../src/github/artifacts/enterprise-artifacts.js'
import { connect } from '../../src/github/api/octokit.js'
import { stepClient, type StepClient } from '../sandbox-github/artifact-client.js'

describe.each([
  ['github.com', false],
  ['an Enterprise Server', true],
])('on %s', (_, enterprise) => {
  let github: Github
  let step: StepClient
  let store: ArtifactStore
  let folder: string
  beforeAll(async () => {
    github = await startGithub({ settings: { enterprise } })
    step = await stepClient(github, jest, { runId: 50 })
    folder = mkdtempSync(path.join(tmpdir(), 'artifact-files-'))
    store = enterprise
      ? enterpriseArtifacts(process.env, (token) => connect(token, { baseUrl: github.url }))
      : await artifactClient(process.env, process.stdout)()
  })
  afterAll(async () => {
    step.restore()
    await github.close()
    rmSync(folder, { recursive: true })
  })

  let to = 0
  /** The files of an artifact of another run. */
  async function files(artifact: { id: number; name: string }): Promise<Record<string, string>> {
    const target = path.join(folder, String(++to))
    const run = { workflowRunId: 40, repositoryOwner: 'sandbox', repositoryName: 'project' }
    const of = { path: target, findBy: { token: github.token(), ...run } }
    try {
      await downloadFiles(store, artifact, of, 1_000_000)
    } finally {
      expect(readdirSync(folder).filter((name) => name.includes('stored'))).toEqual([])
    }
    const found = readdirSync(target, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    return Object.fromEntries(
      found.map((one) => [one.name, readFileSync(path.join(one.parentPath, one.name), 'utf8')]),
    )
  }

  test('a ZIP is unpacked, even one of a file that is called like it', async () => {
    const packed = { 'outcome.json': '{}', 'artifact.zip': 'PK', 'more/notes.txt': 'to do' }
    const zip = await github.seed.artifact({ runId: 40, name: 'outcome', files: packed })
    expect(await files(zip)).toEqual({ 'outcome.json': '{}', 'artifact.zip': 'PK', 'notes.txt': 'to do' })
  })

  test('a ZIP that unpacks to more than the limit is refused', async () => {
    const name = 'bomb'
    const bomb = await github.seed.artifact({ runId: 40, name, files: { 'o.json': ' '.repeat(1_000_001) } })
    await expect(files(bomb)).rejects.toThrow('is refused: it unpacks to more than 1.0 MB')
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`${index}.json`, '']))
    const crowd = await github.seed.artifact({ runId: 40, name: 'crowd', files: many })
    await expect(files(crowd)).rejects.toThrow('is refused: it has more than 1000 entries')
  })

  test('a file that is stored as it is stays so', async () => {
    const bytes = '{"verdict": "passed"}'
    const single = await github.seed.artifact({
      runId: 40,
      name: 'o.json',
      bytes,
      mimeType: 'application/json',
    })
    expect(Object.values(await files(single))).toEqual([bytes])
  })
})
