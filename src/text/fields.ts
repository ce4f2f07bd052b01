/** A JSON record, before anything is known about its fields. */
export type Fields = Record<string, unknown>

/** Whether a JSON value is a record, and not a list, null or a text. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text, which may begin with a byte order mark; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** A JSON value as a record; anything else has no fields. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** A JSON value as a text; an empty one, and anything else, is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Leaves out what is undefined, since what is unknown is absent: `{ a: 1, b: undefined }` becomes `{ a: 1 }`. */
export function defined<T extends object>(record: T) {
  const result: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const key in record) {
    const value = record[key]
    if (value !== undefined) Object.assign(result, { [key]: value })
  }
  return result
}

/** A record as JSON, in pieces: one text of many megabytes takes several times its size. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    yield '['
    for (let at = 0; at < list.length; at += piece) {
      yield (at === 0 ? '' : ',') + JSON.stringify(list.slice(at, at + piece)).slice(1, -1)
    }
    yield ']'
  } else if (isFields(value)) {
    let comma = ''
    yield '{'
    for (const [key, one] of Object.entries(value)) {
      if (one === undefined) continue
      yield `${comma}${JSON.stringify(key)}:`
      yield* jsonPieces(one)
      comma = ','
    }
    yield '}'
  } else yield JSON.stringify(value)
}

/** Elements of a list. */
const piece = 1000

/** What a map holds for a key: made when it is first asked for. */
export function heldIn<K, T>(map: Map<K, T>, key: K, make: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** What has the same key is together. Keys and what they stand for stay in the order in which they first occur. */
export function groupsBy<K, T>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const one of all) heldIn(groups, keyOf(one), (): T[] => []).push(one)
  return groups
}
