import { lstat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArchiveError } from '../../errors.js'
import { cause, errorCode, quoted } from '../faults.js'
import { unlessKept } from './git-files.js'
import { git, type GitPlace } from './git-process.js'

/** What Git knows about a folder. Paths are raw bytes relative to that folder. */
interface GitListing {
  /** Path as latin1 text, so that any bytes survive, to the mode in Git's index (octal 100644, 100755, 120000, 160000). */
  tracked: Map<string, number>
  /** Not tracked and not ignored; a nested repository ends in `/`. */
  others: Buffer[]
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
      `Could not determine whether ${quoted(folder)} is a Git repository: ${cause(error)}. Make the folder readable for the user of this job.`,
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
  const here = `--work-tree=${repository}`
  const [index, others, settings] = await unlessKept({ folder, repository, signal }, (until) => {
    const at = { folder, repository, signal: until }
    return Promise.all([
      git([here, 'ls-files', '-z', '--cached', '--stage'], at),
      git([here, 'ls-files', '-z', '--others', '--exclude-standard'], at),
      git(['config', '-z', '--type=bool', '--get-regexp', '^core\\.(filemode|symlinks)$'], at, [0, 1]),
      checkWorkTree(at),
    ])
  })
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
    ...complaints(index.stderr + others.stderr),
  }
}

function complaints(stderr: string): Pick<GitListing, 'closed' | 'warnings'> {
  const closed: GitListing['closed'] = []
  const rest = stderr.replace(
    /^warning: could not open directory '(.*?)(?:': ([^']*))?$/gm,
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
  const said = stdout.toString('utf8').replace(/\n$/, '')
  const [there, here] = await Promise.all([realpath(said).catch(() => said), realpath(repository)])
  if (there === here) return
  throw new ArchiveError(
    `The Git repository ${quoted(repository)} keeps its files in another folder, as its setting core.worktree says: ${quoted(said)}. Remove that setting, or set the input source to the other folder.`,
  )
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

function records(output: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let start = 0, end = output.indexOf(0); end >= 0; start = end + 1, end = output.indexOf(0, start)) {
    found.push(output.subarray(start, end))
  }
  return found
}
