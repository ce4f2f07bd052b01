import { markup, type Markup, type Part } from './markup.js'

export interface Page {
  title: string
  /** It keeps itself up to date. */
  live?: boolean
  /** The way to the page: names and addresses from the home on, without the page itself. */
  path?: readonly { name: string; href: string }[]
  /** Beside the heading is a button that shows the page anew. */
  refreshed?: boolean
  content: Part
}

/** A whole page: the way to it, one heading, its content. */
export function page({ title, live, path, refreshed, content }: Page): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Load testing sandbox</title>
<link rel="icon" href="/web/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/web/style.css">${live ? markup`<script src="/web/live.js" defer></script>` : ''}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><div class="width">
<a class="brand" href="/">${mark}<span>Load testing sandbox</span></a>
<nav aria-label="Main"><a href="/">Home</a></nav>
</div></header>
<main id="content" class="width" tabindex="-1">
${path ? crumbs(path, title) : ''}
<div class="headline"><h1><bdi>${title}</bdi></h1>${refreshed ? markup`<form><button>Refresh</button></form>` : ''}</div>
${content}
</main>
<footer class="width"><p>A local service for trying things out. Unless it runs with the engine, it tests nothing: all figures are simulated.</p></footer>
</body>
</html>
`.html
}

/** A part of a page below its own heading; its id is the title in lower case with hyphens. */
export function section(title: string, content: Part): Markup {
  const id = title.toLowerCase().replaceAll(' ', '-')
  return markup`<section id="${id}" aria-labelledby="${id}-title">
<div class="headline"><h2 id="${id}-title">${title}</h2></div>
${content}
</section>`
}

const mark = markup`<svg viewBox="0 0 20 20" width="22" height="22" aria-hidden="true"><path class="mark" d="M2 16h3v-5H2zm5 0h3V7H7zm5 0h3v-7h-3zm5 0h1.5V3H17z"/></svg>`

function crumbs(path: readonly { name: string; href: string }[], title: string): Markup {
  const items = path.map(({ name, href }) => markup`<li><a href="${href}"><bdi>${name}</bdi></a></li>`)
  return markup`<nav class="crumbs" aria-label="Breadcrumb"><ol>${items}<li aria-current="page"><bdi>${title}</bdi></li></ol></nav>`
}
