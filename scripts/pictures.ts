import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../__tests__/browser.js'
import type { LoadTestOutcome } from '../src/outcome/outcome.js'
import { renderDigest } from '../src/publish/digest/digest.js'
import { commentPage, drawCharts } from './comment-page.js'
import { picturedComments, picturedHistory, picturedWeek, pictures } from './faces.js'

/*
 * Makes the pictures of docs/pictures: the comment for each end of a run, the digest and the page of a history. The
 * failed run is one of the demo with the engine, and the first week with gates was run with it, too; their outcomes are
 * kept next to the pictures, and a test compares the pages with them. Needs what the engine needs, Chromium, a font with
 * emoji (Debian: chromium, fonts-noto-color-emoji) and, for the charts, the package registry.
 *
 * npm run pictures              makes them all
 * npm run pictures -- --kept     the same from the outcomes that are kept, without a run of the engine
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const isKept = process.argv.includes('--kept')
const kept = path.join(pictures, 'outcome.json')
const width = 800

const folder = await mkdtemp(path.join(tmpdir(), 'pictures-'))
const browser = await launchBrowser()
try {
  const failed = JSON.parse(isKept ? await readFile(kept, 'utf8') : await fromEngine()) as LoadTestOutcome
  const mermaid = await fetchMermaid()
  const digest = renderDigest(failed)
  const history = await picturedHistory()
  const week = await picturedWeek()
  const comments = picturedComments(failed)
  for (const [name, body] of Object.entries({ ...comments, ...week.comments })) {
    const file = name.startsWith('week-') ? name : `comment-${name}`
    await shoot(file, await commentPage(body), mermaid, async (page) => {
      const end = await page.locator('article').last().boundingBox()
      return { top: 0, height: (end?.y ?? 0) + (end?.height ?? 900) + 12 }
    })
  }
  for (const [name, summary] of Object.entries(week.summaries)) {
    const fold = 'details:has(summary:text("Suggested gates"))'
    await shoot(name, await commentPage(summary), mermaid, (page) => part(page, fold))
  }
  await shoot('digest', digest, mermaid, async () => ({ top: 0, height: 1000 }))
  await shoot('history', history, mermaid, async () => ({ top: 0, height: 1400 }))
  await shoot('week-tried', week.history, mermaid, (page) => part(page, 'section:has(h2:text("Gates"))'))
  const hashes = {
    digest: sha256(digest),
    history: sha256(history),
    comments: sha256(JSON.stringify(comments)),
    week: sha256(JSON.stringify(week)),
  }
  await writeFile(kept, `${JSON.stringify(failed)}\n`)
  await writeFile(path.join(pictures, 'shown.json'), `${JSON.stringify(hashes, null, 2)}\n`)
} finally {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
}

async function fromEngine(): Promise<string> {
  const tsx = path.join(root, 'node_modules/tsx/dist/cli.mjs')
  const demo = [tsx, 'scripts/demo.ts', '--engine', '--regression']
  execFileSync(process.execPath, demo, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  return withoutMachine(await readFile(path.join(root, '.demo', 'load-test-outcome.json'), 'utf8'))
}

/** An outcome file without the addresses and folders of this machine, which do not belong in the repository. */
function withoutMachine(written: string): string {
  return written
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://loadtest.example.com')
    .replaceAll(/"path": ?"[^"]*\/([^"/]+)"/g, '"path":"/home/runner/work/_temp/$1"')
}

/** What GitHub draws charts with; only one of its files is needed, so it is not a dependency. */
async function fetchMermaid(): Promise<string> {
  execFileSync('npm', ['pack', 'mermaid@11', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', packed, 'package/dist/mermaid.min.js'], { cwd: folder })
  return path.join(folder, 'package/dist/mermaid.min.js')
}

async function shoot(
  name: string,
  html: string,
  mermaid: string,
  partOf: (page: Page) => Promise<{ top: number; height: number }>,
): Promise<void> {
  const file = path.join(folder, `${name}.html`)
  await writeFile(file, html)
  const page = await browser.newPage({ viewport: { width, height: 900 } })
  await page.goto(pathToFileURL(file).href)
  await drawCharts(page, mermaid)
  const { top, height } = await partOf(page)
  const clip = { x: 0, y: top, width, height: Math.ceil(height) }
  await page.screenshot({ clip, fullPage: true, path: path.join(pictures, `${name}.png`) })
  await page.close()
}

/** An element, opened if it is a fold, with a little room around it. */
async function part(page: Page, selector: string): Promise<{ top: number; height: number }> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`The page does not show ${selector}.`)
  return { top: Math.max(0, box.y - 12), height: box.height + 24 }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
