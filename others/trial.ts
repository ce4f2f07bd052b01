import { isDeepStrictEqual } from 'node:util'

/** One thing that a program of others is tried with. */
export interface Trial {
  what: string
  /** @throws where it does not hold */
  try(): Promise<void>
}

export function equal(is: unknown, due: unknown): void {
  if (isDeepStrictEqual(is, due)) return
  throw new Error(`It is ${JSON.stringify(is, null, 2)}, not ${JSON.stringify(due, null, 2)}.`)
}
