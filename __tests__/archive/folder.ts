import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { python3 } from '../python.js'

const execute = promisify(execFile)

/** A real folder for one test, with the few operations that tests need. */
export class Folder {
  private constructor(readonly path: string) {}

  static async make(): Promise<Folder> {
    return new Folder(await realpath(await mkdtemp(join(tmpdir(), 'archive-test-'))))
  }

  at(name: string): string {
    return join(this.path, name)
  }

  /** Name to content. Synchronous: a test may have thousands, and each wait costs more than the file. */
  write(files: Record<string, string | Uint8Array>, mode?: number): Promise<void> {
    const folders = new Set(Object.keys(files).map((name) => dirname(this.at(name))))
    for (const folder of folders) mkdirSync(folder, { recursive: true })
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(this.at(name), content)
      if (mode !== undefined) chmodSync(this.at(name), mode)
    }
    return Promise.resolve()
  }

  async link(name: string, target: string): Promise<void> {
    await mkdir(dirname(this.at(name)), { recursive: true })
    await symlink(target, this.at(name))
  }

  /** Runs git in a folder below, with an identity and without the machine's own settings. */
  async git(below: string, ...args: string[]): Promise<string> {
    return run('git', ['-C', this.at(below), ...settings, ...args], { GIT_CONFIG_GLOBAL: '/dev/null' })
  }

  /** A repository with all files of the folder committed. */
  async commitAll(below = ''): Promise<void> {
    cpSync(await emptyRepository(), this.at(below), { recursive: true })
    await this.git(below, 'add', '-A')
    await this.git(below, 'commit', '-q', '--allow-empty', '-m', 'all')
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

const settings = [
  ...['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org'],
  ...['-c', 'protocol.file.allow=always', '-c', 'commit.gpgsign=false', '-c', 'maintenance.auto=false'],
]

let empty: string | undefined

/** A folder with nothing but `.git`, made once: starting Git takes longer than copying it. */
async function emptyRepository(): Promise<string> {
  if (empty !== undefined) return empty
  const folder = mkdtempSync(join(tmpdir(), 'empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await run('git', ['init', '-q', '-b', 'main', folder], { GIT_CONFIG_GLOBAL: '/dev/null' })
  rmSync(join(folder, '.git/hooks'), { recursive: true })
  return (empty = folder)
}

/** Standard output of a program; throws its standard error. */
export async function run(
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 28 }
  return (await execute(program, args, options)).stdout
}

/** A script of Python 3; `args` are in sys.argv from 1 on. */
export async function python(script: string, ...args: string[]): Promise<string> {
  // -S: without the machine's packages; searching them takes longer than most scripts.
  return run(python3(), ['-S', '-c', script, ...args])
}

/** The message with which a promise rejects. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return String(error)
  }
  throw new Error('nothing was thrown')
}

/** Whether a program exists on this machine. */
export async function exists(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  )
}
