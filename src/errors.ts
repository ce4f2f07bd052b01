import { sep } from 'node:path'
import { isFields } from './text/fields.js'
import { withoutSecrets } from './text/redaction.js'

/** A fault in our own words; what is foreign in them was made harmless where it entered. */
export abstract class OwnError extends Error {
  constructor(text: string, options?: ErrorOptions) {
    super(text, options)
    this.name = new.target.name
  }
}

/** A fault that the user can fix: an input, the repository, the credentials. The message says how, or its advice. */
export class UserError extends OwnError {
  /** What to do, as sentences. */
  readonly advice: readonly string[]

  constructor(text: string, { advice = [], ...options }: ErrorOptions & { advice?: readonly string[] } = {}) {
    super(text, options)
    this.advice = advice
  }
}

/** Whatever a run measured, its verdict would be invalid. */
export class BaselineError extends UserError {}

/** The code archive is not one that the service could build. */
export class ArchiveError extends UserError {}

/** The report on disk is truncated, foreign or hostile. */
export class ReportError extends OwnError {}

/** The answer was empty, or was text instead of an archive: the archive may not exist yet. */
export class NoArchiveError extends ReportError {}

/** Who asks may not read it, or it has no place: to ask again shows nothing more. */
export class NoRecordError extends UserError {}

/** The run exists as far as is known, but the service can no longer be asked about it. */
export class LostError extends OwnError {}

/** This GitHub has no artifact service that the step could use; the workflow cannot change that. */
export class NoArtifactServiceError extends OwnError {}

/** It is not known which load test was started, or whether there is one. */
export class StartError extends UserError {}

/** What was thrown, as a sentence; some clients give an answer without a body as an error without a message. */
export function message(error: unknown): string {
  if (isDiskFull(error)) {
    return `The disk of the runner is full (${withoutSecrets(error.message)}). Free some disk space in an earlier step, or use a runner with a larger disk.`
  }
  // Where the runner has the workspace is of no use to a reader.
  const { GITHUB_WORKSPACE: workspace = '' } = process.env
  if (error instanceof OwnError)
    return workspace ? error.message.replaceAll(workspace + sep, '') : error.message
  if (!(error instanceof Error)) return withoutSecrets(String(error))
  if (error.message !== '') return withoutSecrets(error.message)
  return `${'statusCode' in error ? `status ${String(error.statusCode)}` : error.name}, without a reason`
}

/** The disk has no room for what should be written, or its user has used up a quota. */
export function isDiskFull(error: unknown): error is NodeJS.ErrnoException {
  return isFields(error) && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
