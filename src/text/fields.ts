/** A record of JSON, before anything is known of its fields. */
export type Fields = Record<string, unknown>

/** Whether a value of JSON is a record: no list, no null, no text. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
