import { message } from '../errors.js'
import type { Log } from '../log.js'
import { defined } from '../text/fields.js'
import type { Redaction } from '../text/redaction.js'
import { answerTimeout, readJson, readText, retryAfter } from './answer.js'
import { lack, readErrorBody, ServiceError } from './failure.js'
import { tokenOperation, type Operation } from './operations.js'
import { patience as usualPatience, repeat, type Patience } from './patience.js'
import { sleep } from '../clock.js'
import { meaningOf } from './status.js'
import type { Credentials, Scope } from './project.js'
import type { Answer, Exchange, transport } from './transport.js'
import { readToken } from './wire.js'

export interface ConnectionOptions extends Omit<TokenOptions, 'send' | 'mask' | 'now'> {
  baseUrl: string
  transport: ReturnType<typeof transport>
  patience?: Partial<Patience>
  log: Log
  /** Gets each token before its first use. */
  secrets: Pick<Redaction, 'add'>
  signal?: AbortSignal
  onToken?: (token: string) => void
}

/** How long to try an address that has never answered. Milliseconds. */
const firstAnswer = 20_000
/** The number of tokens that one call may use up: others may revoke tokens repeatedly, but not for long. */
const maxRenewals = 3

/** Statuses that are about the request, or about what it asks for. */
const neverForToken = new Set([402, 405, 408, 409, 411, 412, 413, 414, 415, 416, 422, 423, 425, 429])

const refusal = ({ status, operation }: ServiceError) => `${status} ${operation.method} ${operation.path}`

const bearing = (token: string) => ({ accept: 'application/json', authorization: `Bearer ${token}` })

/** Authorized exchanges with the service. A status that is a fault is a ServiceError. */
export class Connection {
  readonly baseUrl: string
  readonly log: Log
  readonly signal: AbortSignal | undefined
  readonly patience: Patience
  readonly #transport: ConnectionOptions['transport']
  readonly #tokens: TokenSource
  /** The token with which a call has succeeded. */
  #accepted: string | undefined
  /** Refusals for which a token has been replaced: with another one, they were the same. */
  readonly #notForToken = new Set<string>()
  #hasAnswered = false

