import { isFields, type Fields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
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

/** What the service's OpenAPI document says of a call. Text of the document is made harmless here. */
export interface Conformity {
  /** The path template; absent where the document has no such path. */
  path?: string
  /** The methods of this path, in upper case. */
  methods: string[]
  /** What the service wants otherwise, as ends of a sentence that begins with "it". */
  differences: string[]
  /** What may be otherwise, or is not said. */
  doubts: string[]
}

const methods = ['get', 'post', 'put', 'delete', 'patch']
// What every request has, or what HTTP sends by itself.
const usualHeaders = ['authorization', 'accept', 'content-type', 'content-length', 'user-agent', 'host']

/**
 * Holds a call against the document: path, method, scopes, needed parameters, content types. Where the document
 * has another method alone, that one is compared, and `methods` tells.
 *
 * @param scopes what the step's token is asked for
 * @param basePath path of base-url, below which the service lives
 */
export function conformity(
  document: unknown,
  call: Call,
  scopes: readonly Scope[],
  basePath: string,
): Conformity {
  const { operation } = call
  const found = pathItem(document, operation.path, basePath)
  if (!found) return { methods: [], differences: [], doubts: [] }
  const { path, item } = found
  const offered = methods.filter((method) => isFields(item[method]))
  const method = offered.find((one) => one.toUpperCase() === operation.method) ?? offered[0]
  const described = method === undefined ? undefined : item[method]
  const common = { path: oneLine(path, 200), methods: offered.map((one) => one.toUpperCase()) }
  if (!isFields(described)) return { ...common, differences: [], doubts: [] }
  const body = bodyOf(document, described, call)
  return {
    ...common,
    differences: [
      ...wantedScopes(document, described, scopes),
      ...wantedParameters(document, item, described, call),
      ...body.differences,
    ],
    doubts: [...body.doubts, ...answerDoubts(document, described, call)],
  }
}

/** Whether this is an OpenAPI document at all: it has paths. */
export function isOpenApi(document: unknown): boolean {
  return isFields(document) && isFields(document.paths)
}

/** The path that is ours, with the fewest parameters where several match. */
function pathItem(
  document: unknown,
  ours: string,
  basePath: string,
): { path: string; item: Fields } | undefined {
  if (!isFields(document) || !isFields(document.paths)) return undefined
  const wanted = [ours, basePath + ours].map((path) => path.split('/'))
  const prefixes = serverPaths(document)
  const matching = Object.entries(document.paths).flatMap(([path, value]) => {
    const item = resolve(document, value)
    const fits = prefixes.some((prefix) => wanted.some((parts) => matches(prefix + path, parts)))
    return fits && isFields(item) ? [{ path, item }] : []
  })
  return matching.sort((a, b) => parameters(a.path) - parameters(b.path))[0]
}

function matches(template: string, parts: readonly string[]): boolean {
  const pieces = template.split('/')
  return (
    pieces.length === parts.length &&
    pieces.every((piece, at) => piece === parts[at] || /^\{[^{}]+\}$/.test(piece))
  )
}

function parameters(path: string): number {
  return path.split('{').length
}

/** Paths of the document are relative to its servers; most documents have them whole. */
function serverPaths(document: Fields): string[] {
  const servers: unknown[] = Array.isArray(document.servers) ? document.servers : []
  const paths = servers.flatMap((server) => {
    const url = isFields(server) && typeof server.url === 'string' ? server.url : ''
    const base = 'https://service.invalid'
    return URL.canParse(url, base) ? [new URL(url, base).pathname.replace(/\/+$/, '')] : []
  })
  return [...new Set(['', ...paths])]
}

/** One of the alternatives must be content with the scopes of the token. */
function wantedScopes(document: unknown, described: Fields, scopes: readonly Scope[]): string[] {
  const security = described.security ?? (isFields(document) ? document.security : undefined)
  if (!Array.isArray(security) || security.length === 0) return []
  const alternatives = security.map((one: unknown) => (isFields(one) ? texts(Object.values(one).flat()) : []))
  const held = new Set<string>(scopes)
  if (alternatives.some((names) => names.every((name) => held.has(name)))) return []
  const missing = (alternatives[0] ?? []).filter((name) => !held.has(name))
  return [`wants the scope ${named(missing)}, which the step does not ask for`]
}

function wantedParameters(document: unknown, item: Fields, described: Fields, call: Call): string[] {
  const sent = [...usualHeaders, ...(call.headers ?? [])]
  return [item.parameters, described.parameters]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((parameter) => resolve(document, parameter))
    .flatMap((parameter) => {
      if (!isFields(parameter) || parameter.required !== true || typeof parameter.name !== 'string') return []
      const { name, in: place } = parameter
      if (place !== 'query' && place !== 'header' && place !== 'cookie') return []
      if (place === 'header' && sent.includes(name.toLowerCase())) return []
      return [`needs the ${place} parameter ${named([name])}, which the step does not send`]
    })
}

function bodyOf(
  document: unknown,
  described: Fields,
  { sends }: Call,
): Pick<Conformity, 'differences' | 'doubts'> {
  const body = resolve(document, described.requestBody)
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
function answerDoubts(document: unknown, described: Fields, { answer }: Call): string[] {
  if (answer === undefined || !isFields(described.responses)) return []
  const types = Object.entries(described.responses).flatMap(([status, value]) => {
    const response = resolve(document, value)
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

/** Follows references inside the document. Chains are short; a circle ends. */
function resolve(document: unknown, value: unknown): unknown {
  let resolved = value
  for (let hop = 0; hop < 8 && isFields(resolved) && typeof resolved.$ref === 'string'; hop++) {
    resolved = pointed(document, resolved.$ref)
  }
  return resolved
}

/** A local JSON pointer (RFC 6901). */
function pointed(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isFields(at) ? at[part] : undefined), document)
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
