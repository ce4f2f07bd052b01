import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { archiveKind, headOf } from '../report/archive-kind.js'
import { unpackZip } from '../report/unpacked-zip.js'
import type { ArtifactStore, StoredArtifact, WorkflowRun } from './artifact-store.js'

/**
 * Puts the files of an artifact into a folder. Most artifacts are ZIPs: they are unpacked here, and within limits,
 * since any job may have attached one.
 *
 * @throws ReportError if a ZIP is damaged, hostile or above the limits
 */
export async function downloadFiles(
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  artifact: StoredArtifact,
  folder: string,
  findBy: WorkflowRun,
): Promise<void> {
  const stored = await mkdtemp(`${folder}-`)
  await store.downloadArtifact(artifact, { path: stored, findBy })
  for (const entry of await readdir(stored, { withFileTypes: true })) {
    const { name } = entry
    const file = path.join(stored, name)
    if (!entry.isFile()) continue
    if (archiveKind(await headOf(file)) === 'zip') await unpackZip(file, folder)
    else await rename(file, path.join(folder, name))
  }
  await rm(stored, { recursive: true })
}
