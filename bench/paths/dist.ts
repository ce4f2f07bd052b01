import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
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
      },
    ]
  },
}
