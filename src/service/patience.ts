import pRetry from 'p-retry'
import { sleep } from '../clock.js'
import { defined } from '../text/fields.js'
import { formatDuration } from '../text/duration.js'
import type { Log } from '../log.js'
import { AnswerError, IncompleteListError, wantedPause, ServiceError } from './failure.js'

/** For how long a repeatable call is repeated. Milliseconds. */
export interface Patience {
  /** The first pause; each further one is up to twice as long, with jitter. */
  firstPause: number
  longestPause: number
  /** A fault after this time is the last one. Read again after each fault. */
  readonly total: number
}

export const patience: Patience = { firstPause: 1000, longestPause: 30_000, total: 3 * 60_000 }

/** Repeats an idempotent call while its fault is temporary. Retry-After is honoured as far as the bound allows. */
export function repeat<T>(
  call: () => Promise<T>,
  patience: Patience,
  log: Log,
  signal?: AbortSignal,
): Promise<T> {
  const began = performance.now()
  let wrongAnswers = 0
  let said: string | undefined
  const left = () => patience.total - (performance.now() - began)
  return pRetry(call, {
    retries: 20,
    minTimeout: patience.firstPause,
    maxTimeout: patience.longestPause,
    randomize: true,
    ...defined({ signal }),
    shouldRetry: ({ error }) => isPassing(error, wrongAnswers) && left() > 0,
    async onFailedAttempt({ error, attemptNumber }) {
      if (error instanceof AnswerError) wrongAnswers++
      if (!isPassing(error, wrongAnswers) || left() <= 0) return
      const asked = wantedPause(error)
      if (asked > left()) {
        log.info(
          `The service asks to wait ${formatDuration(asked)}, which is longer than this call may take.`,
        )
        throw error
      }
      const what = error.message === said ? `Attempt ${attemptNumber} failed the same way.` : error.message
      said = error.message
      log.info(`${what} Trying again.`)
      if (asked > 0) await sleep(asked, signal)
    },
  })
}

/** A wrong answer can be a proxy's temporary page, but is more often a wrong address: three tries. */
function isPassing(error: Error, wrongAnswers: number): boolean {
  if (error instanceof ServiceError) return error.passing
  return error instanceof AnswerError && !(error instanceof IncompleteListError) && wrongAnswers < 3
}
