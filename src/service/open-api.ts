import { isFields, type Fields } from '../text/fields.js'

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const
export type Method = (typeof methods)[number]

/** An address of the service, as its OpenAPI document describes it. */
export interface Described {
  /** As the document writes it, such as `/orgs/{org}/.../runCopy`. */
  template: string
  /** The operations by their methods. */
  operations: ReadonlyMap<Method, Fields>
  /** Parameters that all of them share. */
  parameters: readonly unknown[]
}

/** The service's own description of itself (interface section 4). Only this file reads it. */
export interface OpenApi {
  /**
   * What it says about one of our addresses, relative to base-url. If several templates match, the one with the
   * fewest parameters counts; the names of parameters make no difference.
   */
  at(path: string): Described | undefined
  /** Follows references inside the document. Chains are short; a circular one ends. */
  resolve(value: unknown): unknown
  /** The requirements of all operations that do not state their own. */
  security: unknown
}

/**
 * Reads a document of OpenAPI, or of Swagger, its earlier form.
 *
 * @param baseUrl the service may live below a path
 * @returns undefined if it is not one: it has no paths
 */
export function readOpenApi(document: unknown, baseUrl: string): OpenApi | undefined {
  if (!isFields(document) || !isFields(document.paths)) return undefined
  const { paths, security } = document
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
    security,
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

function described(template: string, item: Fields, resolve: OpenApi['resolve']): Described {
  const operations = methods.flatMap((method): [Method, Fields][] => {
    const operation = resolve(item[method.toLowerCase()])
    return isFields(operation) ? [[method, operation]] : []
  })
  const parameters: unknown[] = Array.isArray(item.parameters) ? item.parameters : []
  return { template, operations: new Map(operations), parameters }
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
