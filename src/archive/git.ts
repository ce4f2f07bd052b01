import { execFile, execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { ArchiveError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { fileFault } from '../text/regular-file.js'
import { cause, errorCode, Faults, quoted } from './faults.js'

interface GitPlace {
  /** At or below `repository`; what Git lists is relative to it. */
  folder: string
  /** The folder with the `.git`. */
  repository: string
  signal: AbortSignal | undefined
}

/** What Git knows about a folder. Paths are relative to that folder, and latin1 text, so that any bytes survive. */
interface GitListing {
  /** Path to the mode in Git's index (octal 100644, 100755, 120000, 160000). */
  tracked: Map<string, number>
  /** Not tracked and not ignored; a nested repository ends in `/`. */
  others: string[]
  /** Whether Git reads exec bits from the file system (core.fileMode). */
  fileMode: boolean
  /** Whether links are links in this working tree (core.symlinks); else they are files with the target as text. */
  symlinks: boolean
  /** Folders that Git could not open, relative to the repository, and why. Their files are not listed. */
  closed: { name: string; reason: string }[]
  /** What else Git complained about while it listed. */
  warnings: string[]
}

/** The closest folder at or above `folder` that has a `.git`. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isRepository(at)) return at
    if (dirname(at) === at) return undefined
  }
}

/** Whether the folder contains a `.git`, which may be a folder or a file. */
export async function isRepository(folder: string): Promise<boolean> {
  try {
    await lstat(join(folder, '.git'))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new ArchiveError(
      `Could not determine whether ${quoted(folder)} is a Git repository: ${cause(error)}. Make the folder readable for the user of this job, or its path shorter.`,
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
  ownFaults(folder, repository).throwIfAny(`The folder ${quoted(folder)} cannot be packed`)
  const at = { folder, repository, signal }
  const here = `--work-tree=${repository}`
  const [index, others, settings] = await Promise.all([
    git([here, 'ls-files', '-z', '--cached', '--stage'], at),
    git([here, 'ls-files', '-z', '--others', '--exclude-standard'], at),
    git(['config', '-z', '--bool', '--get-regexp', '^core\\.(filemode|symlinks)$'], at, [0, 1]),
    checkWorkTree(at),
  ])
  const tracked = new Map<string, number>()
  for (const record of records(index.stdout)) {
    // "<mode> <object> <stage>\t<path>"; a conflict lists a path up to three times.
    tracked.set(record.slice(record.indexOf('\t') + 1), parseInt(record.slice(0, 6), 8))
  }
  const setting = settings.stdout.toString('utf8').split('\0')
  return {
    tracked,
    others: records(others.stdout),
    fileMode: setting.findLast((s) => s.startsWith('core.filemode\n')) !== 'core.filemode\nfalse',
    symlinks: setting.findLast((s) => s.startsWith('core.symlinks\n')) !== 'core.symlinks\nfalse',
    ...complaints(index.stderr + others.stderr),
  }
}

export interface CheckedOut {
  /** The full hash of HEAD. */
  commit: string
  /** `owner/name` by the address of the remote `origin`, where that is an address on a server. */
  repository?: string
}

/** Of `https://host/owner/name.git`, `ssh://git@host/owner/name` or `git@host:owner/name`. */
const serverAddress =
  /^(?:https?:\/\/|ssh:\/\/|[\w.-]+@)[^/:]+(?::\d+)?[/:](?:.*\/)?([^/]+\/[^/]+?)(?:\.git)?\/?$/

/** The commit that is checked out in a folder or the closest one above it, up to `top`, if Git says so. */
export function checkedOut(folder: string, top: string): CheckedOut | undefined {
  const isBelow = !relative(top, folder).startsWith('..')
  let repository = folder
  while (!existsSync(join(repository, '.git'))) {
    if ((isBelow && repository === top) || repository === dirname(repository)) return undefined
    repository = dirname(repository)
  }
  if (ownFaults(repository, repository).any) return undefined
  const at = { folder: repository, repository }
  const commit = said(['rev-parse', '--verify', '--quiet', 'HEAD'], at)
  if (commit === undefined) return undefined
  // Not what included files say.
  const address = said(['config', '--local', '--no-includes', '--get', 'remote.origin.url'], at)
  const [, name] = serverAddress.exec(address ?? '') ?? []
  return { commit, ...(name === undefined ? {} : { repository: name }) }
}

/** The line that Git answers; undefined for none and for a fault. */
function said(args: readonly string[], at: Pick<GitPlace, 'folder' | 'repository'>): string | undefined {
  try {
    const options = { ...harmlessOptions(), timeout: 10_000 }
    return execFileSync('git', harmlessly(args, at), { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString('utf8')
      .trim()
  } catch {
    return undefined
  }
}

/** Git matches every path with every line of its ignore files. */
const mostIgnoreBytes = 2_000_000
/** Git's own files; the index grows with the repository. */
const mostOwnBytes = 500_000_000

const own = ['HEAD', 'config', 'config.worktree', 'index', 'info/exclude']

/** Files that would keep Git waiting or take all memory: it opens pipes and reads devices. */
function ownFaults(folder: string, repository: string): Faults {
  const faults = new Faults()
  const look = (name: string, most: number) => {
    // What cannot be read here cannot be read by Git either, and Git reports it.
    const stats = existsSync(name) ? statSync(name, { throwIfNoEntry: false }) : undefined
    const fault = stats && fileFault(stats, most)
    if (fault !== undefined)
      faults.add(`A file that Git needs cannot be read: ${fault}`, name, 'Replace or remove it.')
  }
  for (const name of own) look(join(repository, '.git', name), mostOwnBytes)
  for (let at = folder; ; at = dirname(at)) {
    look(join(at, '.gitignore'), mostIgnoreBytes)
    if (at === repository || at === dirname(at)) return faults
  }
}

function complaints(stderr: string): Pick<GitListing, 'closed' | 'warnings'> {
  const closed: GitListing['closed'] = []
  const rest = stderr.replace(
    /^warning: could not open directory '(.*?)(?:': ([^'\n]*))?$/gm,
    (_, name: string, reason?: string) => {
      // Git cuts its messages at 4 kB.
      closed.push({ name, reason: reason ?? 'its path is too long' })
      return ''
    },
  )
  return { closed, warnings: rest.split('\n').filter((line) => line.trim() !== '') }
}

/** @throws ArchiveError if the repository's settings say that its files lie elsewhere */
async function checkWorkTree({ repository, signal }: GitPlace): Promise<void> {
  const { stdout } = await git(['rev-parse', '--show-toplevel'], { folder: repository, repository, signal })
  const shown = stdout.toString('utf8').replace(/\n$/, '')
  const [there, here] = await Promise.all([realpath(shown).catch(() => shown), realpath(repository)])
  if (there === here) return
  throw new ArchiveError(
    `The Git repository ${quoted(repository)} keeps its files in another folder, as its setting core.worktree says: ${quoted(shown)}. Remove that setting, or set the input source to the other folder.`,
  )
}

function records(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1)
}

/** Minutes after which Git is ended: a file of the working tree may keep it waiting. */
const patience = 3

/** Runs Git on a repository that may be hostile: its settings may name programs. @param codes exit codes of a success */
async function git(
  args: readonly string[],
  at: GitPlace,
  codes: readonly number[] = [0],
): Promise<{ stdout: Buffer; stderr: string }> {
  const { signal } = at
  const options = { ...harmlessOptions(), timeout: patience * 60_000, ...(signal && { signal }) }
  try {
    return await new Promise((resolve, reject) => {
      execFile('git', harmlessly(args, at), options, (error, stdout, stderr) => {
        const text = stderr.toString('utf8')
        const ended = !error || (typeof error.code === 'number' && codes.includes(error.code))
        // If objects of the index are missing, Git lists what it can and reports success.
        if (ended && !/^error: /m.test(text)) resolve({ stdout, stderr: text })
        else reject(gitFault(error, text, at.folder))
      })
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

/**
 * Git gets the path of the repository, so it does not use another one inside the folder, and does not check the owner.
 * The settings override the repository's own, even in programs that Git starts.
 */
function harmlessly(
  args: readonly string[],
  { folder, repository }: Pick<GitPlace, 'folder' | 'repository'>,
): string[] {
  return [
    ...['-C', folder, `--git-dir=${join(repository, '.git')}`, '--no-pager'],
    ...['-c', 'core.fsmonitor='],
    ...['-c', 'core.hooksPath=/dev/null'],
    ...['-c', 'credential.helper='],
    ...['-c', 'fetch.bundleURI='],
    ...['-c', 'protocol.allow=never'],
    ...['-c', 'safe.bareRepository=explicit'],
    ...args,
  ]
}

// What Git needs to start and to find the settings of whoever runs the machine, such as their core.excludesFile.
const needed = new Set([
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_EXEC_PATH'],
  // Windows
  ...['PATHEXT', 'SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PROGRAMDATA', 'APPDATA', 'LOCALAPPDATA'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'TEMP', 'TMP'],
])

/** No input, no token, nothing from an outer Git; no transport and no fetching, whatever the settings say. */
function harmlessOptions() {
  const kept = Object.entries(process.env).filter(([name]) => needed.has(name.toUpperCase()))
  return {
    // Not the packed folder: Windows would prefer a git.exe in it.
    cwd: dirname(process.execPath),
    env: {
      ...Object.fromEntries(kept),
      LC_ALL: 'C',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_NO_LAZY_FETCH: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    encoding: 'buffer' as const,
    // No text is longer.
    maxBuffer: 500_000_000,
    windowsHide: true,
  }
}

function gitFault(
  error: (Error & { killed?: boolean }) | null,
  stderr: string,
  folder: string,
): ArchiveError {
  if (errorCode(error) === 'ENOENT') {
    return new ArchiveError(
      `${quoted(folder)} belongs to a Git repository, but the program git was not found, so ignored files cannot be recognized. Install git in the job's container.`,
      { cause: error },
    )
  }
  if (/promisor|not allowed|lazy fetching|^error: Could not read/m.test(stderr)) {
    return new ArchiveError(
      `Git could not list the files of ${quoted(folder)} without objects that the repository lacks. This step does not fetch them, because the repository would choose the program that does. Run "git ls-files" or "git sparse-checkout disable" in a step before this one, or leave the folder out with the input exclude.`,
      { cause: error },
    )
  }
  const why =
    error?.killed === true ? `it did not answer within ${patience} minutes` : oneLine(stderr) || cause(error)
  return new ArchiveError(
    `Git could not list the files of ${quoted(folder)}: ${why}. Repair the repository, or leave the folder out with the input exclude.`,
    { cause: error },
  )
}
