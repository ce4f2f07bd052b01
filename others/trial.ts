import { isDeepStrictEqual } from 'node:util'

/** One trial of other people's program. */
export interface Trial {
  what: string
  /** @throws if it fails */
  try(): Promise<void>
}

export function equal(is: unknown, due: unknown): void {
  if (isDeepStrictEqual(is, due)) return
  throw new Error(`It is ${JSON.stringify(is, null, 2)}, not ${JSON.stringify(due, null, 2)}.`)
}
