import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { marked } from 'marked'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../__tests__/browser.js'
import type { Outcome } from '../src/outcome.js'
import { renderComment } from '../src/publish/comment.js'
import { renderDigest } from '../src/publish/digest.js'

/*
 * Makes the pictures of README.md from a run of the demo: the comment on a pull request that is too slow, and its
 * digest. Needs Chromium and a font with emoji (Debian: chromium, fonts-noto-color-emoji). The outcome they show is kept beside them, so that a test can tell when they are out of date.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const pictures = path.join(root, 'docs', 'pictures')

execFileSync(
  process.execPath,
  [path.join(root, 'node_modules/tsx/dist/cli.mjs'), 'scripts/demo.ts', '--regression'],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  },
)
const written = await readFile(path.join(root, '.demo', 'load-test-outcome.json'), 'utf8')
// The addresses and folders of this machine have no place in the repository.
const told = written
  .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://loadtest.example.com')
  .replaceAll(/"path": "[^"]*\/([^"/]+)"/g, '"path": "/home/runner/work/_temp/$1"')
const parsed: unknown = JSON.parse(told)
if (!isOutcome(parsed)) throw new Error('The demo left no outcome file.')
const outcome = parsed
const comment = renderComment(outcome, 'pictures')
const digest = renderDigest(outcome)

const folder = await mkdtemp(path.join(tmpdir(), 'pictures-'))
const browser = await launchBrowser()
try {
  const html = await marked.parse(withoutCharts(comment), { gfm: true })
  await shoot('comment', framed(html), async (page) => {
    // The first screen: what stands above the tables that are folded.
    const end = await page.locator('details').first().boundingBox()
    return Math.floor((end?.y ?? 900) - 4)
  })
  await shoot('digest', digest, async () => 1100)
} finally {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
}
await writeFile(path.join(pictures, 'outcome.json'), `${JSON.stringify(outcome)}\n`)
const digests = { comment: sha256(comment), digest: sha256(digest) }
await writeFile(path.join(pictures, 'shown.json'), `${JSON.stringify(digests, null, 2)}\n`)

async function shoot(name: string, html: string, heightOf: (page: Page) => Promise<number>): Promise<void> {
  const file = path.join(folder, `${name}.html`)
  await writeFile(file, html)
  const page = await browser.newPage({ viewport: { width: 920, height: 1200 }, deviceScaleFactor: 1.5 })
  await page.goto(pathToFileURL(file).href)
  const clip = { x: 0, y: 0, width: 920, height: await heightOf(page) }
  await page.screenshot({ path: path.join(pictures, `${name}.png`), clip, fullPage: true })
  await page.close()
}

/** GitHub draws the charts of a comment; here they would be text. */
function withoutCharts(markdown: string): string {
  return markdown.replaceAll(/```mermaid[^]*?```\n/g, '')
}

/** A comment as it looks on a pull request. */
function framed(html: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<title>Comment</title>
<style>
  body { margin: 0; padding: 16px; background: #fff; color: #1f2328; font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif; }
  article { border: 1px solid #d1d9e0; border-radius: 6px; }
  header { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; padding: 8px 16px; color: #59636e; }
  header b { color: #1f2328; }
  main { padding: 16px; }
  h2 { font-size: 1.5em; border-bottom: 1px solid #d1d9e0; padding-bottom: 0.3em; margin: 0 0 16px; }
  h3 { font-size: 1.25em; margin: 24px 0 16px; }
  table { border-collapse: collapse; margin-bottom: 16px; }
  th, td { border: 1px solid #d1d9e0; padding: 6px 13px; }
  tr:nth-child(2n) { background: #f6f8fa; }
  code { background: #eff1f3; border-radius: 6px; padding: 0.2em 0.4em; font-size: 85%; }
  a { color: #0969da; text-decoration: none; }
</style>
<article>
  <header><b>github-actions</b> bot commented</header>
  <main>${html}</main>
</article>
</html>
`
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'format' in value && 'verdict' in value
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
