/** A record of JSON, before anything is known of its fields. */
export type Fields = Record<string, unknown>

/** Whether a value of JSON is a record: no list, no null, no text. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A record whose values may be missing, without those that are: `{ a: 1, b: undefined }` becomes `{ a: 1 }`. */
export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Leaves out what is undefined, since what is unknown is absent. */
export function defined<T extends object>(record: T): Defined<T> {
  const result: Defined<T> = {}
  for (const key in record) {
    const value = record[key]
    if (value !== undefined) Object.assign(result, { [key]: value })
  }
  return result
}
