import { oneLine } from '../text/foreign-text.js'
import type { Octokit } from './pull-request/pull-request.js'

/** Milliseconds that one call may take, with its body. */
const answerTimeout = 30_000

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
  return client
}
