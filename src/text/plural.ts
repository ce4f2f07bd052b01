import { groupThousands } from './thousands.js'

/** `1 request`, `2 requests`, `12,000 requests`. */
export function plural(count: number, noun: string): string {
  return `${groupThousands(String(count))} ${noun}${count === 1 ? '' : 's'}`
}
