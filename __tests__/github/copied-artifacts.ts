import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import type { Github } from '../../sandbox/github/github.js'
import type { ArtifactStore } from '../../src/github/artifacts/store.js'

/** Artifacts as they are stored: other tests use the real client, in another process. */
export function copiedArtifacts(github: Github): Pick<ArtifactStore, 'downloadArtifact'> {
  return {
    async downloadArtifact({ id }, { path: folder }) {
      const artifact = github.store.artifacts.find((one) => one.id === id)
      if (!artifact) throw new Error('There is no such artifact.')
      await copyFile(artifact.path, path.join(folder, path.basename(artifact.path)))
    },
  }
}
