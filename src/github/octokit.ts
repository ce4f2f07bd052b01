import type { Octokit } from './pull-request.js'

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
    options.request = { ...options.request, signal: AbortSignal.timeout(limit) }
  })
  return client
}
