import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, link, mkdtemp, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../../log.js'
import type { Artifact } from '../../outcome/outcome.js'
import { withoutSecrets } from '../../text/redaction.js'
import type { ArtifactStore, StoredArtifact } from './store.js'
import { within } from '../deadline.js'

interface Attachment {
  /** The file, on disk. */
  path: string
  /** The artifact's name, without the file extension. */
  name: string
  /** Such as `.tar.gz`; the artifact's name gets it, so that a browser knows what it downloads. */
  ending: string
  /**
   * A suffix that distinguishes one leg of a matrix or one attempt from another if the name is taken; without it the
   * file is not attached then.
   */
  distinction?: string
  retentionDays: number
}

/** Milliseconds for a file of any size; beyond that, one more for each this many bytes. */
const patience = 300_000
const slowest = 500

/**
 * Attaches one file unchanged. If the artifact service does not accept single files, it is zipped without
 * compression. A name that is taken, by another leg of a matrix or an earlier attempt, gets the suffix.
 */
export async function attach(
  store: Pick<ArtifactStore, 'uploadArtifact' | 'listArtifacts'>,
  { path: file, name, ending, distinction, retentionDays }: Attachment,
  workflowRunUrl: string,
  log: Log,
): Promise<Artifact> {
  const bare = name.endsWith(ending) ? name.slice(0, -ending.length) : name
  const folder = await mkdtemp(path.join(path.dirname(file), 'artifact-'))
  const limit = patience + (await stat(file)).size / slowest
  const retention = retentionDays > 0 ? { retentionDays } : {}
  const upload = async (stem: string): Promise<Artifact> => {
    // The artifact service names a single file's artifact after the file.
    const named = path.join(folder, `${stem}${ending}`)
    await link(file, named).catch(() => copyFile(file, named))
    try {
      const { id } = await within(
        limit,
        store.uploadArtifact(path.basename(named), [named], folder, { ...retention, skipArchive: true }),
      )
      return attached(id, path.basename(named), workflowRunUrl)
    } catch (error) {
      if (isTaken(error) || !isUnsupported(error)) throw error
      log.info('The artifact service does not accept single files; attaching a ZIP instead.')
      const { id } = await within(
        limit,
        store.uploadArtifact(stem, [named], folder, { ...retention, compressionLevel: 0 }),
      )
      return attached(id, stem, workflowRunUrl)
    }
  }
  try {
    return await upload(bare)
  } catch (error) {
    if (!isTaken(error)) throw error
    const own = await listed(store, `${bare}${ending}`, file)
    if (own) return attached(own.id, own.name, workflowRunUrl)
    if (distinction === undefined) throw error
    log.warning(
      `This workflow run already has an artifact named ${bare}${ending}, from another job, matrix leg or attempt: ` +
        `this one is named ${bare}-${distinction}${ending}. Give each step its own name, for example name: load-test-\${{ matrix.name }}.`,
    )
    return await upload(`${bare}-${distinction}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The artifact with this very file: the answer was lost that said that it is attached. */
async function listed(
  store: Pick<ArtifactStore, 'listArtifacts'>,
  named: string,
  file: string,
): Promise<StoredArtifact | undefined> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const digest = `sha256:${hash.digest('hex')}`
  const { artifacts } = await store.listArtifacts().catch(() => ({ artifacts: [] }))
  return artifacts.find((one) => one.name === named && one.digest === digest)
}

/** If no id is known, the link leads to the page of the workflow run, which lists the artifacts. */
export function attached(id: number | undefined, given: string, workflowRunUrl: string): Artifact {
  const name = withoutSecrets(given)
  return id === undefined
    ? { url: `${workflowRunUrl}#artifacts`, name }
    : { id, url: `${workflowRunUrl}/artifacts/${id}`, name }
}

/** Whether an artifact with this name exists, or is being attached. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && /\b409\b|already exists/i.test(error.message)
}

/** An older artifact service refuses the request for a single file as invalid. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && /\((400|404|501)\)|not supported|invalid_argument/i.test(error.message)
}
