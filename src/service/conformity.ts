import { isFields, type Fields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { Described, Method, OpenApi } from './open-api.js'
import type { Operation, Scope } from './operations.js'

/** A call as the step makes it. */
export interface Call {
  operation: Operation
  /** Content type of its body; absent = it has none. */
  sends?: string
  /** Header parameters that it has, in lower case, beside those that HTTP itself needs. */
  headers?: readonly string[]
  /** What its answer is read as; absent = it is not read. */
  answer?: 'JSON' | 'archive'
}

/** What the service's OpenAPI document says about a call. Text of the document is made harmless here. */
export interface Conformity {
  /** The path template; absent if the document has no such path. */
  path?: string
  /** The methods of this path. */
  methods: Method[]
  /** What the service requires instead, as the ends of a sentence that begins with "it". */
  differences: string[]
  /** What may differ, or is not documented. */
  doubts: string[]
}

// What every request has, or what HTTP sends by itself.
const usualHeaders = ['authorization', 'accept', 'content-type', 'content-length', 'user-agent', 'host']

/**
 * Compares a call with the document: path, method, scopes, required parameters, content types. If the document
 * has only another method, that one is compared, and `methods` names it.
 *
 * @param scopes those of the step's token
 */
export function conformity(api: OpenApi, call: Call, scopes: readonly Scope[]): Conformity {
  const found = api.at(call.operation.path)
  if (!found) return { methods: [], differences: [], doubts: [] }
  const methods = [...found.operations.keys()]
  const common = { path: oneLine(found.template, 200), methods }
  const operation = found.operations.get(call.operation.method) ?? [...found.operations.values()][0]
  if (!operation) return { ...common, differences: [], doubts: [] }
  const body = bodyOf(api, operation, call)
  return {
    ...common,
    differences: [
      ...wantedScopes(api, operation, scopes),
      ...wantedParameters(api, found, operation, call),
      ...body.differences,
    ],
    doubts: [...body.doubts, ...answerDoubts(api, operation, call)],
  }
}

/** One of the alternatives must accept the scopes of the token. */
function wantedScopes(api: OpenApi, operation: Fields, scopes: readonly Scope[]): string[] {
  const security = operation.security ?? api.security
  if (!Array.isArray(security) || security.length === 0) return []
  const alternatives = security.map((one: unknown) => (isFields(one) ? texts(Object.values(one).flat()) : []))
  const held = new Set<string>(scopes)
  if (alternatives.some((names) => names.every((name) => held.has(name)))) return []
  const missing = (alternatives[0] ?? []).filter((name) => !held.has(name))
  return [`requires the scope ${named(missing)}, which the step does not request`]
}

function wantedParameters(api: OpenApi, { parameters }: Described, operation: Fields, call: Call): string[] {
  const sent = [...usualHeaders, ...(call.headers ?? [])]
  return [parameters, operation.parameters]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((parameter) => api.resolve(parameter))
    .flatMap((parameter) => {
      if (!isFields(parameter) || parameter.required !== true || typeof parameter.name !== 'string') return []
      const { name, in: place } = parameter
      if (place !== 'query' && place !== 'header' && place !== 'cookie') return []
      if (place === 'header' && sent.includes(name.toLowerCase())) return []
      return [`needs the ${place} parameter ${named([name])}, which the step does not send`]
    })
}

function bodyOf(
  api: OpenApi,
  operation: Fields,
  { sends }: Call,
): Pick<Conformity, 'differences' | 'doubts'> {
  const body = api.resolve(operation.requestBody)
  if (sends === undefined) {
    const needed = isFields(body) && body.required === true
    return { differences: needed ? ['needs a body, which the step does not send'] : [], doubts: [] }
  }
  const types = isFields(body) && isFields(body.content) ? Object.keys(body.content) : []
  if (types.length === 0) return { differences: [], doubts: ['does not say what the body must be'] }
  const family = sends.replace(/\/.*/, '/*')
  const takes = types.map(bare).some((type) => [sends, family, '*/*'].includes(type))
  return { differences: takes ? [] : [`takes ${named(types)}, but the step sends ${sends}`], doubts: [] }
}

/** An answer is read by its content, whatever its type: another type is a reason to look, no more. */
function answerDoubts(api: OpenApi, operation: Fields, { answer }: Call): string[] {
  if (answer === undefined || !isFields(operation.responses)) return []
  const types = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = api.resolve(value)
    if (!/^(2|default)/.test(status) || !isFields(response) || !isFields(response.content)) return []
    return Object.keys(response.content)
  })
  const json = (type: string) => /[/+]json$/.test(bare(type))
  const open = types.length === 0 || types.some((type) => bare(type).includes('*'))
  const right = answer === 'JSON' ? types.some(json) : types.some((type) => !json(type))
  return open || right ? [] : [`answers with ${named(types)}, where the step expects ${article(answer)}`]
}

function article(answer: 'JSON' | 'archive'): string {
  return answer === 'JSON' ? 'JSON' : 'an archive'
}

/** Without parameters such as a charset. */
function bare(type: string): string {
  return type.replace(/;.*/s, '').trim().toLowerCase()
}

function named(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return (
    names
      .slice(0, 5)
      .map((name) => oneLine(name, 60))
      .join(', ') + more
  )
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string')
}
