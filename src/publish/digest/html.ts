import { htmlText, webAddress } from '../../text/foreign-text.js'
import { plainNumber } from '../../figures/quantity.js'
import type { Link } from '../words/facts.js'
import { section } from './page.js'
import { isShort, type Cell, type Column, type Table } from '../words/table.js'

/** More rows than this make a page slow on a phone. */
const mostRows = 1000

/** A table in a box that scrolls by itself; a phone shows a card for each row. Nothing if it has no rows. */
export function tableHtml({ title, columns, rows }: Table, elsewhere: string): string {
  if (rows.length === 0) return ''
  const head = columns.map(
    ({ title: text, numeric }) => `<th scope="col"${className(numeric)}>${htmlText(text, 160)}</th>`,
  )
  const body = rows
    .slice(0, mostRows)
    .map((cells) => `<tr>${cells.map((cell, index) => cellHtml(cell, columns[index], index)).join('')}</tr>`)
  const note =
    rows.length > mostRows
      ? `<p class="quiet">The first ${plainNumber(mostRows)} of ${plainNumber(rows.length)} rows are shown. ${htmlText(elsewhere)}</p>`
      : ''
  return `<div class="box" role="region" aria-label="${htmlText(title)}" tabindex="0"><table><caption>${htmlText(title)}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>${note}`
}

/** A table, folded under its title. */
export function foldedTable(table: Table, elsewhere: string): string {
  const html = tableHtml(table, elsewhere)
  return html === '' ? '' : `<details><summary>${htmlText(table.title)}</summary>\n${html}</details>`
}

/** A heading and a list of sentences; nothing if there are none. Only addresses of `pages` become links. */
export function listHtml(title: string, sentences: readonly string[], pages: readonly string[]): string {
  return itemsHtml(
    title,
    sentences.map((text) => ({ text, links: [] })),
    pages,
  )
}

/** A list of sentences, with links after them. */
export function itemsHtml(
  title: string,
  items: readonly { text: string; links: readonly Link[] }[],
  pages: readonly string[],
): string {
  return section(title, listOf(items, pages))
}

/** The list alone; nothing if there are no items. */
export function listOf(
  items: readonly { text: string; links: readonly Link[] }[],
  pages: readonly string[],
): string {
  if (items.length === 0) return ''
  const known = new Map(pages.map((page) => [htmlText(page, 2000), linkHtml(page, page)]))
  const linked = (text: string) =>
    htmlText(text, 1000)
      .split(' ')
      .map((word) => known.get(word) ?? word)
      .join(' ')
  const all = items.slice(0, mostRows).map(({ text, links }) => {
    const parts = [foreign(linked(text)), ...links.map((link) => linkHtml(link.text, link.href))]
    return `<li>${parts.join(' ')}</li>`
  })
  return `<ul class="list card">${all.join('')}</ul>`
}

/** A link, or its text alone if the address is not a web address. */
export function linkHtml(text: string, address: string | undefined): string {
  const href = webAddress(address)
  const inner = foreign(htmlText(text, 200))
  return href === undefined
    ? inner
    : `<a href="${htmlText(href, 2000)}" rel="noopener noreferrer">${inner}</a>`
}

// Right-to-left text must not reorder what is around it.
function foreign(html: string): string {
  return `<bdi>${html}</bdi>`
}

function cellHtml(
  { text, code, tone, detail = '', below = '', links = [] }: Cell,
  column: Column | undefined,
  index: number,
): string {
  const inner = code
    ? `<span class="code">${foreign(htmlText(text, 200))}</span>`
    : text === '' && links.length > 0
      ? ''
      : foreign(htmlText(text, 300))
  const linked = links.map((link) => `<span>${linkHtml(link.text, link.href)}</span>`).join(' ')
  const more = [
    span(isShort(detail) ? 'new' : 'detail', foreign(htmlText(detail, 300)), detail),
    span('below', foreign(htmlText(below, 300)), below),
    span('links', linked, linked),
  ].join('')
  const classes = className(column?.numeric, tone)
  if (index === 0) return `<th scope="row"${classes}>${inner}${more}</th>`
  // A card has no line for a missing value.
  const shown = className(column?.numeric, text === '–' && !more ? 'absent' : tone)
  return `<td${shown} data-column="${htmlText(column?.title ?? '', 160)}"><span>${inner}${more}</span></td>`
}

function span(name: string, html: string, text: string): string {
  return text === '' ? '' : `<span class="${name}">${html}</span>`
}

function className(numeric: boolean | undefined, tone?: string): string {
  const classes = [...(numeric ? ['number'] : []), ...(tone === undefined ? [] : [tone])]
  return classes.length === 0 ? '' : ` class="${classes.join(' ')}"`
}
