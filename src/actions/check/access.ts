import { message } from '../../errors.js'
import { optionalScopes, scopesFor, type CheckInputs } from '../../inputs/inputs.js'
import { fits, flaw, hindrance, notTried, unknown, type Check } from '../../outcome/outcome.js'
import { describedCalls, type Client } from '../../service/service.js'
import { oneLine } from '../../text/foreign-text.js'
import { AnswerError, lack, ServiceError } from '../../service/failure.js'
import type { LoadTest, Scope } from '../../service/project.js'
import { checkEngine, checkTakesUpload, findTemplate, shownState } from '../../run/template.js'
import { defined } from '../../text/fields.js'
import type { ServiceWorld } from '../../session.js'
import type { World } from '../../world.js'

/** A check that may fail: its fault is a finding. Rejects only if the job is cancelled. */
export async function look(
  subject: string,
  signal: AbortSignal,
  body: () => Promise<Check | Check[]>,
): Promise<Check[]> {
  try {
    return [await body()].flat()
  } catch (error) {
    signal.throwIfAborted()
    return [hindrance(subject, message(error))]
  }
}

type AskingWorld = ServiceWorld & Pick<World, 'log' | 'signal'>

/** @returns a client with a token, where there is one */
export async function askService(
  inputs: CheckInputs,
  world: AskingWorld,
): Promise<{ checks: Check[]; client?: Client }> {
  const address = await checkAddress(inputs, world)
  if (!address.answers) {
    const rest = unknown('service', 'Nothing else can be checked while the address does not answer.')
    return { checks: [address.check, rest] }
  }
  const access = await checkAccess(inputs, world)
  const project = await checkProject(access)
  const template = await checkTemplate(access)
  const allowed = await checkScopes(access, template.number)
  const offered = await checkInterface(access, address.document, template.number)
  return {
    checks: [address.check, ...access.checks, ...project, ...template.checks, ...allowed, ...offered],
    ...defined({ client: access.client }),
  }
}

