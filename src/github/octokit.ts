import { setTimeout as sleep } from 'node:timers/promises'
import { isFields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { statusOf } from './status-of.js'
import type { Octokit } from './pull-request/pull-request.js'

/** Milliseconds that one call may take, with its body. */
const answerTimeout = 30_000
/** Milliseconds before each further try of a call that only reads. */
const pauses = [1000, 3000]

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
  // Added last, so that each try has its own time limit.
  client.hook.wrap('request', async (request, options) => {
    for (let tries = 0; ; tries++) {
      try {
        return await request(options)
      } catch (error) {
        if (!isFaultOfGitHub(error)) throw error
        const pause = options.method === 'GET' ? pauses[tries] : undefined
        if (pause === undefined) throw error
        await sleep(pause)
      }
    }
  })
  return client
}

/** An answer of 500 and more. Its text is often a page. */
function isFaultOfGitHub(error: unknown): error is Error {
  const status = statusOf(error) ?? 0
  if (!(error instanceof Error) || !('response' in error) || !isFields(error.response) || status < 500)
    return false
  if (/^\s*</.test(error.message)) error.message = `GitHub answered with status ${status}`
  return true
}
