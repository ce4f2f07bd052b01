import { message } from '../../errors.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import type { Client } from '../../service/service.js'
import { AnswerError, lack, ServiceError } from '../../service/failure.js'
import type { Scope } from '../../service/operations.js'
import type { ServiceWorld } from '../../session.js'
import type { World } from '../../world.js'
import { fits, hindrance, look, notTried, unknown } from './finding.js'
import { withoutNotes, type EarlierStarts } from '../../start/earlier-start.js'
import { defined } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'
import type { LoadTest } from '../../service/state.js'
import { existing } from '../../start/new-copies.js'
import { checkEngine, checkState, checkTakesUpload, findTemplate, shownState } from '../../start/template.js'

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
  world: AccessWorld,
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

const subject = 'load test'

/** Whether the template exists, and whether a run of it would be built from the upload. */
export async function checkTemplate(
  { template, upload }: CheckInputs,
  { client, granted, used }: Access,
  { attempt, earlierStarts, log, signal }: EarlierStarts & Pick<World, 'log' | 'signal'>,
): Promise<{ checks: Check[]; number?: number }> {
  if (!template) {
    const sentence =
      'load-test is not set: a run needs the number or the exact name of the load test to copy.'
    return { checks: [hindrance(subject, sentence)] }
  }
  const needed = 'number' in template ? 'LOADTEST_DETAILS' : 'LOADTEST_LIST'
  if (!client || !granted.includes(needed) || !granted.includes('LOADTEST_DETAILS')) {
    return { checks: [unknown(subject, `The template cannot be read without a token for ${needed}.`)] }
  }
  let number = 'number' in template ? template.number : undefined
  const checks = await look(subject, signal, async () => {
    const notes = async () =>
      attempt < 2 ? [] : earlierStarts().catch((error: unknown) => withoutNotes(error, log))
    const found = await findTemplate(client, template, { log, notes })
    used.add('LOADTEST_DETAILS')
    number = found.number
    const uploads = upload ? await look('Use Latest', signal, async () => takesUploads(found)) : []
    return [
      fits(subject, described(found, upload)),
      ...(await look('state', signal, () => state(client, found, { log, signal }))),
      ...(await look('engine', signal, async () => engine(found))),
      ...uploads,
    ]
  })
  return { checks, ...defined({ number }) }
}

/** As a run reads it. @throws UserError if the end of a run could not be seen */
async function state(
  client: Client,
  template: LoadTest,
  { log, signal }: Pick<World, 'log' | 'signal'>,
): Promise<Check> {
  const read = await shownState(client, template, log, signal)
  if (read !== undefined) return fits('state', `It is ${oneLine(read, 40)}.`)
  checkState(template, (await existing(client, template.number)).hasStates === true)
  return fits('state', 'It has none yet, but other load tests have one.')
}

/** What the record leaves out is no fault that anybody could mend. */
function described({ number, name, environment, useLatest, archiveId }: LoadTest, upload: boolean): string {
  const called = name ? `, "${oneLine(name, 100)}"` : ''
  const untold = [
    ...(environment === undefined ? ['that its engine is not 6.x, which is retired'] : []),
    ...(upload && useLatest === undefined && archiveId === undefined ? ['that it is set to Use Latest'] : []),
  ]
  const look =
    untold.length > 0 ? ` The service does not say it: make sure on its page ${untold.join(', and ')}.` : ''
  return `The template is load test ${number}${called}.${look}`
}

/** @throws UserError if it certainly takes none */
function takesUploads(template: LoadTest): Check | Check[] {
  checkTakesUpload(template)
  const { useLatest, archiveId } = template
  if (useLatest) return fits('Use Latest', 'A run of the template is built from the latest upload.')
  if (archiveId !== undefined) {
    const named = oneLine(archiveId, 60)
    return unknown(
      'Use Latest',
      `The template names the code archive ${named}, and the service does not say whether it takes the latest. A run ends before its start if the template still names ${named} after the upload: make sure on its page that it is set to Use Latest, or set source: none.`,
    )
  }
  return []
}

/** @throws UserError if it is certainly retired */
function engine(template: LoadTest): Check[] {
  const preview = checkEngine(template)
  const { environment } = template
  if (environment === undefined) return []
  return [fits('engine', preview ?? `The template runs on engine ${oneLine(environment, 40)}.`)]
}
