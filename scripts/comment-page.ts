import { marked } from 'marked'
import type { Page } from 'playwright-core'

/** A comment as it looks on a pull request: GitHub's sizes and colours, light or dark like the page. */
export async function commentPage(body: string): Promise<string> {
  return githubPage('Comment', await article('<b>github-actions</b> bot commented', body))
}

/** What a run shows on GitHub, and links to the files that it attached. GitHub draws the charts, not this page. */
export async function resultPage(result: {
  comment: string | undefined
  summary: string
  files: readonly string[]
}): Promise<string> {
  const plain = (markdown: string) =>
    markdown.replace(/^```mermaid\n[^]*?^```$/gm, '_GitHub draws a chart here._')
  // Pages come first.
  const isPage = (name: string) => Number(name.endsWith('.html'))
  const files = result.files.toSorted((one, other) => isPage(other) - isPage(one))
  const link = (name: string) => `<li><a href="${encodeURIComponent(name)}">${name}</a></li>`
  const parts = [
    result.comment === undefined
      ? ''
      : await article('<b>github-actions</b> bot commented on the pull request', plain(result.comment)),
    files.length === 0
      ? ''
      : `<article><header>Attached to the workflow run; the digest opens in the browser</header><main><ul>${files.map(link).join('')}</ul></main></article>`,
    await article('<b>Job summary</b>, on the page of the workflow run', plain(result.summary)),
  ]
  return githubPage('What the step shows', parts.join('\n'), withoutScripts)
}

const withoutScripts = `\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />`

function githubPage(title: string, articles: string, policy = ''): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />${policy}
<meta name="viewport" content="width=device-width" />
<title>${title}</title>
<style>
  :root { --page: #fff; --head: #f6f8fa; --line: #d1d9e0; --text: #1f2328; --quiet: #59636e; --link: #0969da; --code: #818b981f; }
  @media (prefers-color-scheme: dark) {
    :root { --page: #0d1117; --head: #151b23; --line: #3d444d; --text: #f0f6fc; --quiet: #9198a1; --link: #4493f8; --code: #656c7633; }
  }
  body { max-width: 1012px; margin: 0 auto; padding: 12px; background: var(--page); color: var(--text); font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif; }
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
  pre { background: var(--head); border-radius: 6px; padding: 16px; margin: 0 0 16px; overflow: auto; }
  pre code { background: none; padding: 0; white-space: pre; }
  a { color: var(--link); }
</style>
${articles}
</html>
`
}

/** Mermaid draws the charts, with GitHub's theme. */
export async function drawCharts(page: Page, mermaid: string): Promise<void> {
  if ((await page.locator('.chart').count()) === 0) return
  await page.addScriptTag({ path: mermaid })
  await page.evaluate(
    "mermaid.initialize({ startOnLoad: false, theme: 'default' }); mermaid.run({ querySelector: '.chart' })",
  )
}

async function article(head: string, markdown: string): Promise<string> {
  const html = await marked.parse(markdown, { gfm: true })
  const drawn = html.replaceAll(
    /<pre><code class="language-mermaid">([^]*?)<\/code><\/pre>/g,
    '<div class="chart">$1</div>',
  )
  return `<article><header>${head}</header><main>${drawn}</main></article>`
}
