import { notFound } from './refusal.js'

/** The number in a path; anything else is not found. */
export function pathNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw notFound()
  return Number(text)
}
