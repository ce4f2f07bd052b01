import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const isNewEnough = Number.parseInt(process.versions.node, 10) >= 24

/**
 * Path of the Node for `using: node24`: the current one if it is new enough, else that of the optional package
 * node-<platform>-<arch>. There is none for every platform; without it, the current one is taken, which is not what a
 * runner has, but which dist/ runs on too.
 */
export function node24(): string {
  if (isNewEnough) return process.execPath
  try {
    const require = createRequire(import.meta.url)
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`)
    const binary = join(manifest, '..', 'bin', 'node')
    return existsSync(binary) ? binary : process.execPath
  } catch {
    return process.execPath
  }
}

/** What to say where the step does not run on the Node that a runner has, or undefined. */
export function otherNode(): string | undefined {
  if (isNewEnough || node24() !== process.execPath) return undefined
  return `The step runs on Node ${process.versions.node} here, not on Node 24 as on a runner.`
}
