import { existsSync } from 'node:fs'
import path from 'node:path'
import { harmlessEnvironment, run } from './child.js'
import { unpack } from './unpack.js'

/** What builds need from this machine. */
export interface BuildTools {
  /** Of a JDK. */
  javaHome: string
  /** Path of this machine's Maven, for suites without a wrapper. */
  maven: string
}

export interface BuildWatch {
  signal: AbortSignal
  onLine: (line: string) => void
}

const mavenGoals = [
  ...[
    '--batch-mode',
    '-Dstyle.color=never',
    '--no-transfer-progress',
    'process-classes',
    'process-test-classes',
  ],
  ...['dependency:copy-dependencies', '-DexcludeScope=provided'],
]
/** What Maven and the JVM print around the reason. */
const isNoise = /^WARNING|^\[ERROR\] *(?:$|To see the full|Re-run Maven|For more information|\[Help \d)/
const gradleTasks = ['--console=plain', '--no-daemon', 'classes', 'testClasses']

/**
 * Unpacks a code archive and builds it as the service does, using the build tools' caches.
 *
 * @returns the folder of the built suite
 * @throws Error with the last lines of the build if it fails
 */
export async function buildSuite(
  codeArchive: string,
  folder: string,
  tools: BuildTools,
  watch: BuildWatch,
): Promise<string> {
  const suite = await unpack(codeArchive, folder)
  await buildFolder(suite, path.join(folder, 'build.log'), tools, watch)
  return suite
}

/** Builds the suite in its folder. @throws Error with the last lines of the build if it fails */
export async function buildFolder(
  suite: string,
  log: string,
  { javaHome, maven }: BuildTools,
  watch: BuildWatch,
): Promise<void> {
  const has = (name: string) => existsSync(path.join(suite, name))
  const [program, args] = has('pom.xml')
    ? [has('mvnw') ? './mvnw' : maven, mavenGoals]
    : [has('gradlew') ? './gradlew' : 'gradle', gradleTasks]
  // Through the shell, because an archive from elsewhere may have lost its wrapper's exec bit.
  const [shown, started] = program.startsWith('./') ? ['sh', [program, ...args]] : [program, args]
  const built = await run(
    {
      program: shown,
      args: started,
      cwd: suite,
      env: harmlessEnvironment(javaHome, { MAVEN_OPTS: '-Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1' }),
      log,
    },
    watch,
  ).catch((cause: unknown) => {
    watch.signal.throwIfAborted()
    throw new Error(
      program === 'gradle'
        ? 'The test suite could not be built: it has no gradlew, and no gradle is on the PATH. Add the wrapper to the suite, or install Gradle.'
        : `The test suite could not be built: ${program} cannot be started.`,
      { cause },
    )
  })
  if (built.code === 0) return
  const told = built.lastLines.filter((line) => line.trim() !== '' && !isNoise.test(line)).slice(-12)
  throw new Error(`The test suite could not be built. The last lines of the build:\n${told.join('\n')}`)
}
