import type { StartNote } from './earlier-start.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { CodeArchive } from '../outcome/outcome.js'
import type { LoadTest } from '../service/wire.js'

/** The code archive that was uploaded for a run. */
export type Uploaded = Pick<CodeArchive, 'id' | 'sha512'>

/** As the note of the run's start has it. */
export function uploadedBy({
  archiveId,
  archiveSha512,
}: Pick<StartNote, 'archiveId' | 'archiveSha512'>): Uploaded | undefined {
  return archiveSha512 === undefined ? undefined : { sha512: archiveSha512, ...defined({ id: archiveId }) }
}

/** What a record says about what its run is built from. */
export type BuildRecord = Pick<LoadTest, 'archiveId' | 'revision' | 'useLatest'>

/**
 * Whether a run is built from what was uploaded for it, as far as its record says: a template set to Use Latest takes
 * whatever is the latest archive at the start or, later, at the build.
 *
 * @returns `unknown` if the record does not say
 */
export function builtFrom(
  { archiveId, revision }: BuildRecord,
  { id, sha512 }: Uploaded,
): 'ours' | 'foreign' | 'unknown' {
  if (archiveId !== undefined && id !== undefined) return archiveId === id ? 'ours' : 'foreign'
  const built = revision?.trim().toLowerCase()
  if (built === sha512) return 'ours'
  // Another SHA-512 is that of another archive; any other text may be about the same one.
  return built !== undefined && /^[0-9a-f]{128}$/.test(built) ? 'foreign' : 'unknown'
}

/** What to say about a run of another archive. */
export function foreignArchive(number: number, record: BuildRecord, uploaded: Uploaded): string {
  const isById = record.archiveId !== undefined && uploaded.id !== undefined
  const [built, ours] = isById
    ? [oneLine(record.archiveId ?? '', 60), oneLine(uploaded.id ?? '', 60)]
    : [`with the SHA-512 ${shortened(record.revision ?? '')}`, `the one with ${shortened(uploaded.sha512)}`]
  const why = record.useLatest
    ? 'another upload came in between.'
    : 'another upload came in between, or the template is set to that one instead of Use Latest.'
  return `Load test ${number} is built from the code archive ${built}, not from ${ours}, which was uploaded for it: ${why} ${serialize}`
}

function shortened(sha512: string): string {
  return `${sha512.slice(0, 12)}…`
}

/** What prevents two jobs from running each other's code. */
export const serialize =
  'Let only one job at a time upload to this project: set concurrency in the workflow, as the README shows.'

/**
 * What to say if the record does not name the archive, and another job started a load test at the same moment.
 *
 * @param highest the highest number that a load test had before the start
 * @param after those that exist now
 */
export function startedBeside(
  { number: own }: Pick<LoadTest, 'number'>,
  highest: number,
  after: readonly LoadTest[],
): string | undefined {
  const others = after.map(({ number }) => number).filter((one) => one !== own && one > highest)
  if (others.length === 0) return undefined
  return (
    `Another job started load test ${others.slice(0, 5).join(', ')} at the same moment, ` +
    `and the service does not say which code archive load test ${own} is built from. ${serialize}`
  )
}
