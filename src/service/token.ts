import { lack, ServiceError } from './failure.js'
import { tokenOperation, type Scope } from './operations.js'
import { readToken } from './wire.js'

export interface Credentials {
  clientId: string
  clientSecret: string
}

/** The part of the client that getting a token needs: it sends a form and reads the JSON answer. */
export type SendForm = (form: string, signal?: AbortSignal) => Promise<unknown>

export interface TokenSource {
  /** The access token, a new one if the old one is about to expire. */
  get(signal?: AbortSignal): Promise<string>
  /** Says that the service refused this token; the next get() asks for another. */
  refused(token: string): void
}

// Interface section 5: a token expires one hour after issue. It is renewed well before that.
const lifetime = 60 * 60
const share = 0.9

/**
 * Access tokens for one set of scopes (interface section 5), requested when first needed, and renewed before they
 * expire.
 *
 * @param mask gets each token before it is used
 * @param now milliseconds of a clock that never jumps
 */
export function tokenSource(
  credentials: Credentials,
  scopes: readonly Scope[],
  send: SendForm,
  mask: (token: string) => void,
  now: () => number,
): TokenSource {
  let current: { token: string; until: number } | undefined
  let pending: Promise<string> | undefined
  const ask = async (asked: readonly Scope[], signal?: AbortSignal): Promise<string> => {
    const form = new URLSearchParams({
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_type: 'client_credentials',
      scope: asked.join(' '),
    })
    const began = now()
    // Scopes are separated by single spaces; a form writes them as +.
    const answer = await send(form.toString(), signal)
    const { token, seconds = lifetime, scopes: named } = readToken(tokenOperation, answer)
    mask(token)
    const missing = asked.filter((scope) => named?.includes(scope) === false)
    // Unrelated names say nothing about ours.
    if (missing.length > 0 && missing.length < asked.length) {
      const broke = `the service gave one for fewer scopes than were requested. ${lack(missing)}`
      throw new ServiceError(tokenOperation, { executed: 'no', lasting: true, broke, missingScopes: missing })
    }
    current = { token, until: began + Math.min(seconds, lifetime) * share * 1000 }
    return token
  }
  const renew = async (signal?: AbortSignal): Promise<string> => {
    try {
      return await ask(scopes, signal)
    } catch (error) {
      if (!(error instanceof ServiceError) || !mayBeForScopes(error)) throw error
      throw await withMissingScopes(error, signal)
    }
  }
  /**
   * The token endpoint's error is not shown in the interface: asking for each scope alone shows which one is missing,
   * as long as each is either given or refused.
   */
  const withMissingScopes = async (error: ServiceError, signal?: AbortSignal): Promise<Error> => {
    const missing: Scope[] = []
    for (const scope of scopes.length > 1 ? scopes : []) {
      try {
        await ask([scope], signal)
      } catch (alone) {
        if (!(alone instanceof ServiceError) || !mayBeForScopes(alone)) return error
        missing.push(scope)
      } finally {
        current = undefined
      }
    }
    if (missing.length === 0 || missing.length === scopes.length) return error
    return new ServiceError(tokenOperation, { ...error.facts, missingScopes: missing }, { cause: error })
  }
  return {
    async get(signal) {
      if (current && now() < current.until) return current.token
      pending ??= renew(signal).finally(() => (pending = undefined))
      return pending
    },
    refused(token) {
      if (current?.token === token) current = undefined
    },
  }
}

/** Refused, and not for the credentials themselves (RFC 6749, section 5.2). */
function mayBeForScopes({ status, facts: { code, expired } }: ServiceError): boolean {
  const forCredentials = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type'].includes(
    code ?? '',
  )
  return [400, 401, 403].includes(status ?? 0) && !forCredentials && expired === undefined
}
