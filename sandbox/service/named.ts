/**
 * Gives a part of the app its name. For one without, fastify looks through all loaded modules, which under a test
 * runner takes longer than the rest of the start.
 */
export function named<Part extends object>(name: string, part: Part): Part {
  return Object.assign(part, { [Symbol.for('fastify.display-name')]: name })
}
