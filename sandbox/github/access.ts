import type { FastifyRequest } from 'fastify'
import { Refusal } from './refusal.js'
import type { Settings } from './settings.js'

/** The scopes of a workflow's `permissions` that the stand-in supports; nothing here needs the last two. */
export type Scope = 'actions' | 'contents' | 'issues' | 'pull-requests' | 'statuses' | 'pages' | 'id-token'

/** As in a workflow's `permissions`; a scope that is absent is `none`. */
export type Permissions = Partial<Record<Scope, 'none' | 'read' | 'write'>>

/** A token of the REST API. Tests may change its permissions at any time. */
export interface Token {
  permissions: Permissions
  /** The author of its comments. */
  login: string
}

export const botLogin = 'github-actions[bot]'

/** Who may do what with the REST API. */
export class Access {
  readonly tokens = new Map<string, Token>()

  constructor(private readonly settings: Settings) {}

  /** The token of the request: undefined without one, 401 for an unknown one. */
  caller(request: FastifyRequest): Token | undefined {
    const header = request.headers.authorization
    if (header === undefined) return undefined
    const secret = /^(?:token|bearer) (\S+)$/i.exec(header)?.[1]
    const token = secret === undefined ? undefined : this.tokens.get(secret)
    if (!token) throw new Refusal(401, 'Bad credentials')
    return token
  }

  /** One of the scopes is enough. Anybody may read a public repository. */
  read(request: FastifyRequest, ...scopes: Scope[]): void {
    const token = this.caller(request)
    if (!this.settings.private) return
    // A private repository does not show that it exists.
    if (!token) throw new Refusal(404, 'Not Found')
    this.#demand(token, scopes, 'read')
  }

  /** One of the scopes is enough. */
  write(request: FastifyRequest, ...scopes: Scope[]): Token {
    const token = this.caller(request)
    if (!token) throw new Refusal(401, 'Requires authentication')
    this.#demand(token, scopes, 'write')
    return token
  }

  #demand(token: Token, scopes: Scope[], access: 'read' | 'write'): void {
    const granted = scopes.some((scope) => {
      const held = token.permissions[scope]
      return held === 'write' || (held === 'read' && access === 'read')
    })
    if (granted) return
    const accepted = scopes.map((scope) => `${scope.replace('-', '_')}=${access}`).join('; ')
    const headers = { 'x-accepted-github-permissions': accepted }
    throw new Refusal(403, 'Resource not accessible by integration', {}, headers)
  }
}
