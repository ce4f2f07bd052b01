import { markup, type Markup, type Part } from './markup.js'

export interface Column {
  title: string
  /** The label before a value of this column if a phone shows each row as a card; default: the title. */
  short?: string
  numeric?: boolean
}

/**
 * A table with its caption; the first cell of each row is the row's heading. Without rows, a sentence instead. A
 * phone shows each row of a `stacked` table as a card. A table that `scrolls` does so by itself if it is too wide.
 */
export function table(
  { caption, columns, empty }: { caption: string; columns: readonly Column[]; empty: string },
  rows: readonly (readonly Part[])[],
  { stacked = true, scrolls = !stacked }: { stacked?: boolean; scrolls?: boolean } = {},
): Markup {
  if (rows.length === 0) return markup`<p class="quiet">${empty}</p>`
  const head = columns.map(
    ({ title, numeric }) => markup`<th scope="col"${numeric ? markup` class="number"` : ''}>${title}</th>`,
  )
  // A box that scrolls must be reached by the keyboard.
  const box = scrolls
    ? markup`<div class="box" role="region" aria-label="Table: ${caption}" tabindex="0">`
    : markup`<div class="box">`
  return markup`${box}<table${stacked ? markup` class="stacked"` : ''}>
<caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${rows.map((cells) => markup`<tr>${cells.map((part, index) => cell(part, columns[index], index))}</tr>\n`)}</tbody>
</table></div>`
}

function cell(part: Part, column: Column | undefined, index: number): Markup {
  const numeric = column?.numeric ? markup` class="number"` : ''
  if (index === 0) return markup`<th scope="row"${numeric}>${part}</th>`
  const title = column?.short ?? column?.title ?? ''
  return markup`<td${numeric} data-column="${title}"><span>${part}</span></td>`
}
