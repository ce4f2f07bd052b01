import { message, ReportError } from '../errors.js'
import { archiveKind, headOf } from '../unpack/kind.js'
import { onlyFile } from '../unpack/only-file.js'
import { reportLimits } from '../unpack/limits.js'
import { formatBytes } from '../text/size.js'

/** The outcome of a report with 5,000 timers has some 5 MB. */
export const mostOutcomeBytes = 50_000_000

/** @returns why an artifact of this size is not even fetched, as the end of a sentence */
export function tooLarge(bytes: number | undefined): string | undefined {
  return bytes === undefined || bytes <= mostOutcomeBytes
    ? undefined
    : `has ${formatBytes(bytes)}, and at most ${formatBytes(mostOutcomeBytes)} are read`
}

/**
 * The JSON of an outcome artifact: the stored file itself or, where the artifact service does not accept single files,
 * the only one in its ZIP, which is unpacked beside it.
 *
 * @param most bytes that are unpacked
 * @returns its path
 * @throws ReportError that can follow the artifact's name
 */
export async function plainOutcome(stored: string, most: number): Promise<string> {
  if (archiveKind(await headOf(stored)) !== 'zip') return stored
  const limits = { ...reportLimits, unpackedBytes: most, entries: 10 }
  try {
    const file = await onlyFile(stored, `${stored}.unpacked`, /\.json$/i, limits)
    if (file !== undefined) return file
  } catch (error) {
    throw new ReportError(`is a ZIP that is not read: ${message(error)}`, { cause: error })
  }
  throw new ReportError('is a ZIP with something other than one JSON file')
}
