import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const WANTED_MAJOR = 24

/** What the choice depends on, so that a test can describe another machine. */
export interface Machine {
  execPath: string
  version: string
  platform: string
  arch: string
  /** Returns the file of an installed package; throws if the package is not installed. */
  resolve(packageFile: string): string
}

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  const require = createRequire(import.meta.url)
  return {
    execPath: process.execPath,
    version: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    resolve: (packageFile) => require.resolve(packageFile),
  }
}

/**
 * Path of the Node for `using: node24`: the current one if it is new enough, else that of the optional package
 * node-<platform>-<arch>. There is none for every platform; without it, the current one is taken, which is not what a
 * runner has, but which dist/ runs on too.
 */
export function node24(machine: Machine = thisMachine()): string {
  if (isNewEnough(machine)) return machine.execPath
  return installedNode(machine, `node-${machine.platform}-${machine.arch}`) ?? machine.execPath
}

/** What to say where the step does not run on the Node that a runner has, or undefined. */
export function otherNode(machine: Machine = thisMachine()): string | undefined {
  if (isNewEnough(machine) || node24(machine) !== machine.execPath) return undefined
  return `The step runs on Node ${machine.version} here, not on Node ${WANTED_MAJOR} as on a runner.`
}

function isNewEnough({ version }: Machine): boolean {
  return Number.parseInt(version, 10) >= WANTED_MAJOR
}

function installedNode(machine: Machine, name: string): string | undefined {
  let manifest: string
  try {
    manifest = machine.resolve(`${name}/package.json`)
  } catch {
    return undefined
  }
  const binary = join(manifest, '..', 'bin', machine.platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(binary) ? binary : undefined
}
