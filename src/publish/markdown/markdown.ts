import { markdownCellName, markdownCellText, markdownLink, markdownText } from '../../text/foreign-text.js'
import { plainNumber } from '../../figures/numbers.js'
import { type Cell, isShort, type Table, type TableRows } from '../words/table.js'
import { plural } from '../../text/plural.js'

/** A part of a Markdown page that can be shown whole, with some of its rows, or not at all. */
export interface Section {
  /** Shown above the rows if `shown`, and in the note that says what was left out. */
  title: string
  shown: 'heading' | 'folded' | 'no'
  /** The lower the number, the longer the section is kept. */
  priority: number
  /** Lines before the rows, such as a table's head. */
  head: string[]
  /** Each row is shown whole or not at all. */
  rows: TableRows<string>
  /** What one of them is about, where it is more than a row of a table. */
  noun?: string
}

/** A table as a section; undefined if it has no rows. */
export function tableSection(
  table: Table,
  shown: Section['shown'],
  priority: number,
  lead: string[] = [],
): Section[] {
  if (table.rows.length === 0) return []
  const titles = table.columns.map(({ title }) => markdownCellText(title, 160))
  const rules = table.columns.map(({ numeric }) => (numeric ? '---:' : '---'))
  const below = table.hasLongNames
  const head = below ? [row([titles.join(' · ')]), row(['---'])] : [row(titles), row(rules)]
  const { length } = table.rows
  const text = (cells: readonly Cell[]) => row(below ? [cells.map(cell).join('<br>')] : cells.map(cell))
  const rows = { length, slice: (from?: number, to?: number) => table.rows.slice(from, to).map(text) }
  return [{ title: markdownText(table.title), shown, priority, head: [...lead, ...head], rows }]
}

/** A table without its own fold or heading, with its first rows. */
export function tableBlock(table: Table, most: number): string {
  const { rows } = table
  const [section] = tableSection({ ...table, rows: rows.slice(0, most) }, 'no', 0)
  if (!section) return ''
  const more = rows.length > most ? ['', `*And ${plainNumber(rows.length - most)} more.*`] : []
  return [`**${section.title}**`, '', ...section.head, ...section.rows.slice(), ...more].join('\n')
}

/** Items of Markdown as a list; nothing if there are none. */
export function listSection(
  title: string,
  shown: Section['shown'],
  priority: number,
  items: readonly string[],
): Section[] {
  if (items.length === 0) return []
  return [{ title, shown, priority, head: [], rows: items.map((item) => `- ${item}`) }]
}

/** A paragraph or block that is shown whole or left out. */
export function blockSection(
  title: string,
  priority: number,
  block: string,
  shown: 'folded' | 'no' = 'no',
): Section[] {
  return block === '' ? [] : [{ title, shown, priority, head: [], rows: [block] }]
}

/** Without the empty ones. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Short pieces in one paragraph or cell. No line begins with the dot between them. */
export function inARow(pieces: readonly string[]): string {
  return pieces.join('\u00a0· ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function cell(one: Cell): string {
  const { text, gate, detail = '', below = '', links = [] } = one
  const linked = inARow(links.map((link) => markdownLink(link.text, link.href, 60)))
  if (text === '' && links.length > 0) return linked
  const isBeside = detail !== '' && isShort(detail)
  const lines = [
    isBeside ? `${cellText(one)} (${markdownCellText(detail)})` : cellText(one),
    gate === undefined ? '' : markdownCellName(gate, 120, true),
    isBeside ? '' : markdownCellText(detail, 1000),
    markdownCellText(below),
    linked,
  ]
  return lines.filter((line) => line !== '').join('<br>')
}

function cellText({ text, code, tone, icon }: Cell): string {
  const inner = code ? markdownCellName(text, 120, code === 'gate') : markdownCellText(text, 1000)
  const bold = tone === 'bad' ? `**${inner}**` : inner
  // A phone breaks no line between an icon and what it marks.
  return icon === undefined ? bold : `${icon}\u00a0${bold}`
}

/** A page of Markdown: the parts that always stay, and the sections between them. */
export interface Page {
  head: string
  sections: readonly Section[]
  tail?: string
}

/** Each section gets this many rows before a more important one gets all its rows. */
const fairShare = 20

/**
 * The page as Markdown, smaller than `limit` bytes of UTF-8 (which are never fewer than characters). What does not
 * fit is left out by priority, row by row, and a note says what it was and where to find it. From 16 KiB on, a verdict
 * with its note is certain to fit.
 */
export function fit(page: Page, limit: number): string {
  const shown = page.sections.map(() => 0)
  let left = limit - 1 - bytes(compose(page, shown))
  const byPriority = [...page.sections.entries()].sort(([, a], [, b]) => a.priority - b.priority)
  for (const most of [fairShare, Infinity]) {
    for (const [index, section] of byPriority) {
      let next = shown[index] ?? 0
      while (next < Math.min(most, section.rows.length)) {
        const [row = ''] = section.rows.slice(next, next + 1)
        // Of a section that begins here, the note may have to say how much is left out.
        const begun = bytes(frame(section, [], true)) + 2 + bytes(leftOut(section, 1)) - bytes(section.title)
        const cost = bytes(row) + 1 + (next === 0 ? begun : 0)
        if (cost > left) break
        left -= cost
        next += 1
      }
      shown[index] = next
    }
  }
  return compose(page, shown)
}

function compose({ head, sections, tail = '' }: Page, shown: readonly number[]): string {
  const parts = sections.map((section, index) => {
    const count = shown[index] ?? 0
    return count === 0 ? '' : frame(section, section.rows.slice(0, count), count < section.rows.length)
  })
  const missing = sections.flatMap((section, index) => {
    const count = shown[index] ?? 0
    return count === section.rows.length ? [] : [leftOut(section, count)]
  })
  const note =
    missing.length === 0
      ? ''
      : `> ⚠️ Left out to fit the size limit: ${missing.join('; ')}. The outcome file has everything.`
  return paragraphs([head, ...parts, note, tail])
}

/** What the note says of a section of which only some rows, or none, are shown. */
function leftOut({ title, rows, noun = 'row' }: Section, shown: number): string {
  return shown === 0 ? title : `${title}: ${plainNumber(rows.length - shown)} of ${plural(rows.length, noun)}`
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

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
