import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const WANTED_MAJOR = 24

/** There is no Node 24 to run an action on. */
export class Node24Error extends Error {
  override name = 'Node24Error'
}

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
 * Path of a Node that can run `using: node24`: the current one if it is new enough, else that of the optional package
 * node-<platform>-<arch>.
 */
export function node24(machine: Machine = thisMachine()): string {
  if (Number.parseInt(machine.version, 10) >= WANTED_MAJOR) return machine.execPath
  const name = `node-${machine.platform}-${machine.arch}`
  const found = installedNode(machine, name)
  if (found !== undefined) return found
  throw new Node24Error(
    `An action runs on Node ${WANTED_MAJOR}, but this process is Node ${machine.version} and the optional package ` +
      `${name} is not installed. Start with Node ${WANTED_MAJOR} or later, or run npm ci with optional packages.`,
  )
}

function installedNode(machine: Machine, name: string): string | undefined {
  let manifest: string
  try {
    manifest = machine.resolve(`${name}/package.json`)
  } catch {
    return undefined
  }
  const binary = join(manifest, '..', 'bin', 'node')
  return existsSync(binary) ? binary : undefined
}
