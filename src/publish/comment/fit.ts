import { plural } from '../../text/plural.js'
import { plainNumber } from '../../figures/quantity.js'
import type { TableRows } from '../words/table.js'
import type { Section } from './markdown.js'

/** A page of Markdown: the parts that always stay, and the sections between them. */
export interface Page {
  head: string
  sections: readonly Section[]
  tail: string
  /** Where to find what is left out, as Markdown. */
  elsewhere: string
}

/** Below this, not even a verdict with its note is certain to fit. */
const leastLimit = 16_384
/** Each section gets this many rows before a more important one gets all its rows. */
const fairShare = 20
const portion = 100

/**
 * The page as Markdown, smaller than `limit` bytes of UTF-8 (which are never fewer than characters). What does not
 * fit is left out by priority, row by row, and a note says what it was and where to find it.
 * Throws RangeError for a limit below 16 KiB.
 */
export function fit(page: Page, limit: number): string {
  if (limit < leastLimit) throw new RangeError(`A page needs a limit of at least ${leastLimit} bytes.`)
  const all = page.sections.map(({ rows }) => rows.length)
  if (mayFit(page, limit)) {
    const whole = compose(page, all)
    if (bytes(whole) < limit) return whole
  }

  const none = page.sections.map(() => 0)
  // The note is longest if every row of every section was left out.
  let left = limit - 1 - bytes(compose(page, none)) - noteMargin(page)
  const shown = [...none]
  const byPriority = page.sections
    .map((section, index) => ({ section, index }))
    .sort((a, b) => a.section.priority - b.section.priority)
  for (const most of [fairShare, Infinity]) {
    for (const { section, index } of byPriority) {
      let next = shown[index] ?? 0
      for (const row of oneByOne(section.rows, next, Math.min(most, section.rows.length))) {
        const cost = bytes(row) + 1 + (next === 0 ? bytes(frame(section, [], true)) + 2 : 0)
        if (cost > left) break
        left -= cost
        next += 1
      }
      shown[index] = next
    }
  }
  return compose(page, shown)
}

/** Whether the rows alone would fit. */
function mayFit({ sections }: Page, limit: number): boolean {
  let left = limit
  for (const { rows } of sections) {
    for (const row of oneByOne(rows, 0, rows.length)) {
      left -= bytes(row) + 1
      if (left < 0) return false
    }
  }
  return true
}

/** They are made in portions. */
function* oneByOne(rows: TableRows<string>, from: number, to: number): Generator<string> {
  for (let at = from; at < to; at += portion) yield* rows.slice(at, Math.min(to, at + portion))
}

function compose({ head, sections, tail, elsewhere }: Page, shown: readonly number[]): string {
  const parts = sections.map((section, index) => {
    const count = shown[index] ?? 0
    return count === 0 ? '' : frame(section, section.rows.slice(0, count), count < section.rows.length)
  })
  const missing = sections.flatMap(({ title, rows, noun = 'row' }, index) => {
    const count = shown[index] ?? 0
    if (count === rows.length) return []
    return [
      count === 0 ? title : `${title}: ${plainNumber(rows.length - count)} of ${plural(rows.length, noun)}`,
    ]
  })
  const note =
    missing.length === 0 ? '' : `> ⚠️ Left out to fit the size limit: ${missing.join('; ')}. ${elsewhere}`
  return [head, ...parts, note, tail].filter((part) => part !== '').join('\n\n')
}

function frame(
  { title, shown, head, rows: all, noun = 'row' }: Section,
  rows: readonly string[],
  cut: boolean,
): string {
  const more = cut ? ['', `*Not all of ${plural(all.length, noun)} are shown.*`] : []
  const body = [...head, ...rows, ...more].join('\n')
  if (shown === 'heading') return `### ${title}\n\n${body}`
  if (shown === 'folded') return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`
  return body
}

// A section with some rows left out has a longer note than one that is left out whole.
function noteMargin({ sections }: Page): number {
  return sections.reduce(
    (sum, { rows, noun = '' }) => sum + 16 + noun.length + 2 * plainNumber(rows.length).length,
    0,
  )
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
