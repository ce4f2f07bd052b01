import { notFound } from './refusal.js'

/** The number in a path; anything else is answered with 404. */
export function pathNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw notFound()
  return Number(text)
}
