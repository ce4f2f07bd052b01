import { notFound } from './refusal.js'

/** The number in a path; anything else is answered with 404. */
export function pathNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw notFound()
  return Number(text)
}

/** A number that stays the same for one name. */
export function lastingId(name: string): number {
  let id = 1_296_269
  for (const byte of Buffer.from(name.toLowerCase())) id = (id * 31 + byte) % 1_000_000_007
  return id
}
