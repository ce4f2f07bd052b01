import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { harmlessEnvironment, run } from './child.js'
import { unpack } from './unpack.js'
import { Missing } from './missing.js'

/** A release of the engine on this machine. */
export interface Release {
  /** Such as 9.2.2. */
  version: string
  home: string
}

/** Version lines of the engine that the sandbox runs; 6.x is retired. */
export type Line = '9.x' | '10.x'

/** The newest release of a line, in Maven's notation. */
const ranges: Record<Line, string> = { '9.x': '[9.0.0,10.0.0-alpha)', '10.x': '[10.0.0-alpha,11.0.0-alpha)' }

export function lineOf(version: string): Line | undefined {
  return version.startsWith('9.') ? '9.x' : version.startsWith('10.') ? '10.x' : undefined
}

/** The user's own installation. @throws Error if there is none */
export async function installedRelease(home: string): Promise<Release> {
  const names = await readdir(path.join(home, 'lib')).catch(() => [])
  const [, version] = names.map((name) => /^xlt-(\d.*)\.jar$/.exec(name)).find(Boolean) ?? []
  if (version === undefined || !existsSync(path.join(home, 'config'))) {
    throw new Error(`No engine is installed at ${home}. Name a folder with its lib and config.`)
  }
  return { version, home: path.resolve(home) }
}

/** The newest release of the line in the cache. */
export async function fetchedRelease(line: Line, cache: string): Promise<Release | undefined> {
  const names = await readdir(cache).catch(() => [])
  const versions = names
    .flatMap((name) => (name.startsWith('xlt-') ? [name.slice('xlt-'.length)] : []))
    .filter((version) => lineOf(version) === line)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  const version = versions.at(-1)
  return version === undefined ? undefined : installedRelease(path.join(cache, `xlt-${version}`))
}

export interface Fetching {
  cache: string
  javaHome: string
  maven: string
  signal: AbortSignal
  onProgress: (text: string) => void
}

/**
 * Fetches the newest release of a line through Maven, which verifies it with the repository's checksums, and unpacks
 * it into the cache.
 *
 * @throws Missing if the repository cannot be reached, else Error: what failed
 */
export async function fetchRelease(line: Line, fetching: Fetching): Promise<Release> {
  const { cache, javaHome, maven, signal, onProgress } = fetching
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(path.join(cache, 'fetching-'))
  // Megabytes at which progress is reported next.
  let next = 0
  try {
    await writeFile(path.join(folder, 'pom.xml'), pom(ranges[line]))
    const { code, lastLines } = await run(
      {
        program: maven,
        // --strict-checksums: a file that differs from its checksum ends the build.
        args: ['--strict-checksums', 'dependency:copy-dependencies', '-DoutputDirectory=.'],
        cwd: folder,
        env: harmlessEnvironment(javaHome),
        log: path.join(folder, 'log'),
      },
      {
        signal,
        onLine: (line) => {
          const [, progress, done] = /^Progress \(1\): (([\d.]+)\S* MB)/.exec(line) ?? []
          if (progress === undefined || Number(done) < next) return
          onProgress(progress)
          next = Number(done) + 10
        },
      },
    )
    const zip = (await readdir(folder)).find((name) => name.endsWith('.zip'))
    if (code !== 0 || zip === undefined) {
      const isReached = !unreachable.test(await readFile(path.join(folder, 'log'), 'utf8'))
      throw new (isReached ? Error : Missing)(fetchFault(line, lastLines))
    }
    onProgress('unpacking')
    const unpacked = await unpack(path.join(folder, zip), path.join(folder, 'unpacked'))
    const target = path.join(cache, zip.replace(/\.zip$/, ''))
    // In one step: a partial one is never found. Another sandbox may have been faster.
    if (!existsSync(target)) await rename(unpacked, target)
    return await installedRelease(target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What Maven prints if the repository does not answer at all; one that answers shows as a status. */
const unreachable =
  /Could not transfer (?!.*status).*(?:transfer failed for|Connect|timed out|Unknown host|No route|unreachable)/

function fetchFault(line: Line, lastLines: readonly string[]): string {
  const plain = lastLines.map((text) => text.replace(/\u001b\[[\d;]*m/g, ''))
  const reason = plain.find((text) => /^\[ERROR\] \S/.test(text))?.slice('[ERROR] '.length)
  return `The engine of line ${line} could not be fetched through Maven${reason === undefined ? '' : ` (${reason})`}. Check the network and Maven's settings, or name an installation with --engine-home.`
}

function pom(range: string): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sandbox</groupId>
  <artifactId>engine</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>com.xceptance</groupId>
      <artifactId>xlt</artifactId>
      <version>${range}</version>
      <type>zip</type>
      <!-- The ZIP holds all that the engine needs. -->
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
  </dependencies>
</project>
`
}
