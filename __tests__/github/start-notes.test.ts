import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ArtifactStore } from '../../src/github/artifact-store.js'
import { startNotes } from '../../src/github/start-notes.js'
import type { Log } from '../../src/log.js'

const log: Log = {
  info: () => undefined,
  notice: () => undefined,
  warning: () => undefined,
  debug: () => undefined,
  group: (_, body) => body(),
}
const workflowRun = { token: 't', workflowRunId: 1, repositoryOwner: 'o', repositoryName: 'r' }
const place = { service: 'https://s.example', organization: 'o', project: 'p', template: 1 }

test('an artifact service that never answers does not keep the step from following the run', async () => {
  const temp = await mkdtemp(path.join(tmpdir(), 'notes-'))
  const over = new AbortController()
  const never = () =>
    new Promise<never>((_, reject) => over.signal.addEventListener('abort', () => reject(new Error('over'))))
  const silent: ArtifactStore = { uploadArtifact: never, listArtifacts: never, downloadArtifact: never }
  try {
    const notes = startNotes({
      store: async () => silent,
      octokit: never,
      workflowRun,
      stepName: 'step',
      temp,
      log,
    })
    await expect(notes.keep({ ...place, run: 9, attempt: 1 }, 'https://g.example', 50)).resolves.toBe(false)
  } finally {
    // Else the upload's limit of minutes would keep the process alive.
    over.abort()
    await rm(temp, { recursive: true })
  }
})
