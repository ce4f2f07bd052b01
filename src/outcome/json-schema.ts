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

/** A value that is looked at, and where it stands. */
interface Place {
  value: unknown
  root: Fields
  schema: Fields
  at: string
}

/** The mistake in a value by one keyword, as the end of a sentence; undefined if nothing is. */
type Flaw = (rule: unknown, place: Place) => string | undefined

/** The keywords that are about a value as a whole. */
const wholeFlaws: Readonly<Record<string, Flaw>> = {
  type: (rule, { value }) =>
    isOfType(value, rule)
      ? undefined
      : `is not ${rule === 'integer' ? 'a whole number' : `a JSON ${String(rule)}`}`,
  const: (rule, { value }) => (value === rule ? undefined : `is not ${JSON.stringify(rule)}`),
  enum: (rule, { value }) =>
    Array.isArray(rule) && rule.includes(value) ? undefined : 'is not one of the values that it may have',
  minimum: (rule, { value }) =>
    typeof value !== 'number' || value >= Number(rule) ? undefined : `is below ${Number(rule)}`,
  minItems: (rule, { value }) =>
    !Array.isArray(value) || value.length >= Number(rule) ? undefined : 'has too few items',
  pattern: (rule, { value }) =>
    typeof value !== 'string' || new RegExp(String(rule), 'u').test(value)
      ? undefined
      : 'does not match its pattern',
  anyOf: (rule, place) =>
    Array.isArray(rule) && rule.some((one: unknown) => flawIn(place, '', place.value, one) === undefined)
      ? undefined
      : 'has none of the allowed forms',
  required: (rule, { value }) => {
    if (!isFields(value) || !Array.isArray(rule)) return undefined
    const name = rule.map(String).find((one) => !Object.hasOwn(value, one))
    return name === undefined ? undefined : `lacks ${name}`
  },
}

/** The keywords that are about the parts of a value; the flaw is a sentence that says where. */
const partFlaws: Readonly<Record<string, Flaw>> = {
  $ref: (rule, { value, root, at }) => flawOf(value, root, referred(root, rule), at),
  items: (rule, place) =>
    Array.isArray(place.value)
      ? firstOf(place.value, (one, index) => flawIn(place, index, one, rule))
      : undefined,
  propertyNames: (rule, place) => firstOf(namesIn(place.value), (name) => flawIn(place, name, name, rule)),
  properties: (rule, place) => {
    const { value } = place
    if (!isFields(value) || !isFields(rule)) return undefined
    const described = Object.keys(value).filter((name) => Object.hasOwn(rule, name))
    return firstOf(described, (name) => flawIn(place, name, value[name], rule[name]))
  },
  additionalProperties: (rule, place) => {
    const { value, schema, at } = place
    if (!isFields(value)) return undefined
    const described = isFields(schema.properties) ? schema.properties : {}
    const others = Object.keys(value).filter((name) => !Object.hasOwn(described, name))
    return firstOf(others, (name) =>
      rule === false ? `${at}/${name} is not known` : flawIn(place, name, value[name], rule),
    )
  },
}

function flawBy(keyword: string, rule: unknown, place: Place): string | undefined {
  const ofPart = partFlaws[keyword]
  if (ofPart) return ofPart(rule, place)
  const ofWhole = wholeFlaws[keyword]
  if (!ofWhole) throw new Error(`The JSON schema has the keyword ${keyword}, which is not supported.`)
  const flaw = ofWhole(rule, place)
  return flaw === undefined ? undefined : `${place.at || '/'} ${flaw}`
}

/** The flaw of a part by its own schema, if it has one. */
function flawIn(
  { root, at }: Place,
  name: string | number,
  part: unknown,
  schema: unknown,
): string | undefined {
  return isFields(schema) ? flawOf(part, root, schema, `${at}/${name}`) : undefined
}

function namesIn(value: unknown): string[] {
  return isFields(value) ? Object.keys(value) : []
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
