import { resolve, type Scope, type Value } from './expressions.js'
import { fields } from './workflow-file.js'
import { WorkflowFault } from './workflow-fault.js'

export type Leg = Readonly<Record<string, Value>>

/**
 * The legs of a `strategy.matrix`: every combination of its lists except those in `exclude`, then extended or
 * supplemented by `include`. @throws WorkflowFault
 */
export function legsOf(matrix: unknown, scope: Scope): Leg[] {
  const { include, exclude, ...axes } = fields(toValue(matrix, scope), 'matrix')
  const excluded = legList(exclude, 'exclude')
  const combined = Object.entries(axes)
    .reduce<Leg[]>(
      (legs, [name, values]) => {
        if (!isList(values)) throw new WorkflowFault(`matrix: ${name} must be a list.`)
        return legs.flatMap((leg) => values.map((value) => ({ ...leg, [name]: value })))
      },
      [{}],
    )
    .filter((leg) => Object.keys(leg).length > 0)
    .filter((leg) => !excluded.some((one) => agrees(leg, one, Object.keys(one))))
  // An entry extends the legs whose original values it does not change; if there are none, it becomes a separate leg.
  const extended = combined.map((own) => ({ own, leg: own }))
  const added: Leg[] = []
  for (const entry of legList(include, 'include')) {
    const shared = Object.keys(entry).filter((name) => name in axes)
    const fitting = extended.filter(({ own }) => agrees(own, entry, shared))
    for (const one of fitting) one.leg = { ...one.leg, ...entry }
    if (fitting.length === 0) added.push(entry)
  }
  return [...extended.map(({ leg }) => leg), ...added]
}

function agrees(leg: Leg, other: Leg, names: readonly string[]): boolean {
  return names.every((name) => JSON.stringify(leg[name]) === JSON.stringify(other[name]))
}

function legList(value: Value | undefined, at: string): Leg[] {
  if (value === undefined) return []
  if (!isList(value)) throw new WorkflowFault(`matrix: ${at} must be a list.`)
  return value.map((entry) => fields(entry, at))
}

function isList(value: Value | undefined): value is readonly Value[] {
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
