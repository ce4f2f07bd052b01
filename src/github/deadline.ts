import { formatDuration } from '../text/duration.js'

/**
 * Waits for something that cannot be ended from here, such as a call of a package, for at most this many
 * milliseconds. It may continue in the background.
 *
 * @throws Error when the time is over; what the promise rejects with
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${formatDuration(milliseconds)}`)),
      milliseconds,
    )
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}
