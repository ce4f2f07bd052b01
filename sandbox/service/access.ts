import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { isExpired, isScope, type Credentials, type Scope } from './credentials.js'
import { Failure, forbidden, notFound, unauthorized } from './failure.js'
import type { Platform } from './platform.js'
import type { Project } from './world.js'

/** The parameters of a token request (interface section 5). */
export interface TokenForm {
  client_id: string
  client_secret: string
  grant_type: string
  scope: string
}

/** RFC 6749 section 5.1. */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in?: number
  scope?: string
}

/** What a token allows, and which credentials it belongs to. */
export interface Access {
  credentials: Credentials
  scopes: readonly Scope[]
}

/** Issues and reads access tokens: JWTs signed with a key that lives as long as the service. */
export class AccessTokens {
  readonly #key = randomBytes(32)
  #issued = 0
  #expiredUpTo = 0
  #revokedUpTo = 0

  constructor(private readonly platform: Platform) {}

  /** @throws Failure with an error code of RFC 6749 section 5.2 */
  async issue(form: TokenForm): Promise<TokenAnswer> {
    const { settings, books, world } = this.platform
    if (form.grant_type !== 'client_credentials') {
      throw new Failure(400, 'unsupported_grant_type', 'The grant_type must be client_credentials.')
    }
    const credentials = world.credentials.find(({ clientId }) => clientId === form.client_id)
    if (!credentials || !equal(credentials.clientSecret, form.client_secret)) {
      throw new Failure(401, 'invalid_client', 'The client_id or the client_secret is wrong.')
    }
    if (isExpired(credentials, this.platform.now())) {
      throw new Failure(
        401,
        'invalid_client',
        `The credentials expired on ${credentials.expirationDate ?? ''}.`,
      )
    }
    const asked = readScopes(form.scope, credentials, settings.scopesChecked === 'token')
    const scopes = asked.filter((scope) => credentials.scopes.includes(scope))
    const issuedAt = Math.floor(this.platform.now() / 1000)
    const expiresAt = issuedAt + settings.tokenSeconds
    const token = await new SignJWT({ scope: scopes.join(' ') })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(credentials.clientId)
      .setJti(String(++this.#issued))
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(this.#key)
    books.tokens.push({
      clientId: credentials.clientId,
      scopes,
      issuedAt: issuedAt * 1000,
      expiresAt: expiresAt * 1000,
    })
    return {
      access_token: token,
      token_type: 'Bearer',
      ...(settings.tokenAnswer === 'whole'
        ? { expires_in: settings.tokenSeconds, scope: scopes.join(' ') }
        : {}),
    }
  }

  /** Who sends this Authorization header. @throws Failure 401 */
  async read(header: string | undefined): Promise<Access> {
    const token = /^Bearer (\S+)$/i.exec(header ?? '')?.[1]
    if (token === undefined) throw unauthorized('Send an access token: Authorization: Bearer <token>.')
    const { payload } = await jwtVerify(token, this.#key, {
      currentDate: new Date(this.platform.now()),
      algorithms: ['HS256'],
    }).catch((cause: unknown) => {
      throw cause instanceof errors.JWTExpired
        ? this.#expired()
        : unauthorized('The access token is invalid.')
    })
    const serial = Number(payload.jti)
    if (serial <= this.#revokedUpTo) throw unauthorized('The access token was revoked.')
    if (serial <= this.#expiredUpTo) throw this.#expired()
    const credentials = this.platform.world.credentials.find(({ clientId }) => clientId === payload.sub)
    if (!credentials) throw unauthorized('The credentials of the access token were deleted.')
    return { credentials, scopes: String(payload['scope']).split(' ').filter(isScope) }
  }

  #expired(): Failure {
    const { expiredStatus } = this.platform.settings
    if (expiredStatus === 401) return unauthorized('The access token has expired.')
    return new Failure(expiredStatus, 'REFUSED', 'This is not possible.')
  }

  /** All tokens issued so far count as expired. */
  expireAll(): void {
    this.#expiredUpTo = this.#issued
  }

  revokeAll(): void {
    this.#revokedUpTo = this.#issued
  }

  /**
   * The project of a path, if the caller may use it in this way (interface section 5). @throws Failure 403 or 404
   *
   * @param version of the API that the path belongs to
   */
  enter(access: Access, scope: Scope, version: string, place: { org: string; project: string }): Project {
    const { credentials, scopes } = access
    if (this.platform.settings.apiVersions === 'own' && version !== credentials.apiVersion) {
      throw forbidden(`These credentials are valid only for ${credentials.apiVersion}.`)
    }
    const organization = this.platform.world.organizations.get(place.org)
    if (!organization || organization.shortName !== credentials.organization) {
      throw notFound(`There is no organization ${place.org}.`)
    }
    const project = organization.projects.get(place.project)
    if (!project) throw notFound(`Organization ${place.org} has no project ${place.project}.`)
    if (credentials.project !== undefined && credentials.project !== project.shortName) {
      throw forbidden(`These credentials are valid only in project ${credentials.project}.`)
    }
    if (credentials.project === undefined && project.organizationCredentialsDisabled) {
      throw forbidden(`Project ${project.shortName} has disabled the credentials of its organization.`)
    }
    if (scope === 'LOADTEST_LIST' && this.platform.settings.listRefused)
      throw forbidden('The list is not for you.')
    if (!scopes.includes(scope)) throw forbidden(`The access token lacks the scope ${scope}.`)
    return project
  }
}

/** Names separated by single spaces, never more than the credentials have (interface section 5, rules 1 and 2). */
function readScopes(text: string, { scopes }: Credentials, areChecked: boolean): Scope[] {
  const names = text.split(' ')
  if (!/^[A-Z_]+( [A-Z_]+)*$/.test(text)) {
    throw new Failure(400, 'invalid_scope', 'Separate the scope names by single spaces only.')
  }
  const known = names.filter(isScope)
  if (known.length < names.length) {
    const unknown = names.filter((name) => !isScope(name)).join(', ')
    throw new Failure(400, 'invalid_scope', `There is no such scope: ${unknown}.`)
  }
  const missing = known.filter((name) => !scopes.includes(name))
  if (missing.length === 0 || !areChecked) return [...new Set(known)]
  throw new Failure(400, 'invalid_scope', `The credentials do not have the scope ${missing.join(', ')}.`)
}

function equal(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}
