import { lack, ServiceError } from './failure.js'
import type { Credentials, Scope } from './project.js'
import { tokenOperation } from './operations.js'
import { readToken } from './wire.js'

export interface TokenOptions {
  credentials: Credentials
  scopes: readonly Scope[]
  /** Those of them that the credentials may lack: then a token without them will do. */
  optional?: readonly Scope[]
  /** Sends a form and reads the JSON answer. */
  send: (form: string, signal?: AbortSignal) => Promise<unknown>
  /** Gets each token before it is used. */
  mask: (token: string) => void
  /** One that an earlier client got. */
  accessToken?: string
  /** Milliseconds of a clock that never jumps. */
  now: () => number
}

// Interface section 5: a token expires one hour after issue. It is renewed well before that.
const lifetime = 60 * 60
const share = 0.9

/**
 * Access tokens for one set of scopes (interface section 5), requested when first needed, and renewed before they
 * expire.
 */
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

  /** A new one, whatever is left of the old one's time. */
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
      if (
        missingScopes.length === 0 ||
        missingScopes.some((scope) => !this.options.optional?.includes(scope))
      )
        throw fault
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
function mayBeForScopes({ status, facts: { code, expired, missingScopes } }: ServiceError): boolean {
  if (missingScopes) return true
  const forCredentials = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type'].includes(
    code ?? '',
  )
  return [400, 401, 403].includes(status ?? 0) && !forCredentials && expired === undefined
}
