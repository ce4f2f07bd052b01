import { spawn } from 'node:child_process'
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
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve)
    })
    return { code, output }
  } finally {
    clearTimeout(timer)
    kill()
  }
}

/** A program from Go's module proxy, as one file. */
export function goProgram(module: string, version: string): Promise<string> {
  const name = path.basename(module)
  return install(name, version, 'go', async (folder) => {
    await must('go', ['install', `${module}@v${version}`], { env: { GOBIN: folder } })
    return name
  })
}

/** A program from Python's registry, in a separate environment. */
export function pythonProgram(name: string, version: string): Promise<string> {
  return install(name, version, 'python3', async (folder) => {
    // An environment cannot be moved once it exists.
    await must('python3', ['-m', 'venv', folder])
    await must(path.join(folder, 'bin/pip'), ['install', '-q', `${name}==${version}`])
    return `bin/${name}`
  })
}

/** Packages from npm's registry, in a folder apart from this project's own. @returns the folder */
export async function npmPackages(
  name: string,
  version: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const dependencies = { [name]: version, ...more }
  const at = await install(name, version, 'npm', async (folder) => {
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    await must('npm', ['install', ...quiet], { cwd: folder })
    return 'package.json'
  })
  return path.dirname(at)
}

/** Installs once; a partial installation never counts as a complete one. @returns the path of its file */
async function install(
  name: string,
  version: string,
  tool: string,
  make: (folder: string) => Promise<string>,
): Promise<string> {
  const folder = path.join(cache, `${name}-${version}`)
  const done = path.join(folder, 'installed')
  if (existsSync(done)) return readFileSync(done, 'utf8')
  const there = await run(tool, [tool === 'go' ? 'version' : '--version']).catch(() => undefined)
  if (there?.code !== 0) throw new NotHere(`${name} is installed by ${tool}, which is not here: install it.`)
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
  throw new NotHere(
    `${[command, ...args].join(' ')} ended with ${code}: is its registry reachable?\n${output.slice(-2000)}`,
  )
}
