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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