/** Any answer will do. @returns with the OpenAPI document, which most services serve to everybody, where it was given */
async function checkAddress(
  inputs: CheckInputs,
  world: AskingWorld,
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

/** What the credentials are good for, with what is asked about them. */
interface Access {
  inputs: CheckInputs
  world: AskingWorld
  checks: Check[]
  /** With all the scopes that it has; absent without a token. */
  client?: Client
  granted: readonly Scope[]
  /** Those that a call has used. */
  used: Set<Scope>
}

/** Asks for one token with all scopes, as a run does; where it is refused, the fault says which scopes are missing. */
async function checkAccess(inputs: CheckInputs, world: AskingWorld): Promise<Access> {
  const { clientId, clientSecret } = inputs.credentials
  const scopes = scopesFor(inputs)
  const open = unknown('scopes', 'They are unknown without a token.')
  const asking = { inputs, world, used: new Set<Scope>() }
  const without = (why: Check): Access => ({ ...asking, checks: [why, open], granted: [] })
  if (clientId === '' || clientSecret === '') {
    const sentence = 'There are no credentials to try: see client-id and client-secret above.'
    return without(unknown('access token', sentence))
  }
  try {
    const client = world.connect(inputs, scopes)
    await client.authenticate()
    const token = fits('access token', 'The token endpoint issues a token.')
    return { ...asking, checks: [token], client, granted: scopes }
  } catch (error) {
    world.signal.throwIfAborted()
    const missing = error instanceof ServiceError ? (error.facts.missingScopes ?? []) : []
    if (missing.length === 0) return without(hindrance('access token', message(error)))
    const granted = scopes.filter((scope) => !missing.includes(scope))
    const token = fits('access token', 'The token endpoint issues a token, but not with all scopes.')
    return { ...asking, checks: [token], client: world.connect(inputs, granted), granted }
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
async function checkScopes(
  { inputs, world: { signal }, client, granted, used }: Access,
  template: number | undefined,
): Promise<Check[]> {
  if (!client) return []
  const calls = template === undefined ? {} : harmless(client, template)
  const rows: Check[] = []
  for (const scope of scopesFor(inputs)) {
    const lacking = optionalScopes.includes(scope) ? flaw : hindrance
    if (!granted.includes(scope)) rows.push(lacking(`scope ${scope}`, lack([scope])))
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
async function checkProject({ inputs, world, client, granted, used }: Access): Promise<Check[]> {
  if (!client || !granted.includes('LOADTEST_LIST')) {
    return [unknown('project', 'Its load tests cannot be listed without a token for LOADTEST_LIST.')]
  }
  return look('project', world.signal, async () => {
    const tests = await client.list()
    used.add('LOADTEST_LIST')
    return fits(
      'project',
      `Project ${inputs.project.project} can be read and has ${tests.length} load tests.`,
    )
  })
}

/** Whether the template exists, and whether a run of it would be built from the upload. */
async function checkTemplate(access: Access): Promise<{ checks: Check[]; number?: number }> {
  const { client, granted, used, world } = access
  const { template, upload } = access.inputs
  const { signal } = world
  if (!template) {
    const sentence =
      'load-test is not set: a run needs the number or the exact name of the load test to copy.'
    return { checks: [hindrance('load test', sentence)] }
  }
  const needed = 'number' in template ? 'LOADTEST_DETAILS' : 'LOADTEST_LIST'
  if (!client || !granted.includes(needed) || !granted.includes('LOADTEST_DETAILS')) {
    const sentence = `The template cannot be read without a token for ${needed}.`
    // A name is looked for in the list, which a run could do without otherwise.
    return { checks: [(client && needed === 'LOADTEST_LIST' ? hindrance : unknown)('load test', sentence)] }
  }
  let number = 'number' in template ? template.number : undefined
  const checks = await look('load test', signal, async () => {
    const found = await findTemplate(client, template, world)
    used.add('LOADTEST_DETAILS')
    number = found.number
    const uploads = upload ? await look('Use Latest', signal, async () => takesUploads(found)) : []
    return [
      fits('load test', described(found, upload)),
      ...(await look('state', signal, async () => {
        const state = await shownState(client, found)
        const none = 'It has none yet, but other load tests have one.'
        return fits('state', state === undefined ? none : `It is ${oneLine(state, 40)}.`)
      })),
      ...(await look('engine', signal, async () => engine(found))),
      ...uploads,
    ]
  })
  return { checks, ...defined({ number }) }
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
    const doubt = `The template names the code archive ${named}, and the service does not say whether it takes the latest. A run ends before its start if the template still names ${named} after the upload: make sure on its page that it is set to Use Latest, or set source: none.`
    return unknown('Use Latest', doubt)
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

const openApi = 'OpenAPI document'
const uncompared =
  'The operations cannot be compared with it. A run tries GET for runCopy, and POST if that is refused.'

/** Compares the calls of a run with the OpenAPI document. @param known that which was given without a token */
async function checkInterface(
  { inputs, world, client }: Access,
  known: unknown,
  template = 1,
): Promise<Check[]> {
  let document = known
  try {
    if (document === undefined && client) document = await client.openApi()
  } catch (error) {
    world.signal.throwIfAborted()
    return [unknown(openApi, `${message(error)} ${uncompared}`)]
  }
  const all = describedCalls(document, inputs.project, template, inputs)
  if (!all) {
    const other = 'What the service returns at /public/api/json is not an OpenAPI document.'
    const reason = document === undefined ? 'It could not be read.' : other
    return [unknown(openApi, `${reason} ${uncompared}`)]
  }
  return [
    fits(openApi, 'The service has one; each operation that the step uses is compared with it.'),
    ...all.map(operationCheck),
    ...answerChecks(all.flatMap(({ name, answer }) => (answer ? { name, ...answer } : []))),
  ]
}

function operationCheck({ name, method, path, template, methods, used }: DescribedCall): Check {
  const about = `operation ${name}`
  // An archive that is not deleted costs a place in the project, not the run.
  const misfit = name === 'deleteArchive' ? flaw : hindrance
  if (template === undefined) {
    const ask = 'Ask the operator of the service for a version that has it.'
    return misfit(about, `The OpenAPI document of the service has no ${oneLine(path, 200)}. ${ask}`)
  }
  const where = oneLine(template, 200)
  if (used === undefined) {
    const has = `The OpenAPI document of the service has ${methods.join(', ') || 'no method'} for ${where}`
    return misfit(about, `${has}, but the step uses ${method}.`)
  }
  const other = used === method ? '' : ' The step uses that method.'
  return fits(about, `The OpenAPI document has ${used} ${where}.${other}`)
}

type DescribedCall = NonNullable<ReturnType<typeof describedCalls>>[number]

/** A row for each thing that a start or a run depends on: in which answers it is by their types. */
function answerChecks(
  types: (NonNullable<DescribedCall['answer']> & Pick<DescribedCall, 'name'>)[],
): Check[] {
  if (types.length === 0) return []
  const row = (
    field: keyof typeof without,
    needed: readonly DescribedCall['name'][],
    result = unknown,
  ): Check[] => {
    if (!types.some(({ name }) => needed.includes(name))) return []
    const has = types.filter(({ read }) => read.includes(field)).map(({ name }) => name)
    const isThere = has.some((name) => needed.includes(name))
    const what = `By the OpenAPI document, no answer to ${needed.join(' or ')} has it. ${without[field]}`
    const about = `field ${field}`
    return [isThere ? fits(about, `Read from the answers to ${has.join(', ')}.`) : result(about, what)]
  }
  const strange = [...new Set(types.flatMap((type) => type.strange))]
  const words = strange.map((state) => oneLine(state, 40)).join(', ')
  return [
    ...row('number', ['runCopy']),
    ...row('state', ['status', 'details']),
    ...(strange.length === 0 ? [] : [unknown('field state', `The step does not know ${words}: ${untold}`)]),
    ...row('start', ['status', 'details'], fits),
    ...row('end', ['status', 'details'], fits),
  ]
}

const untold =
  'a load test in one of these states counts as not ended unless its end time is set, and only FINISHED as a success. If one of them is a success, open an issue.'

/** What becomes of a step where no answer has it. */
const without = {
  number: 'After a start, the copy is looked for in the list of load tests.',
  state:
    'A run is started only if the record of the template, or of another load test, has one all the same.',
  start: 'The duration of a run is not shown.',
  end: 'A run has ended if its state says so.',
}
