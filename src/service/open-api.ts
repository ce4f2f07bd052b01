import { message, UserError } from '../errors.js'
import { defined, fieldsOf, isFields, type Fields } from '../text/fields.js'
import { readJson } from './answer.js'
import type { Connection } from './connection.js'
import { AnswerError, ServiceError } from './failure.js'
import { listIn } from './list.js'
import { methodNotShown, openApiOperation, type Operation, type OperationName } from './operations.js'
import { repeat } from './patience.js'
import { phaseOf } from './project.js'
import { stateWord } from './record.js'
import { essentials, unwrap } from './wire.js'

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const

/** The service's own description of itself (interface section 4). Only this file reads it. */
type OpenApi = NonNullable<ReturnType<typeof readOpenApi>>

/** Reads a document of OpenAPI, or of Swagger, its earlier form; undefined if it is not one: it has no paths. */
export function readOpenApi(document: unknown) {
  if (!isFields(document) || !isFields(document.paths)) return undefined
  /** Follows references inside the document. Chains are short; a circular one ends. */
  const resolve = (value: unknown): unknown => {
    let resolved = value
    for (let hop = 0; hop < 8 && isFields(resolved) && typeof resolved.$ref === 'string'; hop++) {
      resolved = pointed(document, resolved.$ref)
    }
    return resolved
  }
  // A template is an address as the document writes it, such as `/orgs/{org}/.../runCopy`.
  const all = Object.entries(document.paths).flatMap(([template, value]) => {
    const item = resolve(value)
    if (!isFields(item)) return []
    const operations = new Map<Operation['method'], Fields>()
    for (const method of methods) {
      const operation = resolve(item[method.toLowerCase()])
      if (isFields(operation)) operations.set(method, operation)
    }
    return [{ template, operations }]
  })
  return {
    ...{ resolve, all },
    /**
     * What it says about one of our addresses: of the templates that fit, the one with the most words of it. A server may
     * have the beginning of all addresses, and the names of parameters make no difference.
     */
    at: (path: string) =>
      all
        .map((described) => ({ described, words: wordsInCommon(described.template, path) }))
        // A single word, such as that of /status, may be about anything.
        .filter(({ words }) => words > 1)
        .sort((a, b) => b.words - a.words)[0]?.described,
  }
}

/** How many words a template has in common with the end of an address; 0 if it does not fit. */
function wordsInCommon(template: string, path: string): number {
  const [pieces, parts] = [template, path].map((one) => one.split('/').filter(Boolean).toReversed())
  const pairs = (pieces ?? [])
    .map((piece, at) => [piece, parts?.[at]])
    .filter(([, part]) => part !== undefined)
  const fits = pairs.every(([piece = '', part]) => piece === part || /^\{[^{}]+\}$/.test(piece))
  return fits ? pairs.filter(([piece, part]) => piece === part).length : 0
}

/** A local JSON pointer (RFC 6901), written as the fragment of an address. */
function pointed(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .map((part) => unescaped(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isFields(at) && Object.hasOwn(at, part) ? at[part] : undefined), document)
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The methods by which an address can be called without a body, the one of the API explorer first. */
const callable = ['GET', 'POST', 'PUT'] as const

/** The method that the document has for an address; undefined if it has none, or not the address. */
export function offeredMethod(api: OpenApi | undefined, path: string) {
  const offered = api?.at(path)?.operations
  return callable.find((method) => offered?.has(method))
}

/** The operation that deletes a code archive by its words or its scope, with the archive as the last parameter of its path. */
function offeredDeletion(api: OpenApi) {
  return api.all
    .filter(({ template }) => /code-?_?archives?\/\{[^{}]+\}(?:\/\w+)?$/i.test(template))
    .flatMap(({ template, operations }) =>
      [...operations].map(([method, operation]) => ({ method, template, operation })),
    )
    .find(
      ({ method, template, operation: { security, operationId } }) =>
        method === 'DELETE' ||
        JSON.stringify(security ?? '').includes('CODEARCHIVE_DELETE') ||
        /delete|remove/i.test(`${String(operationId)} ${template}`),
    )
}

/** How long to ask for the document: most services have one, and no call depends on it. Milliseconds. */
const documentWithin = 20_000

/** The service's OpenAPI document, read at most once for what the calls need of it. */
export class ServiceDocument {
  #described: Promise<OpenApi | undefined> | undefined

  /** The methods by which calls have worked for which it has none. */
  readonly worked = new Map<OperationName, Operation['method']>()

  constructor(readonly connection: Connection) {}

  /** Reads it. @param anonymously without a token, although a service may require one */
  read(anonymously = false, within = Infinity): Promise<unknown> {
    const { connection } = this
    const { patience, log, signal } = connection
    const open = { headers: { accept: 'application/json' } }
    const ask = async () =>
      anonymously
        ? readJson(openApiOperation, await connection.send(openApiOperation, open))
        : connection.json(openApiOperation)
    return repeat(ask, { ...patience, total: Math.min(patience.total, within) }, log, signal)
  }

  /**
   * Its method for a call; undefined if it does not say, or cannot be read.
   *
   * @throws UserError if it has the address, but no method by which the step could call it
   */
  async methodOf({ path, title }: Operation) {
    const api = await this.#describe()
    const offered = [...(api?.at(path)?.operations.keys() ?? [])]
    const method = offeredMethod(api, path)
    if (method !== undefined || offered.length === 0) return method
    throw new UserError(
      `By its OpenAPI document, the service has only ${offered.join(', ')} for ${title}, which the step cannot use. Ask the operator of the service how it is called.`,
    )
  }

  /** How it deletes a code archive, where it says that otherwise. */
  async deletionOf({ path }: Operation): Promise<Partial<Pick<Operation, 'method' | 'path'>>> {
    const api = await this.#describe()
    if (!api || api.at(path)?.operations.has('DELETE')) return {}
    const offered = offeredDeletion(api)
    const last = offered && /\{[^{}]+\}((?:\/\w+)?)$/.exec(offered.template)?.[1]
    return offered && last !== undefined ? { method: offered.method, path: path + last } : {}
  }

  /** Asked for once, whether that succeeds or not; most services give it to everybody, others want the token. */
  async #describe(): Promise<OpenApi | undefined> {
    this.#described ??= this.read(true, documentWithin)
      .catch((error: unknown) => {
        // No answer came, or the signal ended the call: another try would not fare better.
        const isAnswered = error instanceof ServiceError && error.status !== undefined
        if (!isAnswered && !(error instanceof AnswerError)) throw error
        return this.read(false, documentWithin)
      })
      .then(readOpenApi)
    return this.#described.catch((error: unknown) => {
      this.connection.signal?.throwIfAborted()
      this.connection.log.debug(message(error))
      return undefined
    })
  }
}

