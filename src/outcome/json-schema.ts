import { isFields, type Fields } from '../text/fields.js'

/** Keywords that say nothing about a value. */
const silent = new Set(['$schema', '$defs', 'title', 'description'])

/**
 * The first mistake of a value by a JSON schema, such as `/gates/0/limit is not a JSON number`; undefined if it is valid.
 * Supports the keywords that docs/outcome.schema.json uses. A field that the schema lacks is not a mistake: a newer
 * version may have written it.
 *
 * @param root the schema that `$ref` is looked up in
 * @throws Error for another keyword
 */
export function flawOf(value: unknown, root: Fields, schema: Fields = root): string | undefined {
  const flaw = flawBelow(value, root, schema)
  return flaw?.startsWith(' ') ? `/${flaw}` : flaw
}

/** Where the value lies is put before the flaw on the way up: of most values there is none. */
function flawBelow(value: unknown, root: Fields, schema: Fields): string | undefined {
  for (const [keyword, rule] of Object.entries(schema)) {
    if (silent.has(keyword)) continue
    const found = flawBy(keyword, rule, { value, root, schema })
    if (found !== undefined) return found
  }
  return undefined
}

/** A value, and the schemas that it is looked at with. */
interface Looked {
  value: unknown
  root: Fields
  schema: Fields
}

/** The mistake in a value by one keyword, as the end of a sentence; undefined if nothing is. */
type Flaw = (rule: unknown, place: Looked) => string | undefined

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
    Array.isArray(rule) &&
    rule.some((one: unknown) => isFields(one) && flawBelow(place.value, place.root, one) === undefined)
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
  $ref: (rule, { value, root }) => flawBelow(value, root, referred(root, rule)),
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
    const { value, schema } = place
    if (!isFields(value)) return undefined
    const described = isFields(schema.properties) ? schema.properties : {}
    const others = Object.keys(value).filter((name) => !Object.hasOwn(described, name))
    return firstOf(others, (name) => flawIn(place, name, value[name], rule))
  },
}

function flawBy(keyword: string, rule: unknown, place: Looked): string | undefined {
  const ofPart = partFlaws[keyword]
  if (ofPart) return ofPart(rule, place)
  const ofWhole = wholeFlaws[keyword]
  if (!ofWhole) throw new Error(`The JSON schema has the keyword ${keyword}, which is not supported.`)
  const flaw = ofWhole(rule, place)
  return flaw === undefined ? undefined : ` ${flaw}`
}

/** The flaw of a part by its own schema, if it has one. */
function flawIn({ root }: Looked, name: string | number, part: unknown, schema: unknown): string | undefined {
  const flaw = isFields(schema) ? flawBelow(part, root, schema) : undefined
  return flaw === undefined ? undefined : `/${name}${flaw}`
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
