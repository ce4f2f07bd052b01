import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Bundles a file of the project into one program: neither a compiler nor the loading of hundreds of modules is
 * measured.
 *
 * @param entry relative to the project
 * @returns the program's path
 */
export async function built(entry: string, folder: string): Promise<string> {
  const outfile = path.join(folder, 'programs', `${path.basename(entry, '.ts')}.mjs`)
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    // CommonJS packages call require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  return outfile
}
