import { isFields, type Fields } from '../text/fields.js'

/** Keywords that say nothing about a value. */
const silent = new Set(['$schema', '$defs', 'title', 'description'])

/**
 * The first mistake of a value by a JSON schema, such as `/gates/0/limit is not a JSON number`; undefined if it is valid.
 * Supports the keywords that docs/outcome.schema.json uses.
 *
 * @param root the schema that `$ref` is looked up in
 * @throws Error for another keyword
 */
export function flawOf(value: unknown, root: Fields, schema: Fields = root, at = ''): string | undefined {
  for (const [keyword, rule] of Object.entries(schema)) {
    if (silent.has(keyword)) continue
    const found = flawBy(keyword, rule, { value, root, schema, at })
    if (found !== undefined) return found
  }
  return undefined
}

interface Place {
  value: unknown
  root: Fields
  schema: Fields
  at: string
}

function flawBy(keyword: string, rule: unknown, { value, root, schema, at }: Place): string | undefined {
  const unless = (holds: boolean, what: string) => (holds ? undefined : `${at || '/'} ${what}`)
  const within = (one: unknown, part: unknown, name: string | number) =>
    isFields(part) ? flawOf(one, root, part, `${at}/${name}`) : undefined
  switch (keyword) {
    case '$ref':
      return flawOf(value, root, referred(root, rule), at)
    case 'type':
      return unless(
        isOfType(value, rule),
        `is not ${rule === 'integer' ? 'a whole number' : `a JSON ${String(rule)}`}`,
      )
    case 'const':
      return unless(value === rule, `is not ${JSON.stringify(rule)}`)
    case 'enum':
      return unless(Array.isArray(rule) && rule.includes(value), 'is not one of the values that it may have')
    case 'minimum':
      return unless(typeof value !== 'number' || value >= Number(rule), `is below ${Number(rule)}`)
    case 'minItems':
      return unless(!Array.isArray(value) || value.length >= Number(rule), 'has too few items')
    case 'pattern':
      return unless(
        typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
        'does not match its pattern',
      )
    case 'items':
      return Array.isArray(value) ? firstOf(value, (one, index) => within(one, rule, index)) : undefined
    case 'anyOf':
      return unless(
        Array.isArray(rule) && rule.some((one: unknown) => within(value, one, '') === undefined),
        'has none of the allowed forms',
      )
    case 'propertyNames':
      return isFields(value) ? firstOf(Object.keys(value), (name) => within(name, rule, name)) : undefined
    case 'required':
      return isFields(value) && Array.isArray(rule)
        ? firstOf(rule, (name) => unless(Object.hasOwn(value, String(name)), `lacks ${String(name)}`))
        : undefined
    case 'properties':
      return isFields(value) && isFields(rule)
        ? firstOf(Object.keys(value), (name) =>
            Object.hasOwn(rule, name) ? within(value[name], rule[name], name) : undefined,
          )
        : undefined
    case 'additionalProperties': {
      if (!isFields(value)) return undefined
      const known = isFields(schema.properties) ? schema.properties : {}
      const others = Object.keys(value).filter((name) => !Object.hasOwn(known, name))
      return firstOf(others, (name) =>
        rule === false ? `${at}/${name} is not known` : within(value[name], rule, name),
      )
    }
    default:
      throw new Error(`The JSON schema has the keyword ${keyword}, which is not supported.`)
  }
}

function firstOf<T>(
  all: readonly T[],
  look: (one: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, one] of all.entries()) {
    const found = look(one, index)
    if (found !== undefined) return found
  }
  return undefined
}

/** `#` is the whole schema, `#/$defs/run` a part of it. */
function referred(root: Fields, ref: unknown): Fields {
  const steps = String(ref).split('/').slice(1)
  const found = steps.reduce<unknown>((part, step) => (isFields(part) ? part[step] : undefined), root)
  if (!isFields(found)) throw new Error(`The JSON schema has no ${String(ref)}.`)
  return found
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isFields(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}
