import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../__tests__/browser.js'
import type { LoadTestOutcome } from '../src/outcome/outcome.js'
import { renderDigest } from '../src/publish/digest/digest.js'
import { commentPage, drawCharts } from './comment-page.js'
import { palettePng } from './palette-png.js'
import { otherFaces, picturedComments } from './pictured-comments.js'
import { picturedHistory } from './pictured-history.js'

/*
 * Makes the pictures of docs/pictures: the comment for each end of a run, the digest and the page of a history. The
 * failed run is one of the demo with the engine; its outcome is kept next to the pictures, and a test compares the
 * pages with it. Needs what the engine needs, Chromium, a font with emoji (Debian: chromium, fonts-noto-color-emoji)
 * and, for the charts, the package registry.
 *
 * npm run pictures               makes them all
 * npm run pictures -- --kept      the same from the outcome that is kept, without a run of the demo
 * npm run pictures -- --look DIR  these and all other faces at 1280, 800 and 390 px, light and dark, into DIR, from the kept outcome
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const pictures = path.join(root, 'docs', 'pictures')
const [flag, lookAt] = process.argv.slice(2)
const isLook = flag === '--look' && lookAt !== undefined
const isKept = isLook || flag === '--kept'

const wide = { width: 800, isDark: false }
const views = isLook
  ? [1280, 800, 390].flatMap((width) => [false, true].map((isDark) => ({ width, isDark })))
  : [wide]

if (isLook) await mkdir(lookAt, { recursive: true })
const folder = await mkdtemp(path.join(tmpdir(), 'pictures-'))
const browser = await launchBrowser()
try {
  const failed = isKept ? await readOutcome() : await fromDemo()
  const mermaid = await fetchMermaid()
  const digest = renderDigest(failed)
  const history = await picturedHistory()
  const comments = picturedComments(failed)
  const shown = isLook ? { ...comments, ...otherFaces(failed) } : comments
  for (const [name, bodies] of Object.entries(shown)) {
    await shoot(`comment-${name}`, await commentPage(bodies), mermaid, async (page) => {
      const end = await page.locator('article').last().boundingBox()
      return (end?.y ?? 0) + (end?.height ?? 900) + 12
    })
  }
  const whole = (page: Page) => page.evaluate<number>('document.documentElement.scrollHeight')
  await shoot('digest', digest, mermaid, isLook ? whole : async () => 1000)
  await shoot('history', history, mermaid, isLook ? whole : async () => 1400)
  if (!isLook) {
    const hashes = {
      digest: sha256(digest),
      history: sha256(history),
      comments: sha256(JSON.stringify(comments)),
    }
    await writeFile(path.join(pictures, 'outcome.json'), `${JSON.stringify(failed)}\n`)
    await writeFile(path.join(pictures, 'shown.json'), `${JSON.stringify(hashes, null, 2)}\n`)
  }
} finally {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
}

async function fromDemo(): Promise<LoadTestOutcome> {
  const tsx = path.join(root, 'node_modules/tsx/dist/cli.mjs')
  execFileSync(process.execPath, [tsx, 'scripts/demo.ts', '--engine', '--regression'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const written = await readFile(path.join(root, '.demo', 'load-test-outcome.json'), 'utf8')
  // The addresses and folders of this machine do not belong in the repository.
  return outcomeOf(
    written
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://loadtest.example.com')
      .replaceAll(/"path": "[^"]*\/([^"/]+)"/g, '"path": "/home/runner/work/_temp/$1"'),
  )
}

async function readOutcome(): Promise<LoadTestOutcome> {
  return outcomeOf(await readFile(path.join(pictures, 'outcome.json'), 'utf8'))
}

function outcomeOf(text: string): LoadTestOutcome {
  const parsed: unknown = JSON.parse(text)
  if (!isOutcome(parsed)) throw new Error('The demo left no outcome file.')
  return parsed
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
  heightOf: (page: Page) => Promise<number>,
): Promise<void> {
  const file = path.join(folder, `${name}.html`)
  await writeFile(file, html)
  for (const { width, isDark } of views) {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: isDark ? 'dark' : 'light',
    })
    await page.goto(pathToFileURL(file).href)
    await drawCharts(page, mermaid, isDark)
    if (isLook) await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    const clip = { x: 0, y: 0, width, height: Math.ceil(await heightOf(page)) }
    const view = isLook ? `-${width}-${isDark ? 'dark' : 'light'}` : ''
    const picture = await page.screenshot({ clip, fullPage: true })
    await writeFile(
      path.join(isLook ? lookAt : pictures, `${name}${view}.png`),
      isLook ? picture : palettePng(picture),
    )
    await page.close()
  }
}

function isOutcome(value: unknown): value is LoadTestOutcome {
  return typeof value === 'object' && value !== null && 'format' in value && 'verdict' in value
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
