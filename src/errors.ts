/** A fault that the user can mend: an input, the repository, the credentials. The message says how. */
export class UserError extends Error {
  override name = 'UserError'
}

/** The code archive is not one that the service could build. */
export class ArchiveError extends UserError {
  override name = 'ArchiveError'
}

/** The report on disk is truncated, foreign or hostile. */
export class ReportError extends Error {
  override name = 'ReportError'
}

/** Nothing, or a text, came in the place of an archive: it may not be there yet. */
export class NoArchiveError extends ReportError {
  override name = 'NoArchiveError'
}

/** What was thrown, as a sentence. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
