/** Time as waiting needs it. `now` never jumps and says nothing about the time of day. Milliseconds. */
/** ISO 8601 of milliseconds since 1970, in UTC; undefined for a time that no calendar has. */
export function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

export interface Clock {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}