/**
 * One of our calls, as the document has it: `template` is its address there, absent if it has none; `used` is the method
 * that the step uses, absent if it can use none of those offered.
 */
export function describedCall(api: OpenApi, ours: Operation) {
  const { name, method, path } = ours
  const answer = describedAnswer(api, { ...ours, method: offeredMethod(api, path) ?? method })
  const call = { name, method, path, answer }
  const found = api.at(path)
  if (name === 'deleteArchive' && !found?.operations.has(method)) {
    const other = offeredDeletion(api)
    if (other) return { ...call, template: other.template, methods: [other.method], used: other.method }
  }
  if (!found) return { ...call, template: undefined, methods: [], used: undefined }
  const offered = methodNotShown.includes(name) ? offeredMethod(api, path) : undefined
  const used = found.operations.has(method) ? method : offered
  return { ...call, template: found.template, methods: [...found.operations.keys()], used }
}

const answersWithLoadTest: readonly OperationName[] = ['list', 'details', 'status', 'runCopy']
/** More of them say no more. */
const mostStates = 20

/**
 * What the step can read of an answer, by the type that the document has for it: `read` in words (number, state, start,
 * end), and the states that the step does not know (foreign text).
 *
 * @returns undefined if the document does not say what the answer has, or the step reads nothing of it
 */
export function describedAnswer(api: OpenApi, operation: Operation) {
  const offered = api.at(operation.path)?.operations.get(operation.method)
  const schema =
    offered && answersWithLoadTest.includes(operation.name) ? answerSchema(api, offered) : undefined
  if (schema === undefined) return undefined
  const choices: string[][] = []
  const answer = unwrap(operation, examples(api, choices)(schema))
  const seen = essentials(operation.name === 'list' ? listIn(answer)?.list[0] : answer)
  if (!seen) return undefined
  const { number, state, startTime: start, endTime: end } = seen
  const choice = choices.find((words) => state !== undefined && words.includes(state)) ?? []
  return {
    read: Object.keys(defined({ number, state, start, end })),
    strange: choice.filter((word) => phaseOf(word) === 'unknown').slice(0, mostStates),
  }
}

/** The type of a JSON answer of 2xx. */
function answerSchema(api: OpenApi, { responses }: Fields): unknown {
  return Object.entries(fieldsOf(responses))
    .filter(([status]) => /^2/.test(status))
    .flatMap(([, value]) => {
      const { content, schema } = fieldsOf(api.resolve(value))
      const json = Object.entries(fieldsOf(content)).filter(([type]) => /json|\*/i.test(type))
      // Swagger has it beside the description.
      return [...json.map(([, held]) => fieldsOf(held).schema), schema]
    })
    .find((schema) => schema !== undefined)
}

/**
 * Makes of a type a value with each of its fields: texts are `TEXT`, the first word of a choice, or a time; numbers are
 * all different.
 *
 * @param choices gets the words of each text that has a choice, as states are written
 */
function examples(api: OpenApi, choices: string[][]) {
  let count = 1000
  const scalar = ({ type: given, enum: choice, format }: Fields): unknown => {
    const type = [given].flat().find((one) => one !== 'null')
    if (type === 'integer' || type === 'number') return count++
    if (type === 'boolean') return true
    const [first, ...words] = (Array.isArray(choice) ? choice : []).filter((word) => typeof word === 'string')
    if (first !== undefined) choices.push([first, ...words].map(stateWord))
    if (first !== undefined || type !== 'string') return first ?? {}
    return /date/.test(String(format)) ? '2026-01-17T00:00:00Z' : 'TEXT'
  }
  return function exampleOf(given: unknown, depth = 0): unknown {
    const schema = fieldsOf(api.resolve(given))
    if (depth > 8) return undefined
    const within = (one: unknown) => exampleOf(one, depth + 1)
    const parts = [schema.allOf, schema.oneOf, schema.anyOf].find((one): one is unknown[] =>
      Array.isArray(one),
    )
    if (parts) return parts.map(within).reduce<Fields>((all, one) => ({ ...all, ...fieldsOf(one) }), {})
    if (schema.items !== undefined) return [within(schema.items)]
    if (!isFields(schema.properties)) return scalar(schema)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, within(one)]))
  }
}
