/**
 * Text that comes from the service, a report or a file name is hostile until shown otherwise. Each function
 * here makes it harmless for one place.
 */

// C0, C1, line and paragraph separators, bidirectional controls, zero-width characters and the byte-order mark.
const unseen = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2060-\u2069\u200b-\u200f\ufeff\u061c]+/g

/** One line without control characters, at most `limit` characters; a cut is shown by an ellipsis. */
export function oneLine(text: string, limit = 200): string {
  const line = text.slice(0, limit * 4).replace(unseen, ' ').replace(/ {2,}/g, ' ').trim()
  const points = [...line]
  return points.length > limit ? `${points.slice(0, limit - 1).join('')}…` : line.toWellFormed()
}
