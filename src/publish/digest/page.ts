import { createHash } from 'node:crypto'
import { htmlText } from '../../text/foreign-text.js'

/** The parts of a page. All except the title are HTML. */
interface HtmlPage {
  /** Plain text. */
  title: string
  /** Shown before the title in the browser's tab. */
  icon?: string
  style: string
  /** Class of the header: a tone, or `plain`. */
  tone: string
  /** Stands above the heading. */
  tag: string
  /** Shown below it; empty ones are left out, as are empty sections. */
  below: string[]
  sections: string[]
}

/** One HTML file that needs nothing else: no font, no picture, no network, and a policy that forbids them. */
export function htmlPage({ title, icon = '', style, tone, tag, below, sections }: HtmlPage): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
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
<title>${icon === '' ? '' : `${icon} `}${heading}</title>
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

/** A heading, its content, and a sentence in small print; nothing if there is no content. */
export function section(title: string, html: string, note = ''): string {
  const quiet = note === '' ? '' : `<p class="quiet">${htmlText(note)}</p>`
  return html === '' ? '' : `<section><h2>${htmlText(title)}</h2>\n${html}${quiet}</section>`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
