import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { HttpClient } from '@actions/http-client'
import { formatDuration } from '../../text/duration.js'
import { isFields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import { message, OwnError } from '../../errors.js'
import type { Log } from '../../log.js'
import { version } from '../../version.js'

/** Milliseconds without a byte in either direction. */
const idleLimit = 60_000
/** Bytes of an answer in JSON. */
const longestText = 16 * 1024 * 1024
const mostTries = 5
/** Milliseconds. */
const firstPause = 1000
const longestPause = 60_000
const mostRedirects = 5

export interface RepeatableCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  url: URL
  headers?: Record<string, string | number>
  body?: string | Buffer
  /** Is sent to the origin of `url` only. */
  token?: string
}

/** An answer other than a good one. */
export class RefusedError extends OwnError {
  override name = 'RefusedError'

  /** @param pause milliseconds that the server asks to wait */
  constructor(
    readonly status: number,
    said: string,
    readonly pause: number,
  ) {
    super(`GitHub answered with status ${status}${said === '' ? '' : `: ${said}`}`)
  }
}

/**
 * Makes a call that may be repeated, reads its answer, and repeats both if the fault is temporary.
 *
 * @throws RefusedError; Error if no complete answer arrived
 */
export async function patiently<T>(
  call: RepeatableCall,
  read: (answer: IncomingMessage) => Promise<T>,
  log: Log,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read(await answerTo(call))
    } catch (error) {
      const isRefused = error instanceof RefusedError
      const isPassing = isRefused
        ? error.status === 429 || (error.status >= 500 && error.status !== 501)
        : isOfTheWire(error)
      const asked = isRefused ? error.pause : 0
      if (!isPassing || tries >= mostTries || asked > longestPause) throw error
      const pause = Math.max(asked, firstPause * 2 ** (tries - 1))
      log.debug(`${call.method} ${call.url.pathname}: ${message(error)}. Again in ${formatDuration(pause)}.`)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** The JSON of an answer; undefined if it is not JSON. */
export async function jsonOf(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > longestText) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}

/** A redirect is followed for a GET only, without the token to another origin, and never from https to http. */
async function answerTo(call: RepeatableCall): Promise<IncomingMessage> {
  let { url } = call
  for (let hop = 0; ; hop++) {
    const answer = await send({ ...call, url }, url.origin === call.url.origin ? call.token : undefined)
    const { statusCode: status = 0, headers } = answer
    if (status >= 200 && status < 300) return answer
    const isFollowed = status >= 300 && status < 400 && call.method === 'GET' && hop < mostRedirects
    const next = isFollowed ? addressIn(headers.location, url) : undefined
    if (!next) throw await refusal(answer)
    answer.destroy()
    url = next
  }
}

/** The address of a redirect; undefined if there is none, or it must not be followed from there. */
function addressIn(location: string | undefined, from: URL): URL | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined
  const next = new URL(location, from)
  const isSafe = next.protocol === 'https:' || (next.protocol === 'http:' && from.protocol === 'http:')
  return isSafe ? next : undefined
}

async function refusal(answer: IncomingMessage): Promise<RefusedError> {
  const { statusCode: status = 0, headers } = answer
  const body = await jsonOf(answer)
  const said = isFields(body) && typeof body.message === 'string' ? oneLine(body.message, 300) : ''
  return new RefusedError(status, said, (Number(headers['retry-after']) || 0) * 1000)
}

/** Proxies as for all calls; certificates are verified, and a transfer that stands still is given up. */
function send(
  { method, url, headers, body }: RepeatableCall,
  token: string | undefined,
): Promise<IncomingMessage> {
  const agent = new HttpClient().getAgent(url.href)
  const options = {
    method,
    agent,
    timeout: idleLimit,
    headers: {
      'user-agent': `load-test-action/${version}`,
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  }
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options, resolve)
    const overdue = new Error(`no answer within ${formatDuration(idleLimit)}`)
    request.on('timeout', () => request.destroy(Object.assign(overdue, { code: 'ETIMEDOUT' })))
    request.on('error', reject)
    request.end(body)
  })
}

/** Node's faults of connections have a code, ours do not. */
function isOfTheWire(error: unknown): boolean {
  return isFields(error) && 'code' in error
}