  constructor({ baseUrl, log, secrets, signal, transport, onToken, ...access }: ConnectionOptions) {
    const patience = { ...usualPatience, ...access.patience }
    this.baseUrl = baseUrl
    this.log = log
    this.signal = signal
    this.#transport = transport
    const hasAnswered = () => this.#hasAnswered
    this.patience = {
      ...patience,
      // An address that never answered is more likely wrong than temporarily unavailable.
      get total() {
        return hasAnswered() ? patience.total : Math.min(patience.total, firstAnswer)
      },
    }
    this.#tokens = new TokenSource({
      ...access,
      send: (form, more) => this.#askForToken(form, more),
      mask: (token) => {
        secrets.add(token)
        onToken?.(token)
      },
      now: () => performance.now(),
    })
  }

  async authenticate(): Promise<void> {
    await this.#tokens.renew()
  }

  /** Repeats a call while its fault is temporary. @param more ends this call, as that of the job ends all */
  patiently<T>(call: () => Promise<T>, more?: AbortSignal): Promise<T> {
    return repeat(call, this.patience, this.log, this.#both(more))
  }

  async json(operation: Operation, exchange?: Partial<Exchange>): Promise<unknown> {
    return readJson(operation, await this.authorized(operation, exchange))
  }

  /**
   * One exchange; a token that is refused is replaced, since nothing was executed. That is what 401 says. A service may
   * say it with any other 4xx: after a success with the same token, another one is tried, once.
   */
  async authorized(operation: Operation, exchange: Partial<Exchange> = {}): Promise<Answer> {
    let suspected: string | undefined
    for (let renewals = 0; ; renewals++) {
      const token = await this.#tokens.get(exchange.signal)
      try {
        const headers = { ...bearing(token), ...exchange.headers }
        const answer = await this.send(operation, { ...exchange, headers })
        this.#accepted = token
        if (suspected !== undefined) this.#notForToken.delete(suspected)
        return answer
      } catch (error) {
        if (!(error instanceof ServiceError) || !this.#mayBeForToken(error, token, renewals)) throw error
        if (error.status !== 401) this.#notForToken.add((suspected = refusal(error)))
        this.log.debug('The service may not have accepted the access token; asking for a new one.')
        this.#tokens.refused(token)
        // The first one may have been revoked at any time; if a fresh one is refused, something else is wrong.
        if (renewals > 0) await sleep(this.patience.firstPause * renewals, this.#both(exchange.signal))
      }
    }
  }

  #mayBeForToken(error: ServiceError, token: string, renewals: number): boolean {
    const { status = 0, operation, facts } = error
    if (status === 401) return renewals < maxRenewals
    // An archive is not sent twice for what may be wrong with it.
    const isAbout = operation.name === 'upload' ? status === 403 || facts.code === 'invalid_token' : true
    const isSuspect = isAbout && status >= 400 && status < 500 && !neverForToken.has(status)
    return isSuspect && renewals === 0 && token === this.#accepted && !this.#notForToken.has(refusal(error))
  }

  /** One exchange that is never repeated; its fault is a value. @throws only if nothing was sent, as without a token */
  async once(operation: Operation, exchange: Partial<Exchange>): Promise<Answer | ServiceError> {
    const token = await this.#tokens.get()
    try {
      return await this.send(operation, { ...exchange, headers: bearing(token) })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.status === 401 || error.isAboutToken) this.#tokens.refused(token)
      return error
    }
  }

  /** One exchange as it is given, without a token. @throws ServiceError */
  async send(operation: Operation, exchange: Partial<Exchange>): Promise<Answer> {
    // A start under way is never cut off: it would be unknown whether it was executed.
    const until = operation.name === 'runCopy' ? undefined : this.#both(exchange.signal)
    const answer = await this.#traced(operation, { timeout: answerTimeout, ...exchange, signal: until })
    this.#hasAnswered = true
    if (answer.status >= 200 && answer.status < 300) return answer
    const body = await readText(operation, answer, 20_000).catch(() => '')
    throw new ServiceError(operation, {
      status: answer.status,
      ...readErrorBody(body),
      ...defined({ location: answer.headers.location }),
      executed: meaningOf(answer.status).executed,
      ...retryAfter(answer.headers['retry-after']),
    })
  }

  /** Writes each exchange to the debug log, but never a header or a body, which may contain a secret. */
  async #traced(operation: Operation, exchange: Exchange): Promise<Answer> {
    const began = performance.now()
    let end = 'no answer'
    try {
      const answer = await this.#transport(operation, exchange)
      end = String(answer.status)
      return answer
    } catch (error) {
      end = message(error)
      throw error
    } finally {
      const took = Math.round(performance.now() - began)
      this.log.debug(`${operation.method} ${operation.path}: ${end} after ${took} ms`)
    }
  }

  #askForToken(form: string, more?: AbortSignal): Promise<unknown> {
    return this.patiently(async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
      const answer = await this.send(tokenOperation, { headers, body: form, signal: more })
      return readJson(tokenOperation, answer)
    }, more)
  }

  #both(more: AbortSignal | undefined): AbortSignal | undefined {
    return this.signal && more ? AbortSignal.any([this.signal, more]) : (this.signal ?? more)
  }
}

interface TokenOptions {
  credentials: Credentials
  scopes: readonly Scope[]
  /** Those of them that the credentials may lack: then a token without them will do. */
  optional?: readonly Scope[]
  /** Sends a form and reads the JSON answer. */
  send: (form: string, signal?: AbortSignal) => Promise<unknown>
  mask: (token: string) => void
  /** One that an earlier client got. */
  accessToken?: string
  /** Milliseconds of a clock that never jumps. */
  now: () => number
}

