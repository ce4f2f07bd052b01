import { build } from 'esbuild'

/** Builds the worker that xpath gates are evaluated in, as the bundle has it. */
export async function buildXPathWorker(outfile: string): Promise<void> {
  await build({
    entryPoints: ['src/xml/xpath-worker.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
}
