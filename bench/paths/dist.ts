import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Path } from '../bench.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const mostBytes = 4_000_000

export const dist: Path = {
  name: 'dist',
  async measure() {
    const folder = path.join(root, 'dist')
    const files = await readdir(folder)
    const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, file))).size))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    return [
      {
        path: 'size of dist',
        input: 'all files',
        unit: 'bytes',
        ours: bytes,
        compared: { kind: 'value', value: bytes, goal: { bound: 'at most', value: mostBytes } },
        memory: {},
        runs: 1,
        parts: await packages(),
      },
    ]
  },
}

/** What each package takes, minified, as esbuild bundles the same entries; ncc does not say. Largest first. */
async function packages(): Promise<{ name: string; bytes: number }[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts', 'src/gates/xpath/xpath-worker.ts'],
    outdir: path.join(root, 'dist'),
    write: false,
    bundle: true,
    minify: true,
    keepNames: true,
    splitting: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
  })
  const bytes = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'this project'
      bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput)
    }
  }
  return [...bytes].map(([name, size]) => ({ name, bytes: size })).sort((a, b) => b.bytes - a.bytes)
}
