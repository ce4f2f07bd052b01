import { htmlText } from '../../src/text/foreign-text.js'

/** HTML that is safe to send. Only `markup` makes it, so no text gets in unescaped. */
export class Markup {
  constructor(readonly html: string) {}
}

export type Part = Markup | string | number | undefined | readonly Part[]

/** HTML with its values escaped, in text and in quoted attributes; arrays one after the other. */
export function markup(strings: TemplateStringsArray, ...values: Part[]): Markup {
  const pieces = strings.map((string, index) => string + escaped(values[index]))
  return new Markup(pieces.join(''))
}

function escaped(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.html
  if (typeof part === 'string' || typeof part === 'number') return htmlText(String(part))
  return part.map(escaped).join('')
}

/** Foreign text, isolated: letters that run from right to left affect nothing around them. */
export function foreign(text: string, limit = 200): Markup {
  return new Markup(`<bdi>${htmlText(text, limit)}</bdi>`)
}

/** The same with its line breaks. */
export function foreignLines(text: string): Markup {
  const lines = text.slice(0, 10_000).split(/\r\n?|\n/)
  return markup`${lines.map((line, index) => markup`${index > 0 ? markup`<br>` : ''}${foreign(line, 1000)}`)}`
}

/** A moment, UTC to the minute. */
export function moment(milliseconds: number): Markup {
  const iso = new Date(milliseconds).toISOString()
  return markup`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}
