/** Time as waiting needs it. `now` never jumps and says nothing about the time of day. Milliseconds. */
export interface Clock {
  now(): number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}
