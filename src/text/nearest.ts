import { oneLine } from './foreign-text.js'
import { anyOf } from './plural.js'

const maxLength = 80
const maxCandidates = 2000

/** At most three candidates that resemble the word, best first. The work is bounded however long the names are. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  const wanted = word.slice(0, maxLength).toLowerCase()
  const most = Math.max(1, Math.floor(wanted.length / 3))
  const found: { candidate: string; distance: number }[] = []
  let looked = 0
  for (const candidate of candidates) {
    if (++looked > maxCandidates) break
    const other = candidate.slice(0, maxLength).toLowerCase()
    const distance = wanted.length > 2 && other.includes(wanted) ? 1 : editDistance(wanted, other, most)
    if (distance <= most) found.push({ candidate, distance })
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((hit) => hit.candidate)
}

/** `Did you mean "a" or "b"?`, or undefined if nothing resembles the word. Safe to print. */
export function didYouMean(word: string, candidates: Iterable<string>, show = (text: string) => text) {
  const close = nearest(word, candidates).map((candidate) => show(oneLine(candidate, 60)))
  return close.length === 0 ? undefined : `Did you mean ${anyOf(close)}?`
}

/** Edits to turn one word into the other; a swap of neighbours is one. More than `most` is reported as `most + 1`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    if (Math.min(...row) > most) return most + 1
    before = above
    above = row
  }
  return above[b.length] ?? most + 1
}
