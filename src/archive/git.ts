import { execFile } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArchiveError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { cause, errorCode, quoted } from './faults.js'

/** What Git knows about a folder. Paths are raw bytes relative to that folder. */
export interface GitListing {
  /** Path as latin1 text, so that any bytes survive, to the mode in Git's index (octal 100644, 100755, 120000, 160000). */
  tracked: Map<string, number>
  /** Not tracked and not ignored; a nested repository ends in `/`. */
  others: Buffer[]
  /** Whether Git takes exec bits from the file system (core.fileMode). */
  fileMode: boolean
  /** Whether links are links in this working tree (core.symlinks); else they are files with the target as text. */
  symlinks: boolean
  /** What Git complained about while it listed. */
  warnings: string[]
}

/** The closest folder at or above `folder` that has a `.git`. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isRepository(at)) return at
    if (dirname(at) === at) return undefined
  }
}

/** Whether a `.git`, a folder or a file, stands in the folder. */
export async function isRepository(folder: string): Promise<boolean> {
  try {
    await lstat(join(folder, '.git'))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new ArchiveError(
      `Whether ${quoted(folder)} is a Git repository could not be found out: ${cause(error)}. Make the folder readable for the user of this job.`,
      { cause: error },
    )
  }
}

/** `folder` lies in the working tree of `repository`; only what lies below `folder` is listed. */
export async function listRepository(
  folder: string,
  repository: string,
  signal?: AbortSignal,
): Promise<GitListing> {
  const at = { folder, repository, signal }
  const [index, others, settings] = await Promise.all([
    git(['ls-files', '-z', '--cached', '--stage'], at),
    git(['ls-files', '-z', '--others', '--exclude-standard'], at),
    git(['config', '-z', '--type=bool', '--get-regexp', '^core\\.(filemode|symlinks)$'], at, [0, 1]),
  ])
  const tracked = new Map<string, number>()
  for (const record of records(index.stdout)) {
    // "<mode> <object> <stage>\t<path>"; a conflict lists a path up to three times.
    tracked.set(
      record.toString('latin1', record.indexOf(9) + 1),
      parseInt(record.toString('latin1', 0, 6), 8),
    )
  }
  const setting = settings.stdout.toString('utf8').split('\0')
  return {
    tracked,
    others: records(others.stdout),
    fileMode: setting.findLast((s) => s.startsWith('core.filemode\n')) !== 'core.filemode\nfalse',
    symlinks: setting.findLast((s) => s.startsWith('core.symlinks\n')) !== 'core.symlinks\nfalse',
    warnings: [...index.stderr.split('\n'), ...others.stderr.split('\n')].filter(
      (line) => line.trim() !== '',
    ),
  }
}

/** The address of the remote `origin`, or undefined when there is none. */
export async function originOf(repository: string, signal?: AbortSignal): Promise<string | undefined> {
  const { stdout } = await git(
    ['config', '--get', 'remote.origin.url'],
    { folder: repository, repository, signal },
    [0, 1],
  )
  const url = stdout.toString('utf8').trim()
  return url === '' ? undefined : url
}

interface Place {
  folder: string
  repository: string
  signal: AbortSignal | undefined
}

/** Runs Git and takes the given exit codes for success. */
async function git(
  args: readonly string[],
  { folder, repository, signal }: Place,
  codes: readonly number[] = [0],
): Promise<{ stdout: Buffer; stderr: string }> {
  const options = {
    // Not the packed folder: Windows would prefer a git.exe that lies there.
    cwd: dirname(process.execPath),
    env: environment(process.env, repository),
    encoding: 'buffer' as const,
    maxBuffer: 1 << 30,
    timeout: 5 * 60_000,
    windowsHide: true,
    ...(signal && { signal }),
  }
  try {
    return await new Promise((resolve, reject) => {
      execFile('git', ['-C', folder, ...args], options, (error, stdout, stderr) => {
        const text = stderr.toString('utf8')
        if (!error || (typeof error.code === 'number' && codes.includes(error.code))) {
          resolve({ stdout, stderr: text })
        } else reject(gitFault(error, text, folder, repository))
      })
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

function gitFault(
  error: Error & { killed?: boolean },
  stderr: string,
  folder: string,
  repository: string,
): Error {
  if (errorCode(error) === 'ENOENT') {
    return new ArchiveError(
      `${quoted(folder)} belongs to a Git repository, but the program git was not found, so ignored files cannot be told from others. Install git in the job's container.`,
      { cause: error },
    )
  }
  if (stderr.includes('dubious ownership') || stderr.includes('unsafe repository')) {
    return new ArchiveError(
      `Git refuses to read ${quoted(repository)} because it belongs to another user. Run "git config --global --add safe.directory ${oneLine(repository)}" in a step before this one, or use Git 2.38 or later.`,
      { cause: error },
    )
  }
  const said =
    error.killed === true ? 'it gave no answer within five minutes' : oneLine(stderr) || cause(error)
  return new ArchiveError(
    `Git could not list the files of ${quoted(folder)}: ${said}. Repair the repository, or leave the folder out with the input exclude.`,
    { cause: error },
  )
}

// A hook or an outer git sets these for its own repository ("git rev-parse --local-env-vars").
const foreign =
  /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|CONFIG|CONFIG_PARAMETERS|GRAFT_FILE|SHALLOW_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|INTERNAL_SUPER_PREFIX|NAMESPACE|CEILING_DIRECTORIES|TRACE\w*|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS)$/

function environment(from: NodeJS.ProcessEnv, repository: string): NodeJS.ProcessEnv {
  const env = Object.fromEntries(Object.entries(from).filter(([name]) => !foreign.test(name)))
  const taken = Number(env.GIT_CONFIG_COUNT ?? '0')
  const first = Number.isSafeInteger(taken) && taken > 0 ? taken : 0
  const settings: [string, string][] = [
    // In a container the workspace often belongs to another user; only this repository is trusted.
    ['safe.directory', repository.replaceAll('\\', '/')],
    // A repository's own settings must not make Git start a program.
    ['core.fsmonitor', 'false'],
  ]
  settings.forEach(([key, value], i) => {
    env[`GIT_CONFIG_KEY_${first + i}`] = key
    env[`GIT_CONFIG_VALUE_${first + i}`] = value
  })
  env.GIT_CONFIG_COUNT = String(first + settings.length)
  return { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
}

function records(output: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let start = 0, end = output.indexOf(0); end >= 0; start = end + 1, end = output.indexOf(0, start)) {
    found.push(output.subarray(start, end))
  }
  return found
}
