import { message } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import type { CheckInputs } from '../../inputs/inputs.js'
import type { Check } from '../../outcome/outcome.js'
import { conformity, type Call } from '../../service/conformity.js'
import { offeredMethod, readOpenApi, type OpenApi } from '../../service/open-api.js'
import { methodNotShown, operations, type Scope } from '../../service/operations.js'
import type { World } from '../../world.js'
import type { Access, Answering } from './access.js'
import { fits, flaw, hindrance, unknown } from './finding.js'

const subject = 'OpenAPI document'
const uncompared =
  'The operations cannot be compared with it. A run tries GET for runCopy, and POST if that is refused.'

/** What is known about the service at that point. */
interface Asked extends Pick<Access, 'client'>, Pick<World, 'signal'> {
  answering: Answering
  /** Number of the load test that would be copied. */
  template?: number
}

/** Compares the calls that a run would make with the service's own OpenAPI document. */
export async function checkInterface(
  inputs: CheckInputs,
  scopes: readonly Scope[],
  { answering, client, signal, template = 1 }: Asked,
): Promise<Check[]> {
  let { document } = answering
  try {
    if (document === undefined && answering.answers && client) document = await client.openApi()
  } catch (error) {
    signal.throwIfAborted()
    return [unknown(subject, `${message(error)} ${uncompared}`)]
  }
  const api = readOpenApi(document, inputs.baseUrl)
  if (!api) {
    const reason =
      document === undefined
        ? 'It could not be read.'
        : 'What the service returns at /public/api/json is not an OpenAPI document.'
    return [unknown(subject, `${reason} ${uncompared}`)]
  }
  return [
    fits(subject, 'The service has one; each operation that the step uses is compared with it.'),
    ...calls(inputs, template).map((call) => operationCheck(api, call, scopes)),
    ...(inputs.upload ? [listCheck(api, inputs)] : []),
  ]
}

/** All calls of a run with these inputs, except the token endpoint, which has answered by then. */
function calls({ project, upload, deleteArchive, resultsArtifact }: CheckInputs, template: number): Call[] {
  const known = operations(project)
  const digest = { sends: 'application/zip', headers: ['content-digest'] }
  return [
    { operation: known.list(), answer: 'JSON' },
    { operation: known.details(template), answer: 'JSON' },
    { operation: known.runCopy(template), answer: 'JSON' },
    { operation: known.status(template), answer: 'JSON' },
    { operation: known.report(template, 1), answer: 'archive' },
    ...(resultsArtifact === undefined
      ? []
      : [{ operation: known.result(template, 1), answer: 'archive' as const }]),
    ...(upload ? [{ operation: known.upload(), ...digest }] : []),
    ...(deleteArchive ? [{ operation: known.deleteArchive('1') }] : []),
  ]
}

function operationCheck(api: OpenApi, call: Call, scopes: readonly Scope[]): Check {
  const { name, method, path: ours } = call.operation
  const about = `operation ${name}`
  // An archive that is not deleted costs a place in the project, not the run.
  const misfit = name === 'deleteArchive' ? flaw : hindrance
  const { path, methods, differences, doubts } = conformity(api, call, scopes)
  if (path === undefined) {
    return misfit(
      about,
      `The document has no ${oneLine(ours, 200)}. Ask the operator of the service for a version that has it.`,
    )
  }
  const other = !methods.includes(method)
  const instead = methodNotShown.includes(name) ? offeredMethod(api, ours) : undefined
  if (other && !instead) {
    return misfit(
      about,
      `The document has ${methods.join(', ') || 'no method'} for ${path}, but the step uses ${method}.`,
    )
  }
  const place = `${other ? instead : method} ${path}`
  if (differences.length > 0) return misfit(about, `${place}: it ${differences.join('; it ')}.`)
  if (doubts.length > 0) return unknown(about, `${place}: it ${doubts.join('; it ')}.`)
  return fits(about, `The document has ${place}.${other ? ' The step uses that method.' : ''}`)
}

/** It only saves a place in the project, after an upload whose answer was lost. */
function listCheck(api: OpenApi, { project }: CheckInputs): Check {
  const listed = api.at(operations(project).upload().path)?.operations.has('GET')
  return fits(
    'operation archives',
    listed
      ? 'The document has a list of code archives.'
      : 'The document has no list of code archives; an upload whose answer is lost is repeated without checking first.',
  )
}
