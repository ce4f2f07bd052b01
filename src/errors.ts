/** A fault that the user can mend: an input, the repository, the credentials. The message says how. */
export class UserError extends Error {
  override name = 'UserError'
}

/** Several faults found at once; the message lists them all. */
export class InputError extends UserError {
  override name = 'InputError'
  constructor(readonly faults: readonly string[]) {
    super(
      faults.length === 1
        ? faults[0]
        : `${faults.length} inputs need a change:\n${faults.map((f) => `- ${f}`).join('\n')}`,
    )
  }
}

/** The code archive is not one that the service could build. */
export class ArchiveError extends UserError {
  override name = 'ArchiveError'
}

/** The report on disk is cut short, foreign or hostile. */
export class ReportError extends Error {
  override name = 'ReportError'
}

/** What was thrown, as a sentence. */
export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
