import { createHash } from 'node:crypto'
import { hostOf, htmlName, htmlText, webAddress } from '../../text/foreign-text.js'
import { plainNumber } from '../../figures/numbers.js'
import { plural } from '../../text/plural.js'
import { type Cell, type Column, isShort, type Table } from '../words/table.js'
import type { Todo } from '../words/what-to-do.js'

/** More rows than this make a page slow on a phone. */
const mostRows = 1000

/** A table in a box that scrolls by itself; a phone shows a card for each row. Nothing if it has no rows. */
export function tableHtml({ title, columns, rows }: Table): string {
  if (rows.length === 0) return ''
  const head = columns.map(
    ({ title: text, numeric }) => `<th scope="col"${className(numeric)}>${htmlText(text, 160)}</th>`,
  )
  const body = rows
    .slice(0, mostRows)
    .map((cells) => `<tr>${cells.map((cell, index) => cellHtml(cell, columns[index], index)).join('')}</tr>`)
  const note = cutNote(mostRows, rows.length, 'row')
  return `<div class="box" role="region" aria-label="${htmlText(title)}" tabindex="0"><table><caption>${htmlText(title)}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>${note}`
}

/** That only the first are shown; nothing if all are. */
export function cutNote(most: number, count: number, noun: string): string {
  const text = `The first ${plainNumber(most)} of ${plural(count, noun)} are shown. The outcome file has them all.`
  return count > most ? `<p class="quiet">${htmlText(text)}</p>` : ''
}

/** A heading and a list of sentences; nothing if there are none. Only addresses of `pages` become links. */
export function listHtml(title: string, sentences: readonly string[], pages: readonly string[]): string {
  const items = sentences.map((text) => ({ text, links: [] }))
  return section(title, listOf(items, pages))
}

/** A list of sentences with links after them; nothing if there are none. */
export function listOf(items: readonly Todo[], pages: readonly string[]): string {
  if (items.length === 0) return ''
  const known = new Map(pages.map((page) => [htmlText(page, 2000), linkHtml(hostOf(page), page)]))
  const linked = (text: string) =>
    htmlText(text, 1000)
      .split(' ')
      .map((word) => known.get(word) ?? word)
      .join(' ')
  const all = items.slice(0, mostRows).map(({ text, links }) => {
    const parts = links.map((link) => linkHtml(link.text, link.href))
    return `<li>${`${sentence(linked(text))} ${parts.join(' · ')}`.trimEnd()}</li>`
  })
  return `<ul class="list card">${all.join('')}</ul>`
}

/** A link, or its text alone if the address is not a web address. */
export function linkHtml(text: string, address: string | undefined): string {
  return anchorHtml(foreign(htmlText(text, 200)), address)
}

/** The same around HTML. @param more attributes */
export function anchorHtml(html: string, address: string | undefined, more = ''): string {
  const href = webAddress(address)
  return href === undefined
    ? html
    : `<a href="${htmlText(href, 2000)}"${more} rel="noopener noreferrer">${html}</a>`
}

// Right-to-left text must not reorder what is around it.
function foreign(html: string): string {
  return `<bdi>${html}</bdi>`
}

/** English, even if it begins with a name that is read from right to left. */
function sentence(html: string): string {
  return `<bdi dir="ltr">${html}</bdi>`
}

function cellHtml(cell: Cell, column: Column | undefined, index: number): string {
  const { text, code, tone, links = [] } = cell
  const inner = code
    ? nameHtml(text, code === 'gate')
    : text === '' && links.length > 0
      ? ''
      : foreign(htmlText(text, 1000))
  const more = besideText(cell)
  const classes = className(column?.numeric, tone)
  if (index === 0) return `<th scope="row"${classes}>${inner}${more}</th>`
  // A card has no line for a missing value.
  const shown = className(column?.numeric, text === '–' && !more ? 'absent' : tone)
  return `<td${shown} data-column="${htmlText(column?.title ?? '', 160)}"><span>${inner}${more}</span></td>`
}

function besideText({ gate = '', detail = '', below = '', links = [] }: Cell): string {
  const linked = links.map((link) => `<span>${linkHtml(link.text, link.href)}</span>`).join(' ')
  return [
    span('detail', nameHtml(gate, true), gate),
    span(isShort(detail) ? 'new' : 'detail', sentence(htmlText(detail, 1000)), detail),
    span('below', sentence(htmlText(below, 300)), below),
    span('links', linked, linked),
  ].join('')
}

// A name may be of letters that nobody sees.
export function nameHtml(text: string, isGate = false): string {
  return `<span class="code">${foreign(htmlName(text, isGate) || '(no name)')}</span>`
}

function span(name: string, html: string, text: string): string {
  return text === '' ? '' : `<span class="${name}">${html}</span>`
}

function className(numeric: boolean | undefined, tone?: string): string {
  const classes = [...(numeric ? ['number'] : []), ...(tone === undefined ? [] : [tone])]
  return classes.length === 0 ? '' : ` class="${classes.join(' ')}"`
}

/**
 * One HTML file that needs nothing else: no font, no other picture, no network, and a policy that forbids them. All parts
 * except the title are HTML; the tag stands above the heading.
 */
export function htmlPage(page: {
  title: string
  /** Shown before the title in the browser's tab. */
  icon: string
  style: string
  /** Class of the header: a tone, or `plain`. */
  tone: string
  tag: string
  /** Shown below it; empty ones are left out, as are empty sections. */
  below: string[]
  sections: string[]
  hasPictures?: boolean
}): string {
  const { title, icon, style, tone, tag, below, sections, hasPictures } = page
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = [
    "default-src 'none'",
    ...(hasPictures ? ['img-src data:'] : []),
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const heading = htmlText(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${icon} ${heading}</title>
<style>${style}</style>
</head>
<body>
<div class="page">
<header class="verdict ${tone}">
<p class="tag">${tag}</p>
<h1>${heading}</h1>
${below.filter((html) => html !== '').join('\n')}
</header>
<main>
${sections.filter((html) => html !== '').join('\n')}
</main>
</div>
</body>
</html>
`
}

/** Charts, then what never changes and is a line of text. */
export function chartsAndSteady(figures: readonly string[]): string {
  const drawn = figures.filter((html) => html.startsWith('<figure'))
  const steady = figures.filter((html) => !drawn.includes(html))
  return (drawn.length > 0 ? `<div class="charts">${drawn.join('\n')}</div>` : '') + steady.join('\n')
}

/** A heading, its content, and a sentence in small print; nothing if there is no content. */
export function section(title: string, html: string, note = ''): string {
  const quiet = note === '' ? '' : `<p class="quiet">${htmlText(note)}</p>`
  return html === '' ? '' : `<section><h2>${htmlText(title)}</h2>\n${html}${quiet}</section>`
}
