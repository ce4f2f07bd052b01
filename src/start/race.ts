import { oneLine } from '../text/foreign-text.js'
import type { LoadTest } from '../service/wire.js'

/** What is known about the archive that a run is built from. */
export type Built =
  | { is: 'ours' }
  /** Certain: another archive. */
  | { is: 'foreign'; sentence: string }
  /** The answers do not say, and another job started a load test at the same moment. */
  | { is: 'doubtful'; sentence: string }
  /** The answers do not say. */
  | { is: 'unknown' }

const serialize =
  'Let only one job at a time upload to this project: set concurrency in the workflow, as the README shows.'

/**
 * Whether a run of a template that is set to Use Latest is built from the archive that this step uploaded: an upload
 * of another job, between ours and the start, would be used instead.
 *
 * @param before the load tests that existed before the start
 * @param after those that exist now
 */
export function builtFrom(
  copy: LoadTest,
  archiveId: string | undefined,
  before: readonly number[],
  after: readonly LoadTest[],
): Built {
  if (copy.archiveId !== undefined && archiveId !== undefined) {
    if (copy.archiveId === archiveId) return { is: 'ours' }
    return {
      is: 'foreign',
      sentence:
        `Load test ${copy.number} is built from the code archive ${oneLine(copy.archiveId, 60)}, not from ` +
        `${oneLine(archiveId, 60)}, which this step uploaded: another upload came in between. ${serialize}`,
    }
  }
  const others = after.filter(({ number }) => number !== copy.number && !before.includes(number))
  if (others.length === 0) return { is: 'unknown' }
  return {
    is: 'doubtful',
    sentence:
      `Another job started load test ${others
        .map(({ number }) => number)
        .slice(0, 5)
        .join(', ')} at the same moment, ` +
      `and the service does not say which code archive load test ${copy.number} is built from. ${serialize}`,
  }
}