// Interface section 5: a token expires one hour after issue. It is renewed well before that.
const lifetime = 60 * 60
const share = 0.9

/** Access tokens for one set of scopes (interface section 5), requested when first needed, renewed before they expire. */
export class TokenSource {
  #current: { token: string; until: number } | undefined
  #pending: Promise<string> | undefined
  #scopes: readonly Scope[]

  constructor(readonly options: TokenOptions) {
    const { accessToken: token, scopes } = options
    this.#scopes = scopes
    if (token !== undefined) this.#current = { token, until: Infinity }
  }

  /** The access token, a new one if the old one is about to expire. */
  async get(signal?: AbortSignal): Promise<string> {
    if (this.#current && this.options.now() < this.#current.until) return this.#current.token
    this.#pending ??= this.#renew(signal).finally(() => (this.#pending = undefined))
    return this.#pending
  }

  async renew(): Promise<string> {
    this.#current = undefined
    return this.get()
  }

  /** Says that the service refused this token; the next get() asks for another. */
  refused(token: string): void {
    if (this.#current?.token === token) this.#current = undefined
  }

  async #renew(signal?: AbortSignal): Promise<string> {
    try {
      return await this.#ask(this.#scopes, signal)
    } catch (error) {
      if (!(error instanceof ServiceError) || !mayBeForScopes(error)) throw error
      const fault = await this.#withMissingScopes(error, signal)
      const { missingScopes = [] } = fault.facts
      const areOptional = missingScopes.every((scope) => this.options.optional?.includes(scope))
      if (missingScopes.length === 0 || !areOptional) throw fault
      this.#scopes = this.#scopes.filter((scope) => !missingScopes.includes(scope))
      return this.#ask(this.#scopes, signal)
    }
  }

  async #ask(scopes: readonly Scope[], signal?: AbortSignal): Promise<string> {
    const { credentials, send, mask, now } = this.options
    const form = new URLSearchParams({
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_type: 'client_credentials',
      scope: scopes.join(' '),
    })
    const began = now()
    // Scopes are separated by single spaces; a form writes them as +.
    const answer = await send(form.toString(), signal)
    const { token, seconds = lifetime, scopes: given } = readToken(tokenOperation, answer)
    mask(token)
    const missing = scopes.filter((scope) => given?.includes(scope) === false)
    // Unrelated names say nothing about ours.
    if (missing.length > 0 && missing.length < scopes.length) {
      const broke = `the service gave one for fewer scopes than were requested. ${lack(missing)}`
      throw new ServiceError(tokenOperation, { executed: 'no', lasting: true, broke, missingScopes: missing })
    }
    this.#current = { token, until: began + Math.min(seconds, lifetime) * share * 1000 }
    return token
  }

  /**
   * The token endpoint's error is not shown in the interface: asking for each scope alone shows which one is missing,
   * as long as each is either given or refused.
   */
  async #withMissingScopes(error: ServiceError, signal?: AbortSignal): Promise<ServiceError> {
    if (error.facts.missingScopes) return error
    const scopes = this.#scopes
    const missing: Scope[] = []
    for (const scope of scopes.length > 1 ? scopes : []) {
      try {
        await this.#ask([scope], signal)
      } catch (alone) {
        if (!(alone instanceof ServiceError) || !mayBeForScopes(alone)) return error
        missing.push(scope)
      } finally {
        this.#current = undefined
      }
    }
    if (missing.length === 0 || missing.length === scopes.length) return error
    return new ServiceError(tokenOperation, { ...error.facts, missingScopes: missing }, { cause: error })
  }
}

/** Refused, and not for the credentials themselves (RFC 6749, section 5.2). */
function mayBeForScopes({ status, facts: { code, missingScopes } }: ServiceError): boolean {
  if (missingScopes) return true
  const forCredentials = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type']
  return [400, 401, 403].includes(status ?? 0) && !forCredentials.includes(code ?? '')
}
