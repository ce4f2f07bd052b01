import { markdownCellName, markdownCellText, markdownLink, markdownText } from '../../text/foreign-text.js'
import { plainNumber } from '../../figures/quantity.js'
import { isShort, type Cell, type TableRows, type Table } from '../words/table.js'

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
  const head = [...lead, row(titles), row(rules)]
  const { length } = table.rows
  const rows = {
    length,
    slice: (from?: number, to?: number) => table.rows.slice(from, to).map((cells) => row(cells.map(cell))),
  }
  return [{ title: markdownText(table.title), shown, priority, head, rows }]
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

/** Short pieces in one paragraph or cell. No line begins with the dot between them. */
export function inARow(pieces: readonly string[]): string {
  return pieces.join('\u00a0· ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function cell(one: Cell): string {
  const { text, detail = '', below = '', links = [] } = one
  const linked = inARow(links.map((link) => markdownLink(wholeDates(link.text), link.href, 60)))
  if (text === '' && links.length > 0) return linked
  const isBeside = detail !== '' && isShort(detail)
  const lines = [
    isBeside ? `${cellText(one)} (${markdownCellText(detail)})` : cellText(one),
    isBeside ? '' : markdownCellText(detail, 300),
    markdownCellText(below),
    linked,
  ]
  return lines.filter((line) => line !== '').join('<br>')
}

function cellText({ text, code, tone, icon, long }: Cell): string {
  const inner = code ? markdownCellName(text) : markdownCellText(wholeDates(text), long ? 1000 : 300)
  const bold = tone === 'bad' ? `**${inner}**` : inner
  // A phone breaks no line between an icon and what it marks.
  return icon === undefined ? bold : `${icon}\u00a0${bold}`
}

/** A date stays on one line of a cell, although browsers break after a hyphen. */
function wholeDates(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d(?= \d\d:\d\d UTC)/g, (date) => date.replaceAll('-', '\u2011'))
}
