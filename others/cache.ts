import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/** Where the programs of others lie between two calls. */
export const cache = process.env['OTHERS_CACHE'] ?? path.join(homedir(), '.cache/load-test-action/others')

export interface Ran {
  code: number | null
  /** What it wrote to stdout and stderr, as it came. */
  output: string
}

interface RunOptions {
  cwd?: string
  /** Besides those of this process. */
  env?: Readonly<Record<string, string>>
  /** Seconds until it is killed, with all that it started; then its code is null. */
  seconds?: number
  /** It alone gets SIGINT, as from a keyboard, once what it wrote has this. */
  interruptAt?: RegExp
}

/** Runs a program of others to its end. */
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
      // All of them have ended.
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

/** A program of Go's registry, as one file. */
export function goProgram(module: string, version: string): Promise<string> {
  const name = path.basename(module)
  return install(name, version, 'go', async (folder) => {
    await must('go', ['install', `${module}@v${version}`], { env: { GOBIN: folder } })
    return name
  })
}

/** A program of Python's registry, in an environment of its own. */
export function pythonProgram(name: string, version: string): Promise<string> {
  return install(name, version, 'python3', async (folder) => {
    // An environment cannot be moved once it is made.
    await must('python3', ['-m', 'venv', folder])
    await must(path.join(folder, 'bin/pip'), ['install', '-q', `${name}==${version}`])
    return `bin/${name}`
  })
}

/** Packages of npm's registry, in a folder beside this project's own. @returns the folder */
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

/** Installs once; half an installation is never taken for a whole one. @returns where its file lies */
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

/** Why a program of others cannot be tried on this machine, and how to get it. */
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
