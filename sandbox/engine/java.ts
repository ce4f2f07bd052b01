import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { Missing } from './missing.js'

/** The engine needs this release of Java or a later one. */
export const oldestJava = 21

export interface Machine {
  env: Record<string, string | undefined>
  /** Folders with one JVM each. */
  systemJvms: readonly string[]
}

export function thisMachine(): Machine {
  const home = process.env['HOME'] ?? ''
  return {
    env: process.env,
    systemJvms: ['/usr/lib/jvm', '/usr/java', '/opt/java', '/Library/Java/JavaVirtualMachines'].concat(
      home === '' ? [] : [path.join(home, '.sdkman/candidates/java'), path.join(home, '.jdks')],
    ),
  }
}

/**
 * Home of a JDK that the engine and the builds can use: the one in JAVA_HOME, else the one on the PATH, else the
 * newest on this system.
 *
 * @throws Error naming what is missing
 */
export function findJdk({ env, systemJvms }: Machine): string {
  const onPath = programOnPath('javac', env)
  const named = [env['JAVA_HOME'], onPath && path.dirname(path.dirname(onPath))].filter(isText)
  const besides = named.map((home) => path.dirname(home))
  const system = [...new Set([...besides, ...systemJvms])]
    .flatMap(foldersIn)
    .flatMap((home) => [home, path.join(home, 'Contents/Home')])
    .sort((one, other) => jdkRelease(other) - jdkRelease(one))
  const found = [...named, ...system].find((home) => jdkRelease(home) >= oldestJava)
  if (found !== undefined) return found
  const seen = [...new Set([...named, ...system].map(jdkRelease))].filter((release) => release > 0)
  const there = seen.length > 0 ? `only release ${seen.join(' and ')}` : 'none'
  throw new Missing(
    `The engine needs a JDK of release ${oldestJava} or later, and ${there} was found. Install one, such as Eclipse Temurin 25, and name its folder in JAVA_HOME.`,
  )
}

/** Path of a program, with links resolved. */
export function programOnPath(name: string, env: Machine['env']): string | undefined {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(isText)
  const file = folders.map((folder) => path.join(folder, name)).find((one) => existsSync(one))
  return file === undefined ? undefined : realpathSync(file)
}

/** 0 if there is no JDK. */
function jdkRelease(home: string): number {
  if (!existsSync(path.join(home, 'bin/javac')) && !existsSync(path.join(home, 'bin/javac.exe'))) return 0
  try {
    const text = readFileSync(path.join(home, 'release'), 'utf8')
    const [, major = '0'] = /^JAVA_VERSION="?(?:1\.)?(\d+)/m.exec(text) ?? []
    return Number(major)
  } catch {
    return 0
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => path.join(folder, name))
  } catch {
    return []
  }
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
