import { fieldsOf, isFields, type Fields } from '../text/fields.js'

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const
export type Method = (typeof methods)[number]

/** An address of the service, as its OpenAPI document describes it. */
export interface Described {
  /** As the document writes it, such as `/orgs/{org}/.../runCopy`. */
  template: string
  /** The operations by their methods. */
  operations: ReadonlyMap<Method, Fields>
}

/** The service's own description of itself (interface section 4). Only this file reads it. */
export interface OpenApi {
  /**
   * What it says about one of our addresses, relative to base-url. If several templates match, the one with the
   * fewest parameters counts; the names of parameters make no difference.
   */
  at(path: string): Described | undefined
  /** The paths, with what they have for each method. */
  all(): Described[]
  /** Follows references inside the document. Chains are short; a circular one ends. */
  resolve(value: unknown): unknown
}

/**
 * Reads a document of OpenAPI, or of Swagger, its earlier form.
 *
 * @param baseUrl the service may live below a path
 * @returns undefined if it is not one: it has no paths
 */
export function readOpenApi(document: unknown, baseUrl: string): OpenApi | undefined {
  if (!isFields(document) || !isFields(document.paths)) return undefined
  const { paths } = document
  const basePath = pathOf(baseUrl)
  const resolve = (value: unknown): unknown => {
    let resolved = value
    for (let hop = 0; hop < 8 && isFields(resolved) && typeof resolved.$ref === 'string'; hop++) {
      resolved = pointed(document, resolved.$ref)
    }
    return resolved
  }
  return {
    resolve,
    all: () =>
      Object.entries(paths).flatMap(([template, value]) => {
        const item = resolve(value)
        return isFields(item) ? [described(template, item, resolve)] : []
      }),
    at(path) {
      const wanted = [path, basePath + path].map((address) => address.split('/'))
      const matching = Object.entries(paths).flatMap(([template, value]) => {
        const item = resolve(value)
        if (!isFields(item)) return []
        const fits = prefixes(document, item).some((prefix) =>
          wanted.some((parts) => matches(prefix + template, parts)),
        )
        return fits ? [described(template, item, resolve)] : []
      })
      return matching.sort((a, b) => parameterCount(a.template) - parameterCount(b.template))[0]
    },
  }
}

/** The methods by which an address can be called without a body, the one of the API explorer first. */
const callable = ['GET', 'POST', 'PUT'] as const
export type CallMethod = (typeof callable)[number]

/** The method that the document has for an address; undefined if it has none, or not the address. */
export function offeredMethod(api: OpenApi | undefined, path: string): CallMethod | undefined {
  const offered = api?.at(path)?.operations
  return callable.find((method) => offered?.has(method))
}

/**
 * How the document deletes a code archive: the operation that says so, or needs the scope for it, with the archive as the
 * last parameter of its path.
 */
export function offeredDeletion(api: OpenApi): { method: Method; template: string } | undefined {
  const isDeletion = (method: Method, template: string, { security, operationId }: Fields) =>
    method === 'DELETE' ||
    JSON.stringify(security ?? '').includes('CODEARCHIVE_DELETE') ||
    /delete|remove/i.test(`${String(operationId)} ${template}`)
  return api
    .all()
    .filter(({ template }) => /code-?_?archives?\/\{[^{}]+\}(?:\/\w+)?$/i.test(template))
    .flatMap(({ template, operations }) =>
      [...operations].map(([method, operation]) => ({ method, template, operation })),
    )
    .find(({ method, template, operation }) => isDeletion(method, template, operation))
}

/**
 * An answer of JSON as the document describes it, with a value for each of its fields: texts are `TEXT`, the first word
 * of a choice that `pick` likes, or a time; the numbers are all different. Undefined if it describes none.
 */
export function exampleAnswer(api: OpenApi, operation: Fields, pick: (word: string) => boolean): unknown {
  const responses = Object.entries(isFields(operation.responses) ? operation.responses : {})
  const schemas = responses.flatMap(([status, value]) => {
    const response = api.resolve(value)
    if (!/^2/.test(status) || !isFields(response)) return []
    const content = Object.entries(isFields(response.content) ? response.content : {})
    const json = content
      .filter(([type, held]) => /json|\*/i.test(type) && isFields(held))
      .map(([, held]) => fieldsOf(held).schema)
    // Swagger has it beside the description.
    return [...json, response.schema].filter((schema) => schema !== undefined)
  })
  return schemas.length === 0 ? undefined : exampleOf({ api, pick, count: 1000 }, schemas[0], 0)
}

interface Examples {
  api: OpenApi
  pick: (word: string) => boolean
  count: number
}

function exampleOf(examples: Examples, given: unknown, depth: number): unknown {
  const schema = fieldsOf(examples.api.resolve(given))
  if (depth > 8) return undefined
  const within = (one: unknown) => exampleOf(examples, one, depth + 1)
  const parts = [schema.allOf, schema.oneOf, schema.anyOf].find((list): list is unknown[] =>
    Array.isArray(list),
  )
  if (parts) return parts.map(within).reduce<Fields>((all, one) => ({ ...all, ...fieldsOf(one) }), {})
  if (schema.items !== undefined) return [within(schema.items)]
  if (isFields(schema.properties)) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, within(one)]))
  }
  return scalarExample(examples, schema)
}

function scalarExample(examples: Examples, { type: given, enum: choice, format }: Fields): unknown {
  const type = [given].flat().find((one) => one !== 'null')
  if (type === 'integer' || type === 'number') return examples.count++
  if (type === 'boolean') return true
  const words = (Array.isArray(choice) ? choice : []).filter((word) => typeof word === 'string')
  if (words.length > 0) return words.find(examples.pick) ?? words[0]
  if (type !== 'string') return {}
  return /date/.test(String(format)) ? '2026-01-17T00:00:00Z' : 'TEXT'
}

function described(template: string, item: Fields, resolve: OpenApi['resolve']): Described {
  const operations = methods.flatMap((method): [Method, Fields][] => {
    const operation = resolve(item[method.toLowerCase()])
    return isFields(operation) ? [[method, operation]] : []
  })
  return { template, operations: new Map(operations) }
}

/** Templates are relative to the servers, but most documents contain complete ones. */
function prefixes(document: Fields, item: Fields): string[] {
  const given = item.servers ?? document.servers
  const servers: unknown[] = Array.isArray(given) ? given : []
  const swagger = typeof document.basePath === 'string' ? [document.basePath] : []
  return ['', ...[...servers.map(serverUrl), ...swagger].map(pathOf)]
}

/** With its variables at their defaults. */
function serverUrl(server: unknown): string {
  if (!isFields(server) || typeof server.url !== 'string') return ''
  const variables = isFields(server.variables) ? server.variables : {}
  return server.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name]
    return isFields(variable) && typeof variable.default === 'string' ? variable.default : whole
  })
}

function pathOf(url: string): string {
  const base = 'https://service.invalid'
  return URL.canParse(url, base) ? new URL(url, base).pathname.replace(/\/+$/, '') : ''
}

function matches(template: string, parts: readonly string[]): boolean {
  const pieces = template.split('/')
  return (
    pieces.length === parts.length &&
    pieces.every((piece, at) => piece === parts[at] || /^\{[^{}]+\}$/.test(piece))
  )
}

function parameterCount(template: string): number {
  return template.split('{').length
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
