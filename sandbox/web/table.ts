import { markup, type Markup, type Part } from './markup.js'

export interface Column {
  title: string
  numeric?: boolean
}

/** A table with its caption; the first cell of each row is the row's heading. Without rows, a sentence instead. */
export function table(
  { caption, columns, empty }: { caption: string; columns: readonly Column[]; empty: string },
  rows: readonly (readonly Part[])[],
): Markup {
  if (rows.length === 0) return markup`<p class="quiet">${empty}</p>`
  const ofNumber = (index: number) => (columns[index]?.numeric ? markup` class="number"` : '')
  const head = columns.map(({ title }, index) => markup`<th scope="col"${ofNumber(index)}>${title}</th>`)
  const cell = (part: Part, index: number) =>
    index === 0
      ? markup`<th scope="row"${ofNumber(index)}>${part}</th>`
      : markup`<td${ofNumber(index)}>${part}</td>`
  // It scrolls by itself if it is too wide, and must then be reached by the keyboard.
  return markup`<div class="box" role="region" aria-label="Table: ${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${rows.map((cells) => markup`<tr>${cells.map(cell)}</tr>\n`)}</tbody>
</table></div>`
}
