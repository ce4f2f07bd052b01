import { AnswerError, ServiceError } from './failure.js'
import type { Client } from './service.js'
import type { LoadTest } from './wire.js'

/** The two calls that say how a load test is; each has a scope of its own, and one may do for the other. */
type Reading = Pick<Client, 'details' | 'status'>

/** The status; the details where it is refused, cannot be read or has no state. @param signal ends the calls */
export async function statusOrDetails(
  client: Reading,
  number: number,
  signal?: AbortSignal,
): Promise<LoadTest> {
  const status = await client.status(number, signal).catch((error: unknown) => {
    if (error instanceof AnswerError || isRefused(error)) return error
    throw error
  })
  if (!(status instanceof Error) && status.state !== undefined) return status
  try {
    const details = await client.details(number, signal)
    return status instanceof Error ? details : { ...status, ...details }
  } catch (error) {
    if (!isRefused(error)) throw error
    if (status instanceof Error) throw status
    return status
  }
}

/** The details; the status where they are refused. @param signal ends the calls */
export async function detailsOrStatus(
  client: Reading,
  number: number,
  signal?: AbortSignal,
): Promise<LoadTest> {
  try {
    return await client.details(number, signal)
  } catch (error) {
    if (!isRefused(error)) throw error
    return client.status(number, signal).catch(() => Promise.reject(error))
  }
}

/** 4xx or 501, but for what passes. */
function isRefused(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  const { status = 0, passing } = error
  return status === 501 || (status >= 400 && status < 500 && !passing)
}
