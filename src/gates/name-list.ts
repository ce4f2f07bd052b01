import { oneLine } from '../text/foreign-text.js'

const maxNamed = 5

/** `"A", "B" and 2 more`; safe to print. */
export function nameList(names: readonly string[]): string {
  return listed(names.map((name) => `"${oneLine(name, 60)}"`))
}

/** The first five, and how many more there are. */
export function listed(all: readonly string[]): string {
  const rest = all.length - maxNamed
  return rest > 0 ? `${all.slice(0, maxNamed).join(', ')} and ${rest} more` : all.join(', ')
}
