import { marked } from 'marked'
import type { Page } from 'playwright-core'

/** A comment as it looks on a pull request: GitHub's sizes and colours, light or dark like the page. */
export async function commentPage(comments: readonly string[]): Promise<string> {
  const articles = await Promise.all(comments.map(article))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Comment</title>
<style>
  :root { --page: #fff; --head: #f6f8fa; --line: #d1d9e0; --text: #1f2328; --quiet: #59636e; --link: #0969da; --code: #818b981f; }
  @media (prefers-color-scheme: dark) {
    :root { --page: #0d1117; --head: #151b23; --line: #3d444d; --text: #f0f6fc; --quiet: #9198a1; --link: #4493f8; --code: #656c7633; }
  }
  body { margin: 0; padding: 12px; background: var(--page); color: var(--text); font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif; }
  article { border: 1px solid var(--line); border-radius: 6px; }
  article + article { margin-top: 16px; }
  header { background: var(--head); border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0; padding: 8px 16px; color: var(--quiet); }
  header b { color: var(--text); }
  main { padding: 16px; overflow-wrap: break-word; }
  main > :last-child { margin-bottom: 0; }
  p, ul, details, .chart { margin: 0 0 16px; }
  ul { padding-left: 2em; }
  h2 { font-size: 1.5em; line-height: 1.25; border-bottom: 1px solid var(--line); padding-bottom: 0.3em; margin: 0 0 16px; }
  h3 { font-size: 1.25em; line-height: 1.25; margin: 24px 0 16px; }
  table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; margin-bottom: 16px; font-variant: tabular-nums; }
  th, td { border: 1px solid var(--line); padding: 6px 13px; }
  tr { background: var(--page); }
  tr:nth-child(2n) { background: var(--head); }
  code { background: var(--code); border-radius: 6px; padding: 0.2em 0.4em; font: 85%/1.45 'DejaVu Sans Mono', monospace; white-space: break-spaces; }
  a { color: var(--link); }
</style>
${articles.join('\n')}
</html>
`
}

/** Mermaid draws the charts, with GitHub's theme. */
export async function drawCharts(page: Page, mermaid: string, isDark: boolean): Promise<void> {
  if ((await page.locator('.chart').count()) === 0) return
  await page.addScriptTag({ path: mermaid })
  await page.evaluate(
    `mermaid.initialize({ startOnLoad: false, theme: ${isDark ? "'dark'" : "'default'"} }); mermaid.run({ querySelector: '.chart' })`,
  )
}

async function article(markdown: string): Promise<string> {
  const html = await marked.parse(markdown, { gfm: true })
  const drawn = html.replaceAll(
    /<pre><code class="language-mermaid">([^]*?)<\/code><\/pre>/g,
    '<div class="chart">$1</div>',
  )
  return `<article><header><b>github-actions</b> bot commented</header><main>${drawn}</main></article>`
}
