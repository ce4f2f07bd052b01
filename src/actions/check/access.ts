import { message } from '../../errors.js'
import { scopesFor, type CheckInputs } from '../../inputs/inputs.js'
import { fits, flaw, hindrance, notTried, unknown, type Check } from '../../outcome/outcome.js'
import { callsNotIn, type Client } from '../../service/service.js'
import { AnswerError, lack, ServiceError } from '../../service/failure.js'
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

/** Any answer will do. @returns with the OpenAPI document, which most services serve to everybody, where it was given */
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

/** Asks for one token with all scopes, as a run does; where it is refused, the fault says which scopes are missing. */
export async function checkAccess(
  inputs: CheckInputs,
  world: ServiceWorld & Pick<World, 'signal'>,
): Promise<{ checks: Check[]; client?: Client }> {
  const { clientId, clientSecret } = inputs.credentials
  if (clientId === '' || clientSecret === '') {
    const sentence = 'There are no credentials to try: see client-id and client-secret above.'
    return { checks: [unknown('access token', sentence)] }
  }
  const scopes = scopesFor(inputs)
  const client = world.connect(inputs, scopes)
  try {
    await client.authenticate()
    const token = fits('access token', 'The token endpoint issues a token.')
    const given = `A token was given for ${scopes.join(', ')}. Only a run shows whether each can be used.`
    return { checks: [token, notTried('scopes', given)], client }
  } catch (error) {
    world.signal.throwIfAborted()
    const missing = error instanceof ServiceError ? (error.facts.missingScopes ?? []) : []
    if (missing.length === 0) return { checks: [hindrance('access token', message(error))] }
    const checks = [hindrance('scopes', lack(missing))]
    const granted = scopes.filter((scope) => !missing.includes(scope))
    return { checks, client: world.connect(inputs, granted) }
  }
}

/** The list of load tests is what shows whether organization, project and credentials belong together. */
export async function checkProject(
  { project: { project } }: CheckInputs,
  client: Client | undefined,
  signal: AbortSignal,
): Promise<Check[]> {
  if (!client) return [unknown('project', 'Its load tests cannot be listed without a token.')]
  return look('project', signal, async () => {
    const tests = await client.list()
    return fits('project', `Project ${project} can be read and has ${tests.length} load tests.`)
  })
}

const openApi = 'OpenAPI document'

/** Compares the calls of a run with the OpenAPI document. @param known that which was given without a token */
export async function checkInterface(
  inputs: CheckInputs,
  { client, signal }: { client: Client | undefined } & Pick<World, 'signal'>,
  known: unknown,
  template = 1,
): Promise<Check[]> {
  const uncompared = (why: string) =>
    unknown(
      openApi,
      `${why} The operations cannot be compared with it. A run tries GET for runCopy, and POST if that is refused.`,
    )
  let document = known
  try {
    if (document === undefined && client) document = await client.openApi()
  } catch (error) {
    signal.throwIfAborted()
    return [uncompared(message(error))]
  }
  const strange = callsNotIn(document, inputs.project, template, inputs)
  if (!strange) return [uncompared('What the service returns at /public/api/json is none.')]
  return [
    fits(openApi, 'The service has one; each operation that the step uses is compared with it.'),
    ...strange.map(({ name, method, path, offered }) => {
      const wrong = offered
        ? `${offered.join(', ') || 'no method'} for ${path}, but the step uses ${method}.`
        : `no ${path}. Ask the operator of the service for a version that has it.`
      // An archive that is not deleted costs a place in the project, not the run.
      const misfit = name === 'deleteArchive' ? flaw : hindrance
      return misfit(`operation ${name}`, `The OpenAPI document of the service has ${wrong}`)
    }),
  ]
}
