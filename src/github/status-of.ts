import { message } from '../errors.js'
import { fieldsOf, textOf } from '../text/fields.js'

/** GitHub's own advice where it does not say how long to wait, in milliseconds: twice as long each further time. */
const usualPause = 60_000

/** The HTTP status of GitHub's answer that an error is about. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined
}

/**
 * Milliseconds until GitHub accepts requests again; undefined if it refused this one for another reason than their
 * number.
 *
 * @param waits how often it has been waited for
 */
export function askedPause(error: unknown, waits: number): number | undefined {
  const status = statusOf(error)
  if (status !== 403 && status !== 429) return undefined
  const headers = fieldsOf(fieldsOf(fieldsOf(error).response).headers)
  const [after, left, reset, date] = [
    'retry-after',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'date',
  ].map((name) => textOf(headers[name]))
  const isOver = left === '0' && reset !== undefined
  if (status === 403 && after === undefined && !isOver && !/rate limit|abuse/i.test(message(error)))
    return undefined
  // By GitHub's clock, not by that of the runner.
  const asked = isOver ? Number(reset) * 1000 - (Date.parse(date ?? '') || Date.now()) : NaN
  return Math.max(1000, Number(after) * 1000 || asked || usualPause * 2 ** waits)
}

/** Whether GitHub refused a request since the token may not make it. */
export function isForbidden(error: unknown): boolean {
  return [401, 403, 404].includes(statusOf(error) ?? 0) && askedPause(error, 0) === undefined
}

/** What an error says, and what to do: no permission helps against a limit or a fault of GitHub itself. */
export function withTodo(error: unknown, todo: string): string {
  const isGitHubs = (statusOf(error) ?? 0) >= 500
  const isLimit = askedPause(error, 0) !== undefined
  return `${message(error)}. ${isLimit ? 'GitHub limits how many requests it accepts: run the job again later.' : isGitHubs ? 'GitHub itself has a fault: run the job again later.' : todo}`
}
