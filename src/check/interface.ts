import { message } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Check } from '../outcome.js'
import { conformity, isOpenApi, type Call } from '../service/conformity.js'
import { findStop, listsArchives } from '../service/open-api.js'
import { operations, type Scope } from '../service/operations.js'
import type { World } from '../world.js'
import type { Access, Answering } from './access.js'
import { fits, flaw, hindrance, unknown } from './finding.js'

const subject = 'OpenAPI document'
const uncompared = 'The operations cannot be compared with it.'

/** Compares the calls that a run would make with the service's own OpenAPI document. */
export async function checkInterface(
  inputs: Inputs,
  scopes: readonly Scope[],
  answering: Answering,
  { client }: Access,
  { signal }: World,
  template = 1,
): Promise<Check[]> {
  let { document } = answering
  try {
    if (document === undefined && answering.answers && client) document = await client.openApi()
  } catch (error) {
    signal.throwIfAborted()
    return [unknown(subject, `${message(error)} ${uncompared}`)]
  }
  if (!isOpenApi(document)) {
    const reason =
      document === undefined
        ? 'It could not be read.'
        : 'What the service gives at /public/api/json is no OpenAPI document.'
    return [unknown(subject, `${reason} ${uncompared}`)]
  }
  const basePath = new URL(inputs.baseUrl).pathname.replace(/\/+$/, '')
  return [
    fits(subject, 'The service has one; each operation that the step uses is compared with it.'),
    ...calls(inputs, template).map((call) => operationCheck(document, call, scopes, basePath)),
    stopCheck(document, inputs),
    ...(inputs.upload ? [listCheck(document)] : []),
  ]
}

/** All that a run with these inputs may call, but for the token endpoint, which has shown itself by then. */
function calls({ project, upload, deleteArchive, resultsArtifact }: Inputs, template: number): Call[] {
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

function operationCheck(document: unknown, call: Call, scopes: readonly Scope[], basePath: string): Check {
  const { name, method } = call.operation
  const about = `operation ${name}`
  // An archive that is not deleted costs a place in the project, not the run.
  const misfit = name === 'deleteArchive' ? flaw : hindrance
  const { path, methods, differences, doubts } = conformity(document, call, scopes, basePath)
  if (path === undefined) {
    const ours = oneLine(call.operation.path, 200)
    return misfit(about, `The document has no ${ours}. Ask for the version of the service that has it.`)
  }
  const other = !methods.includes(method)
  const offered = methods.join(', ') || 'no method'
  // After a 405, which executes nothing, the client takes the method from the document.
  if (other && (name !== 'runCopy' || !/^(POST|PUT|DELETE)\b/.test(offered))) {
    return misfit(about, `The document has ${offered} for ${path}, but the step uses ${method}.`)
  }
  const place = `${other ? offered : method} ${path}`
  if (differences.length > 0) return misfit(about, `${place}: it ${differences.join('; it ')}.`)
  if (doubts.length > 0) return unknown(about, `${place}: it ${doubts.join('; it ')}.`)
  const adapts = other ? ` The step tries ${method} first, and ${offered} where that is refused.` : ''
  return fits(about, `The document has ${place}.${adapts}`)
}

/** Only on-cancel: stop needs it. */
function stopCheck(document: unknown, { stopOnCancel }: Inputs): Check {
  const stop = findStop(document)
  if (stop) return fits('operation stop', `The document has ${stop.method} ${oneLine(stop.path, 200)}.`)
  return stopOnCancel
    ? flaw('operation stop', 'The document has none: on-cancel: stop has no effect on this service.')
    : fits('operation stop', 'The document has none; with on-cancel: leave it is not needed.')
}

/** It only spares a place in the project after an upload whose answer was lost. */
function listCheck(document: unknown): Check {
  return fits(
    'operation archives',
    listsArchives(document)
      ? 'The document has a list of code archives.'
      : 'The document has no list of code archives; an upload whose answer is lost is repeated without looking.',
  )
}
