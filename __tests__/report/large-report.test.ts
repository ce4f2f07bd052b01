import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/** Reads megabytes of a report, then leaves behind what grows V8's nursery; says how large that became. */
const source = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { atMost } from './src/report/reading/report-parts.js'
  async function* chunks() { for (let at = 0; at < Number(process.argv[2]); at++) yield new Uint8Array(1e6) }
  for await (const _ of atMost(1e9, chunks(), 'report'));
  const kept = []
  let most = 0
  for (let at = 0; at < 1e6; at++) {
    kept.push({ at })
    if (at % 1e4 === 0) {
      const size = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
      most = Math.max(most, size)
    }
  }
  console.log(most)`

test('of a report of more than 16 MB, what reading leaves behind is collected before it adds up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'large-report-'))
  try {
    const program = join(folder, 'program.mjs')
    await build({
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error', outfile: program },
      stdin: { contents: source, resolveDir: process.cwd(), loader: 'ts' },
      // Some packages in it are CommonJS and ask for Node's modules.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
      },
    })
    const nurseryAfter = async (megabytes: number) =>
      Number((await promisify(execFile)(process.execPath, [program, String(megabytes)])).stdout)
    // It reaches a third, more or less, as the machine comes to collect.
    expect(await nurseryAfter(16)).toBeGreaterThan(2 * (await nurseryAfter(17)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
