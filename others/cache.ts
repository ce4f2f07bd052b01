import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/** The folder that keeps other people's programs between calls. */
export const cache = process.env['OTHERS_CACHE'] ?? path.join(homedir(), '.cache/load-test-action/others')

export interface Ran {
  code: number | null
  /** What it wrote to stdout and stderr, in order. */
  output: string
}

interface RunOptions {
  cwd?: string
  /** In addition to those of this process. */
  env?: Readonly<Record<string, string>>
  /** Seconds until it is killed, with everything that it started; then its code is null. */
  seconds?: number
  /** Once its output contains this, it alone gets SIGINT, as from a keyboard. */
  interruptAt?: RegExp
}

/** Runs other people's program to its end. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { cwd, env = {}, seconds = 60 } = options
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  let interruptAt = options.interruptAt
  const read = (chunk: Buffer): void => {
    output += chunk.toString()
    if (!interruptAt?.test(output)) return
    interruptAt = undefined
    child.kill('SIGINT')
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them have already ended.
    }
  }
  const timer = setTimeout(kill, seconds * 1000)
  process.once('exit', kill)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve)
    })
    return { code, output }
  } finally {
    clearTimeout(timer)
    process.off('exit', kill)
    kill()
  }
}

/** Installs programs: a call that shows that it is available, and what to install if it is not. */
interface Installer {
  command: string
  args: readonly string[]
  name: string
}
const go: Installer = { command: 'go', args: ['version'], name: 'Go' }
const python: Installer = {
  command: 'python3',
  args: ['-c', 'import venv, ensurepip'],
  name: 'Python 3 and its modules venv and ensurepip',
}

/** A program from Go's module proxy, as one file. */
export function goProgram(module: string, version: string): Promise<string> {
  const name = path.basename(module)
  return install(name, version, go, async (folder) => {
    await must('go', ['install', `${module}@v${version}`], { env: { GOBIN: folder } })
    return name
  })
}

/** A program of this project, of one Go file, for another system. */
export function goFile(file: string, name: string, env: Readonly<Record<string, string>>): Promise<string> {
  const version = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12)
  return install(name, version, go, async (folder) => {
    const built = { GOTOOLCHAIN: 'go1.21.0', CGO_ENABLED: '0', ...env }
    await must('go', ['build', '-o', path.join(folder, name), file], { env: built })
    return name
  })
}

/** A file of a package from npm's registry, whatever system it is for. */
export function npmFile(name: string, version: string, file: string): Promise<string> {
  const npm: Installer = { command: 'npm', args: ['--version'], name: 'npm' }
  return install(path.basename(file), version, npm, async (folder) => {
    const quiet = ['--force', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    await must('npm', ['install', ...quiet, `--prefix=${folder}`, `${name}@${version}`])
    return `node_modules/${name}/${file}`
  })
}

/** Java archives from Maven's registry, with all that they need. @returns their folder */
export async function mavenJars(artifacts: readonly string[], version: string): Promise<string> {
  const [group = '', name = ''] = artifacts[0]?.split(':') ?? []
  const of = (artifact: string) => {
    const [groupId, artifactId] = artifact.split(':')
    // A bill of materials that the registry has as a pom alone.
    const exclusions = `<exclusions><exclusion><groupId>${group}</groupId><artifactId>bom</artifactId></exclusion></exclusions>`
    return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version>${exclusions}</dependency>`
  }
  const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
    <groupId>none</groupId><artifactId>none</artifactId><version>1</version>
    <dependencies>${artifacts.map(of).join('')}</dependencies></project>`
  const maven: Installer = { command: 'mvn', args: ['-v'], name: 'Maven' }
  const at = await install(name, version, maven, async (folder) => {
    await writeFile(path.join(folder, 'pom.xml'), pom)
    await must('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], { cwd: folder })
    return 'pom.xml'
  })
  return path.join(path.dirname(at), 'lib')
}

/** A program from Python's registry, in a separate environment. */
export function pythonProgram(name: string, version: string): Promise<string> {
  return install(name, version, python, async (folder) => {
    // An environment cannot be moved once it exists.
    await must('python3', ['-m', 'venv', folder])
    // Compiled on import: most modules are never imported.
    const quiet = ['-q', '--no-compile', '--disable-pip-version-check']
    await must(path.join(folder, 'bin/pip'), ['install', ...quiet, `${name}==${version}`])
    return `bin/${name}`
  })
}

/** Installs once; a partial installation never counts as a complete one. @returns the path of its file */
async function install(
  name: string,
  version: string,
  installer: Installer,
  make: (folder: string) => Promise<string>,
): Promise<string> {
  const folder = path.join(cache, `${name}-${version}`)
  const done = path.join(folder, 'installed')
  if (existsSync(done)) return readFileSync(done, 'utf8')
  const there = await run(installer.command, installer.args).catch(() => undefined)
  if (there?.code !== 0)
    throw new NotHere(`It is installed with ${installer.name}, which this machine does not have.`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, await make(folder))
  await writeFile(`${done}.part`, file)
  await rename(`${done}.part`, done)
  return file
}

/** Why other people's program cannot be tried on this machine, and how to get it. */
export class NotHere extends Error {
  override name = 'NotHere'
}

async function must(command: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
  const { code, output } = await run(command, args, { seconds: 540, ...options })
  if (code === 0) return
  // The first line that looks like a reason; the rest is the tool's log or advice.
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const reason =
    lines.find((line) => /error|fail|cannot|could not|requires/i.test(line)) ?? lines.at(-1) ?? ''
  const called = [path.basename(command), ...args.filter((one) => !one.startsWith('-'))].join(' ')
  throw new NotHere(
    `${called} ended with ${String(code)}; is its registry reachable? It said: ${reason.trim()}`,
  )
}
