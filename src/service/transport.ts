import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { HttpClient } from '@actions/http-client'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { isFields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { ServiceError } from './failure.js'
import type { Operation, OperationName } from './operations.js'

/** A body that can be opened again for each try. */
export interface Body {
  open(): Readable
  bytes: number
}

export interface Exchange {
  headers?: Record<string, string>
  body?: string | Body
  /** Milliseconds to the answer's headers. */
  timeout: number
  /** Milliseconds without a byte before an answer's body counts as broken. */
  idle?: number
  signal?: AbortSignal | undefined
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: IncomingMessage
  /** Ends the connection, whether the body was read or not. */
  close: () => void
}

// The service was never reached: what it was asked to do did not happen.
const neverReached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** Node's words for a connection that was never made, for codes that could also mean a later moment. */
const beforeSending =
  /^connect ETIMEDOUT|before secure TLS connection was established|^tunneling socket could not be/

const redirects = new Set([301, 302, 303, 307, 308])
const maxRedirects = 5
/** Files may come from a separate store, but what another origin says about load tests does not count. */
const stored: readonly OperationName[] = ['report', 'result']

/**
 * HTTP to one origin through @actions/http-client: proxies from the environment, certificates always verified, a
 * deadline on every exchange. A redirect is followed for GET, and for a POST that downloads; credentials are sent only to
 * the service's own origin.
 *
 * @returns what exchanges, and throws ServiceError if no answer came; any status is an answer
 */
export function transport(baseUrl: string, userAgent: string) {
  const { origin } = new URL(baseUrl)
  return async (operation: Operation, exchange: Exchange): Promise<Answer> => {
    let url = new URL(baseUrl + operation.path)
    let { headers = {} } = exchange
    let { method } = operation
    for (let hop = 0; ; hop++) {
      const answer = await send({ ...operation, method }, url, userAgent, { ...exchange, headers })
      const mayFollow = redirects.has(answer.status) && (method === 'GET' || stored.includes(operation.name))
      const target = mayFollow && answer.headers.location
      // runCopy may be a GET: following its redirect could start a second run.
      if (!target || operation.name === 'runCopy') return answer
      // Where a POST has put a file, GET reads it; 307 and 308 say that the method stays.
      if (answer.status < 307) method = 'GET'
      answer.close()
      const next = hop < maxRedirects ? followed(operation, target, url, origin) : undefined
      if (!next) {
        throw new ServiceError(operation, {
          executed: 'unknown',
          lasting: true,
          broke: 'The service redirects to an address that is not followed. Check base-url.',
        })
      }
      url = next
      if (url.origin !== origin) {
        const open = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization')
        headers = Object.fromEntries(open)
      }
    }
  }
}

/** The address of a redirect; undefined if it must not be followed from there. */
function followed(operation: Operation, target: string, from: URL, origin: string): URL | undefined {
  if (!URL.canParse(target, from.href)) return undefined
  const next = new URL(target, from)
  const isDowngrade = from.protocol === 'https:' && next.protocol !== 'https:'
  const isForeign = next.origin !== origin && !stored.includes(operation.name)
  return /^https?:$/.test(next.protocol) && !isDowngrade && !isForeign ? next : undefined
}

/** Node connects to an IPv6 address without the brackets that it has in a URL; the client leaves them there. */
const withoutBrackets: NonNullable<ConstructorParameters<typeof HttpClient>[1]>[number] = {
  prepareRequest(options) {
    options.host = options.host?.replace(/^\[(.*)\]$/, '$1')
  },
  canHandleAuthentication: () => false,
  handleAuthentication: () => Promise.reject(new Error('unused')),
}

async function send(operation: Operation, url: URL, userAgent: string, exchange: Exchange): Promise<Answer> {
  const { timeout, idle = timeout, signal } = exchange
  signal?.throwIfAborted()
  // A separate client for each exchange, because only disposing of it ends what is under way.
  const client = new HttpClient(userAgent, getProxyUrl(url) ? [] : [withoutBrackets], {
    allowRedirects: false,
    allowRetries: false,
    keepAlive: true,
    // Our own time-out comes first, since it says what happened.
    socketTimeout: idle + 1000,
  })
  const body = typeof exchange.body === 'object' ? exchange.body.open() : (exchange.body ?? null)
  let end: (reason: unknown) => void = () => undefined
  const ended = new Promise<never>((_, reject) => (end = reject))
  const overdue = new Error(`no answer within ${Math.round(timeout / 1000)} s`)
  const timer = setTimeout(() => end(overdue), timeout)
  let message: IncomingMessage | undefined
  const onAbort = () => {
    end(signal?.reason)
    message?.destroy()
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  // When the stream closes, the client completes the request, even after a read error: then it must not be sent.
  if (body && typeof body !== 'string') body.once('error', (error) => end(error))
  const close = () => {
    signal?.removeEventListener('abort', onAbort)
    message?.destroy()
    if (body && typeof body !== 'string') body.destroy()
    client.dispose()
  }
  try {
    const sent = client.request(operation.method, url.href, body, { ...exchange.headers })
    sent.catch(() => undefined)
    message = (await Promise.race([sent, ended])).message
  } catch (error) {
    close()
    signal?.throwIfAborted()
    const fault = broken(operation, error, url)
    if (error !== overdue) throw fault
    throw new ServiceError(operation, { ...fault.facts, unanswered: true }, { cause: error })
  } finally {
    clearTimeout(timer)
    ended.catch(() => undefined)
  }
  return { status: message.statusCode ?? 0, headers: message.headers, body: message, close }
}

const plainAdvice = 'Check the port in base-url. Plain http is only for a service on this machine.'
const certificateAdvice =
  'The certificate of the service is not trusted here: name your own CA in NODE_EXTRA_CA_CERTS.'

function whyBroken(said: unknown, code: unknown, error: unknown): string {
  const unknown = code === 'ENOTFOUND' ? 'no host has this name: ' : ''
  return unknown + oneLine(String(said || code || error))
}

/** The failure of an exchange that got no answer, or only a part of one. */
export function broken(operation: Operation, error: unknown, url?: URL): ServiceError {
  const { code = '', message: said, syscall } = isFields(error) ? error : {}
  const isPlain = /wrong version number|packet length too long/.test(String(said))
  const message = isPlain ? 'it answers plain http, not https' : whyBroken(said, code, error)
  // A network may also be lost after a request was sent.
  const isUnsent = neverReached.has(String(code)) && !/^(?:read|write)$/.test(String(syscall))
  const executed = isPlain || isUnsent || beforeSending.test(message) ? 'no' : 'unknown'
  const lasting = isPlain || /CERT|SIGNATURE/.test(String(code))
  const advice = lasting
    ? ` ${isPlain ? plainAdvice : certificateAdvice}`
    : executed === 'no' && url
      ? ` ${routeAdvice(url)}`
      : ''
  const what = executed === 'no' ? 'the service could not be reached' : 'the connection broke'
  const broke = `${what} (${message}).${advice}`
  return new ServiceError(operation, { executed, ...(lasting ? { lasting } : {}), broke }, { cause: error })
}

/** How a request gets to an address from here, as a sentence that says what to check if it does not arrive. */
export function routeAdvice(url: URL): string {
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const host = oneLine(url.host, 100)
  const proxy = getProxyUrl(url)
  if (proxy) {
    return `The request to ${host} goes through the proxy ${oneLine(proxy.host, 100)} of ${variable}: check both, or name ${host} in NO_PROXY.`
  }
  return `Check ${host} in base-url, its spelling and its port. If this network needs a proxy, name it in ${variable}, and let NO_PROXY not name ${host}.`
}
