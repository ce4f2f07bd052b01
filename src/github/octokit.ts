import pRetry from 'p-retry'
import { fieldsOf } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { askedPause, statusOf } from './status-of.js'
import type { Octokit } from './pull-request/pull-request.js'

/** Milliseconds that one call may take, with its body. */
const answerTimeout = 30_000
/** Milliseconds for which one call waits until GitHub accepts requests again. */
const longestWait = 15 * 60_000
/** Tries of a call after faults of GitHub. */
const mostTries = 3

/** GitHub's API. A call that never ends must not hold up a step, so each has its own limit. */
export async function connect(
  token: string,
  { limit = answerTimeout, ...at }: { limit?: number; baseUrl?: string } = {},
): Promise<Octokit> {
  const { getOctokit } = await import('@actions/github')
  const client = getOctokit(token, at)
  // The client's own fetch is used, since it respects proxies. The options object belongs to this one call.
  client.hook.before('request', (options) => {
    // A list may name any address as that of its next page.
    const { origin } = new URL(options.baseUrl)
    if (new URL(options.url, origin).origin !== origin) {
      throw new Error(
        `GitHub names an address outside of ${origin}, to which no token is sent: ${oneLine(options.url, 120)}`,
      )
    }
    options.request = { ...options.request, signal: AbortSignal.timeout(limit) }
  })
  // Added last, so that each try has its own time limit. Of statuses the last one counts, so that a second one does no harm.
  client.hook.wrap('request', (request, options) =>
    onceAccepted(
      async () => request(options),
      options.method !== 'POST' || options.url.includes('/statuses/'),
    ),
  )
  return client
}

/** Whether a call has given up waiting: then GitHub is not waited for again. */
let isHopeless = false

/**
 * Makes a call again once GitHub accepts requests: what it refuses for their number, it has not carried out.
 *
 * @param isRepeatable whether it may be made again after a fault of GitHub, which may have carried it out
 */
export function onceAccepted<T>(call: () => Promise<T>, isRepeatable = true): Promise<T> {
  const began = performance.now()
  let waits = 0
  return pRetry(call, {
    ...{ retries: 20, minTimeout: 1000, factor: 3, maxTimeout: 3000 },
    shouldRetry: ({ error, attemptNumber }) =>
      askedPause(error, 0) !== undefined ||
      (isFaultOfGitHub(error) && isRepeatable && attemptNumber - waits < mostTries),
    async onFailedAttempt({ error }) {
      const pause = askedPause(error, waits)
      if (pause === undefined) return
      isHopeless ||= performance.now() - began + pause > longestWait
      if (isHopeless) throw error
      waits++
      await new Promise((resolve) => setTimeout(resolve, pause))
    },
  })
}

/** An answer of 500 and more, whose text is often a page, or a connection that broke. */
function isFaultOfGitHub(error: Error): boolean {
  const status = statusOf(error) ?? 0
  if (/^\s*</.test(error.message)) error.message = `GitHub answered with status ${status}`
  return status >= 500 && fieldsOf(error.cause).name !== 'TimeoutError'
}
