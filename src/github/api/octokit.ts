import type { GitHub } from '@actions/github/lib/utils'
import pRetry from 'p-retry'
import { sleep } from '../../clock.js'
import { message, UserError } from '../../errors.js'
import { fieldsOf, textOf } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'

/** GitHub's own advice where it does not say how long to wait, in milliseconds: twice as long each further time. */
const usualPause = 60_000

/** The HTTP status of GitHub's answer that an error is about. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined
}

/** Milliseconds until GitHub accepts requests again; undefined if it did not refuse this one for their number. */
function askedPause(error: unknown, waits: number): number | undefined {
  const status = statusOf(error)
  if (status !== 403 && status !== 429) return undefined
  const headers = fieldsOf(fieldsOf(fieldsOf(error).response).headers)
  const [after, reset] = [headers['retry-after'], headers['x-ratelimit-reset']].map(textOf)
  const isOver = headers['x-ratelimit-remaining'] === '0' && reset !== undefined
  if (status === 403 && after === undefined && !isOver && !/rate limit|abuse/i.test(message(error)))
    return undefined
  // By GitHub's clock, not by that of the runner.
  const asked = isOver ? Number(reset) * 1000 - (Date.parse(textOf(headers.date) ?? '') || Date.now()) : NaN
  return Math.max(1000, Number(after) * 1000 || asked || usualPause * 2 ** waits)
}

/** Whether GitHub refused a request since the token may not make it. */
export function isForbidden(error: unknown): boolean {
  return [401, 403, 404].includes(statusOf(error) ?? 0) && askedPause(error, 0) === undefined
}

/** The time was over, or the connection failed, for which the client has a status all the same. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'TimeoutError' || (statusOf(error) === 500 && error.cause instanceof Error)
}

/** What an error says, with the status of GitHub's answer if it does not say that: `Validation Failed (GitHub answered 422)`. */
export function saidBy(error: unknown): string {
  const status = statusOf(error)
  // Which page of its documents has the call is of no use to a reader.
  const said = message(error).replace(/ - https:\/\/docs\.github\.com\/\S*$|[.\s]+$/, '')
  if (error instanceof TypeError) return 'its answer has another form than that of GitHub'
  return status === undefined || isUnanswered(error) || said.includes(String(status))
    ? said
    : `${said} (GitHub answered ${status})`
}

/** What an error says, and what to do: no permission helps against a limit, a fault of GitHub itself, or what it never takes. */
export function withTodo(error: unknown, todo: string): string {
  return `${saidBy(error)}. ${adviceOn(error) ?? todo}`
}

/** Nothing has a status of its own for these: GitHub says them in words. */
const lasting = /\b(?:locked|archived|blocked|SAML|IP allow list)\b/i

/** What to do about an error that no permission helps against. */
function adviceOn(error: unknown): string | undefined {
  if (askedPause(error, 0) !== undefined) return 'GitHub limits how many requests it accepts: wait a while.'
  if (error instanceof TypeError || isUnanswered(error))
    return 'Check the network and the proxy of the runner, or wait a while.'
  const status = statusOf(error) ?? 0
  if (status >= 500) return 'GitHub itself has a fault: wait a while.'
  if ([410, 422, 451].includes(status) || lasting.test(message(error)))
    return 'No permission of the job changes that.'
  return status === 401
    ? 'GitHub does not know the token in github-token: leave that input out, or renew the token.'
    : undefined
}

/** @throws UserError that says what could not be read, and what to do */
export async function asked<T>(what: string, todo: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const why = error instanceof UserError ? error.message : withTodo(error, todo)
    throw new UserError(`${what}: ${why}`, { cause: error })
  }
}

export type Octokit = InstanceType<typeof GitHub>

export interface PullRequest {
  owner: string
  repo: string
  number: number
}

/** Milliseconds that one call may take, with its body. */
const answerTimeout = 30_000
/** Milliseconds for which one call waits until GitHub accepts requests again. */
const longestWait = 15 * 60_000
/** Tries of a call after faults of GitHub. */
const mostTries = 3

/**
 * GitHub's API. A call that never ends must not hold up a step, so each has its own limit.
 *
 * @throws UserError without a token
 */
export async function connect(
  token: string,
  { limit = answerTimeout, ...at }: { limit?: number; baseUrl?: string } = {},
): Promise<Octokit> {
  if (!token) throw new UserError('github-token is empty. Remove it, or name a token.')
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

/** Makes a call again once GitHub accepts requests. @param isRepeatable also after its faults, which may have done it */
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
      await sleep(pause)
    },
  })
}

/** An answer of 500 and more, whose text is often a page, or a connection that broke. */
function isFaultOfGitHub(error: Error): boolean {
  const status = statusOf(error) ?? 0
  if (/^\s*</.test(error.message)) error.message = `GitHub answered with status ${status}`
  return status >= 500 && status !== 501 && fieldsOf(error.cause).name !== 'TimeoutError'
}
