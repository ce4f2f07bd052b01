import { resolve, type Scope, type Value } from './expressions.js'
import { WorkflowFault } from './workflow-file.js'

export type Leg = Readonly<Record<string, Value>>

/** The legs of a `strategy.matrix`: every combination of its lists, or those in `include`. @throws WorkflowFault */
export function legsOf(matrix: unknown, scope: Scope): Leg[] {
  const { include, ...axes } = legOf(toValue(matrix, scope))
  const lists = Object.entries(axes)
  if (include !== undefined) {
    if (lists.length > 0) throw new WorkflowFault('matrix: the local runner adds no include to other lists.')
    return listOf(include, 'include').map(legOf)
  }
  return lists.reduce<Leg[]>(
    (legs, [name, values]) =>
      legs.flatMap((leg) => listOf(values, name).map((value) => ({ ...leg, [name]: value }))),
    [{}],
  )
}

function legOf(value: Value): Leg {
  if (typeof value !== 'object' || value === null || isList(value)) {
    throw new WorkflowFault('matrix: it and each of include have to be a mapping.')
  }
  return value
}

function listOf(value: Value, name: string): readonly Value[] {
  if (!isList(value)) throw new WorkflowFault(`matrix: ${name} must be a list.`)
  return value
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** A value of YAML as the value of a context, with its expressions resolved. */
function toValue(value: unknown, scope: Scope): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return resolve(value, scope)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((item) => toValue(item, scope))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toValue(item, scope)]))
}
