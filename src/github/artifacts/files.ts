import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { archiveKind, headOf } from '../../unpack/kind.js'
import { reportLimits } from '../../unpack/guard.js'
import { unpackZip } from '../../unpack/zip.js'
import type { ArtifactStore, StoredArtifact, WorkflowRun } from './store.js'

/** A file in a ZIP, with whatever another client packed beside it. */
const mostEntries = 1000

/**
 * Puts the files of an artifact into a folder. One that is stored as a ZIP is unpacked, whatever GitHub's client would
 * do, up to a limit.
 *
 * @param most bytes of all files in a ZIP
 * @throws ReportError if a ZIP is damaged, hostile or above the limit
 */
export async function downloadFiles(
  store: Pick<ArtifactStore, 'downloadArtifact'>,
  artifact: StoredArtifact,
  { path: folder, ...of }: { path: string; findBy?: WorkflowRun },
  most: number,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const stored = await mkdtemp(`${folder}-stored-`)
  try {
    await store.downloadArtifact(artifact, { path: stored, ...of })
    const found = await readdir(stored, { withFileTypes: true })
    const [only, ...others] = found
    if (
      only?.isFile() &&
      others.length === 0 &&
      archiveKind(await headOf(path.join(stored, only.name))) === 'zip'
    ) {
      const limits = { ...reportLimits, unpackedBytes: most, ratioFloor: most / 10, entries: mostEntries }
      await unpackZip(path.join(stored, only.name), folder, limits)
      return
    }
    for (const { name } of found) await rename(path.join(stored, name), path.join(folder, name))
  } finally {
    await rm(stored, { recursive: true })
  }
}
