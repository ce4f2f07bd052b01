/**
 * What the service's own OpenAPI document (interface section 4) says of an operation that the interface
 * leaves "not shown".
 */
export interface Described {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path template, such as `/public/api/v1/orgs/{org}/.../runCopy`. */
  path: string
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** The operations of an OpenAPI document whose path matches; empty where the document is none. */
export function findOperations(document: unknown, path: RegExp): Described[] {
  if (!isObject(document) || !isObject(document.paths)) return []
  return Object.entries(document.paths).flatMap(([template, item]) =>
    path.test(template) && isObject(item)
      ? methods
          .filter((method) => isObject(item[method.toLowerCase()]))
          .map((method) => ({ method, path: template }))
      : [],
  )
}

/** The operation that stops a run, where there is one; the interface shows none. */
export function findStop(document: unknown): Described | undefined {
  return findOperations(document, /\/load-?tests\/\{[^{}/]+\}\/(?:stop|abort)$/i).find(
    ({ method }) => method === 'POST' || method === 'PUT',
  )
}

/** Whether the code archives can be listed, at the address of their upload. */
export function listsArchives(document: unknown): boolean {
  return findOperations(document, /\/code-archives$/).some(({ method }) => method === 'GET')
}

/** The path of a described operation with its parameters, in their order, filled in. */
export function fillPath(template: string, values: readonly (string | number)[]): string | undefined {
  const names = template.match(/\{[^{}/]+\}/g) ?? []
  if (names.length !== values.length) return undefined
  return names.reduce((path, name, at) => path.replace(name, encodeURIComponent(values[at] ?? '')), template)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
