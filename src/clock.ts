import { formatDuration } from './text/duration.js'

/** Time as waiting needs it. `now` never jumps and says nothing about the time of day. Milliseconds. */
export interface Clock {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Aborted after this many milliseconds, by a timer that does not keep the process alive. */
export function deadline(milliseconds: number): AbortSignal {
  const longest = 2 ** 31 - 1
  return AbortSignal.timeout(Math.max(0, Math.min(Math.ceil(milliseconds), longest)))
}

/**
 * Waits for something that cannot be ended from here, such as a call of a package, for at most this many
 * milliseconds. It may continue in the background.
 *
 * @throws Error when the time is over; what the promise rejects with
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Error(`no answer within ${formatDuration(milliseconds)}`)
  late.name = 'TimeoutError'
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), milliseconds)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}

/** ISO 8601 of milliseconds since 1970, in UTC; undefined for a time that no calendar has. */
export function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
