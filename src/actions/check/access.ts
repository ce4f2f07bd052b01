import { message } from '../../errors.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import type { Client } from '../../service/service.js'
import { AnswerError, lack, ServiceError } from '../../service/failure.js'
import type { Scope } from '../../service/project.js'
import type { ServiceWorld } from '../../session.js'
import type { World } from '../../world.js'
import { fits, hindrance, look, notTried, unknown } from './finding.js'

/**
 * Any answer will do. The request is for the OpenAPI document, since most services serve it to everybody.
 *
 * @returns with the document, where it was given without a token
 */
export async function checkAddress(
  inputs: CheckInputs,
  world: ServiceWorld & Pick<World, 'signal'>,
): Promise<{ check: Check; answers: boolean; document?: unknown }> {
  const { baseUrl } = inputs
  if (baseUrl === '') {
    return { check: unknown('address', 'There is no address to call: see base-url above.'), answers: false }
  }
  const tls = baseUrl.startsWith('https:')
    ? 'answers, and its certificate is trusted here.'
    : 'answers, without TLS, which is accepted only from a service on this machine.'
  const answering = { check: fits('address', `${baseUrl} ${tls}`), answers: true }
  try {
    return { ...answering, document: await world.connect(inputs, []).openApi(true) }
  } catch (error) {
    world.signal.throwIfAborted()
    if (error instanceof AnswerError || (error instanceof ServiceError && error.status !== undefined)) {
      return answering
    }
    return { check: hindrance('address', message(error)), answers: false }
  }
}

/** What the credentials are good for. */
export interface Access {
  checks: Check[]
  /** With all the scopes that it has; absent without a token. */
  client?: Client
  granted: readonly Scope[]
  /** Those that a call has used. */
  used: Set<Scope>
}

/**
 * Asks for one token with all scopes, as a run does; if that is refused, the client has asked for each scope
 * alone and says which are missing.
 */
export async function checkAccess(
  inputs: CheckInputs,
  scopes: readonly Scope[],
  world: ServiceWorld & Pick<World, 'signal'>,
): Promise<Access> {
  const { clientId, clientSecret } = inputs.credentials
  const without = (why: Check): Access => ({
    checks: [why, unknown('scopes', 'They are unknown without a token.')],
    granted: [],
    used: new Set(),
  })
  if (clientId === '' || clientSecret === '') {
    const sentence = 'There are no credentials to try: see client-id and client-secret above.'
    return without(unknown('access token', sentence))
  }
  try {
    const client = world.connect(inputs, scopes)
    await client.authenticate()
    const token = fits('access token', 'The token endpoint issues a token.')
    return { checks: [token], client, granted: scopes, used: new Set() }
  } catch (error) {
    world.signal.throwIfAborted()
    const missing = error instanceof ServiceError ? (error.facts.missingScopes ?? []) : []
    if (missing.length === 0) return without(hindrance('access token', message(error)))
    const granted = scopes.filter((scope) => !missing.includes(scope))
    const token = fits('access token', 'The token endpoint issues a token, but not with all scopes.')
    return { checks: [token], client: world.connect(inputs, granted), granted, used: new Set() }
  }
}

/** No load test, and no report, has this number. */
const none = 987_654_321

/**
 * A row for each scope: a token was given for it, but only a call shows that it can be used. Those that only read are
 * called here.
 *
 * @param template number of the load test that would be copied
 */
export async function checkScopes(
  scopes: readonly Scope[],
  { client, granted, used }: Access,
  template: number | undefined,
  signal: AbortSignal,
): Promise<Check[]> {
  if (!client) return []
  const calls = template === undefined ? {} : harmless(client, template)
  const rows: Check[] = []
  for (const scope of scopes) {
    if (!granted.includes(scope)) rows.push(hindrance(`scope ${scope}`, lack([scope])))
    else if (used.has(scope)) rows.push(fits(`scope ${scope}`, 'Used.'))
    else rows.push(await scopeCheck(client, scope, calls[scope], signal))
  }
  return rows
}

async function scopeCheck(
  client: Client,
  scope: Scope,
  call: (() => Promise<unknown>) | undefined,
  signal: AbortSignal,
): Promise<Check> {
  const about = `scope ${scope}`
  if (!call) return notTried(about, `A token was given for it. ${untried[scope] ?? 'Only a run uses it.'}`)
  const refused = await refusalOf(call, signal)
  if (!refused) return fits(about, 'Used.')
  // Some services tell nobody what exists; the load test of a status does.
  const other = scope === 'LOADTEST_STATUS' ? undefined : await refusalOf(() => client.details(none), signal)
  if (other?.status !== refused.status) return hindrance(about, refused.message)
  const sentence = `A token was given for it. The service answers ${refused.status ?? 'nothing'} to whatever does not exist, so only a run shows whether the scope can be used.`
  return notTried(about, sentence)
}

const untried: Partial<Record<Scope, string>> = {
  LOADTEST_COPY_RUN: 'Only a run shows more: using it starts a load test.',
  CODEARCHIVE_UPLOAD:
    'Only a run shows more, also whether the credentials are valid under API version v2: using it uploads an archive.',
}

/** Calls that change nothing, whatever they answer. */
function harmless(client: Client, template: number): Partial<Record<Scope, () => Promise<unknown>>> {
  const open = (kind: 'report' | 'result') => async () => {
    const opened = await client.open({ kind, loadTest: template, number: none })
    opened.close()
  }
  return {
    LOADTEST_STATUS: () => client.status(template),
    LOADTEST_REPORT_DOWNLOAD: open('report'),
    LOADTEST_RESULT_DOWNLOAD: open('result'),
  }
}

async function refusalOf(
  call: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof ServiceError && (error.status === 401 || error.status === 403) ? error : undefined
  }
}

/** The list of load tests is what shows whether organization, project and credentials belong together. */
export async function checkProject(
  { project: { project } }: CheckInputs,
  { client, granted, used }: Access,
  signal: AbortSignal,
): Promise<Check[]> {
  if (!client || !granted.includes('LOADTEST_LIST')) {
    return [unknown('project', 'Its load tests cannot be listed without a token for LOADTEST_LIST.')]
  }
  return look('project', signal, async () => {
    const tests = await client.list()
    used.add('LOADTEST_LIST')
    return fits('project', `Project ${project} can be read and has ${tests.length} load tests.`)
  })
}
