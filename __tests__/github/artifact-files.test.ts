import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jest } from '@jest/globals'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { artifactClient } from '../../src/github/artifacts/artifacts.js'
import { plainOutcome } from '../../src/outcome/outcome-file.js'
import { storedFiles, type ArtifactStore } from '../../src/github/artifacts/store.js'
import { enterpriseArtifacts } from '../../src/github/artifacts/artifacts.js'
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
  /** The file of an artifact of another run. */
  async function contentOf(artifact: { id: number; name: string }): Promise<string> {
    const target = path.join(folder, String(++to))
    const run = { workflowRunId: 40, repositoryOwner: 'sandbox', repositoryName: 'project' }
    const of = { path: target, findBy: { token: github.token(), ...run } }
    const [file = ''] = await storedFiles(store, artifact, of)
    return readFileSync(await plainOutcome(file, 1_000_000), 'utf8')
  }

  test('the only file of a ZIP is unpacked', async () => {
    const zip = await github.seed.artifact({ runId: 40, name: 'outcome', files: { 'outcome.json': '{}' } })
    expect(await contentOf(zip)).toBe('{}')
    const files = { 'outcome.json': '{}', 'more.json': '{}' }
    const two = await github.seed.artifact({ runId: 40, name: 'two', files })
    await expect(contentOf(two)).rejects.toThrow('a ZIP with something other than one JSON file')
  })

  test('a ZIP that unpacks to more than the limit is refused', async () => {
    const name = 'bomb'
    const bomb = await github.seed.artifact({ runId: 40, name, files: { 'o.json': ' '.repeat(1_000_001) } })
    await expect(contentOf(bomb)).rejects.toThrow('is refused: it unpacks to more than 1.0 MB')
  })

  test('a file that is stored as it is stays so', async () => {
    const bytes = '{"verdict": "passed"}'
    const single = await github.seed.artifact({
      runId: 40,
      name: 'o.json',
      bytes,
      mimeType: 'application/json',
    })
    expect(await contentOf(single)).toBe(bytes)
  })
})
