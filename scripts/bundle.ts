import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { ownActions } from '../src/outcome/outcome.js'

/**
 * Builds dist/ from src/: one bundle for all actions and the post step, a file to start each, a chunk for each heavy module, loaded when first
 * needed, and the licences of all packages in it.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = path.join(root, 'dist')
/** Beside index, that of the action at the root. */
const entries = [...ownActions, 'post']
const ncc = path.join(root, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js')

function build(entry: string, out: string): void {
  // Types are checked by lint.
  const args = [
    ncc,
    'build',
    path.join('src', entry),
    '--out',
    out,
    '--license',
    'licenses.txt',
    '--transpile-only',
  ]
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** ncc minifies only its entry, but most bytes are in the chunks. */
async function minify(file: string): Promise<void> {
  const { code } = await transform(await readFile(file, 'utf8'), {
    minify: true,
    // Error names and messages stay readable in logs.
    keepNames: true,
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    charset: 'utf8',
  })
  await writeFile(file, code)
}

await rm(dist, { recursive: true, force: true })
await mkdir(dist)
build('index.ts', dist)
for (const name of entries) await writeFile(path.join(dist, `${name}.js`), "import './index.js'\n")

// Each worker, a thread or a process, needs a file.
for (const entry of ['archive/deflate-worker.ts', 'xml/xpath-worker.ts']) {
  const worker = await mkdtemp(path.join(tmpdir(), 'worker-'))
  build(entry, worker)
  await copyFile(path.join(worker, 'index.js'), path.join(dist, path.basename(entry, '.ts') + '.js'))
  const licenses = path.join(worker, 'licenses.txt')
  // There is none if all code is the project's own.
  if (existsSync(licenses)) await appendFile(path.join(dist, 'licenses.txt'), await readFile(licenses))
  await rm(worker, { recursive: true })
}

for (const file of await readdir(dist)) {
  if (file.endsWith('.js')) await minify(path.join(dist, file))
}
