import { message } from '../../errors.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import type { Client } from '../../service/service.js'
import { AnswerError, lack, ServiceError } from '../../service/failure.js'
import type { Scope } from '../../service/operations.js'
import type { ServiceWorld } from '../../session.js'
import type { World } from '../../world.js'
import { fits, hindrance, look, unknown } from './finding.js'

type AccessWorld = ServiceWorld & Pick<World, 'signal'>

/** What the address answers without a token. */
export interface Answering {
  checks: Check[]
  /** Without an answer, nothing else can be checked. */
  answers: boolean
  /** The OpenAPI document, where it was given without a token. */
  document?: unknown
}

/** Any answer will do. The request is for the OpenAPI document, since most services serve it to everybody. */
export async function checkAddress(inputs: CheckInputs, world: AccessWorld): Promise<Answering> {
  const { baseUrl } = inputs
  if (baseUrl === '') {
    return {
      checks: [unknown('address', 'There is no address to call: see base-url above.')],
      answers: false,
    }
  }
  const tls = baseUrl.startsWith('https:')
    ? 'answers, and its certificate is trusted here.'
    : 'answers, without TLS, which is accepted only from a service on this machine.'
  const answering = { checks: [fits('address', `${baseUrl} ${tls}`)], answers: true }
  try {
    return { ...answering, document: await world.connect(inputs, []).openApi(true) }
  } catch (error) {
    world.signal.throwIfAborted()
    if (error instanceof AnswerError || (error instanceof ServiceError && error.status !== undefined)) {
      return answering
    }
    const why = message(error)
    return { checks: [hindrance('address', why)], answers: false }
  }
}

/** What the credentials are good for. */
export interface Access {
  checks: Check[]
  /** With all the scopes that it has; absent without a token. */
  client?: Client
  granted: readonly Scope[]
}

/**
 * Asks for one token with all scopes, as a run does; if that is refused, the client has asked for each scope
 * alone and says which are missing.
 */
export async function checkAccess(
  inputs: CheckInputs,
  scopes: readonly Scope[],
  world: AccessWorld,
): Promise<Access> {
  const { clientId, clientSecret } = inputs.credentials
  const untold = unknown('scopes', 'They are unknown without a token.')
  if (clientId === '' || clientSecret === '') {
    const sentence = 'There are no credentials to try: see client-id and client-secret above.'
    return { checks: [unknown('access token', sentence), untold], granted: [] }
  }
  try {
    const client = world.connect(inputs, scopes)
    await client.authenticate()
    const token = fits('access token', 'The token endpoint issues a token.')
    return { checks: [token, ...scopeChecks(scopes, scopes)], client, granted: scopes }
  } catch (error) {
    world.signal.throwIfAborted()
    const missing = error instanceof ServiceError ? (error.facts.missingScopes ?? []) : []
    if (missing.length === 0) {
      const why = message(error)
      return { checks: [hindrance('access token', why), untold], granted: [] }
    }
    const granted = scopes.filter((scope) => !missing.includes(scope))
    const token = fits('access token', 'The token endpoint issues a token, but not with all scopes.')
    return {
      checks: [token, ...scopeChecks(scopes, granted)],
      client: world.connect(inputs, granted),
      granted,
    }
  }
}

function scopeChecks(scopes: readonly Scope[], granted: readonly Scope[]): Check[] {
  return scopes.map((scope) =>
    granted.includes(scope)
      ? fits(`scope ${scope}`, 'The credentials have it.')
      : hindrance(`scope ${scope}`, lack([scope])),
  )
}

/** The list of load tests is what shows whether organization, project and credentials belong together. */
export async function checkProject(
  { project: { project } }: CheckInputs,
  { client, granted }: Access,
  signal: AbortSignal,
): Promise<Check[]> {
  if (!client || !granted.includes('LOADTEST_LIST')) {
    return [unknown('project', 'Its load tests cannot be listed without a token for LOADTEST_LIST.')]
  }
  return look('project', signal, async () => {
    const tests = await client.list()
    return fits('project', `Project ${project} can be read and has ${tests.length} load tests.`)
  })
}

const otherwise = 'set upload: false, and let the load test build from Git.'

/**
 * Load tests are read and started under API version v1, code archives are uploaded under v2, with the same token. Only
 * answers show whether the version that was chosen for the credentials keeps them from one of the two: both are asked
 * for the same load test.
 *
 * @param template number of the load test that would be copied
 */
export async function checkVersion(
  { upload }: CheckInputs,
  { client, granted }: Access,
  template: number | undefined,
  signal: AbortSignal,
): Promise<Check[]> {
  if (!upload || !client || template === undefined || !granted.includes('LOADTEST_DETAILS')) return []
  const subject = 'API v2'
  const v1 = await failureOf(() => client.details(template), signal)
  const v2 = await failureOf(() => client.tryV2(template), signal)
  if (v2 === undefined) {
    if (v1?.isRefusal !== true) {
      return [fits(subject, 'The token is accepted under API version v2, where code archives are uploaded.')]
    }
    const sentence = `The token is accepted under API version v2, but not under v1, where load tests are read and started. Create credentials for v1; if those are refused under v2, ${otherwise}`
    return [hindrance(subject, sentence)]
  }
  // If v1 fails as well, another row says why.
  if (v1 !== undefined) return []
  if (v2.isRefusal) {
    const sentence = `${v2.why} Code archives are uploaded under v2. Create credentials for v2; if those are refused under v1, ${otherwise}`
    return [hindrance(subject, sentence)]
  }
  const why = v2.isMissing ? 'This service has no load tests under API version v2 to ask for.' : v2.why
  const sentence = `${why} It is not known whether the token is valid under v2, where code archives are uploaded. If an upload is refused, create credentials for v2.`
  return [unknown(subject, sentence)]
}

/** Why a call failed, and whether the token was refused, or what was asked for is missing; undefined if it did not fail. */
async function failureOf(
  call: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<{ why: string; isRefusal: boolean; isMissing: boolean } | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    const status = error instanceof ServiceError ? error.status : undefined
    return {
      why: message(error),
      isRefusal: status === 401 || status === 403,
      isMissing: status === 404 || status === 405,
    }
  }
}
