/** A JSON record, before anything is known about its fields. */
export type Fields = Record<string, unknown>

/** Whether a JSON value is a record, and not a list, null or a text. */
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
