import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ArchiveError } from '../errors.js'
import { readRegularFile } from '../text/regular-file.js'
import { didYouMean } from '../text/nearest.js'
import { type Candidate, Rules, Search } from './candidates.js'
import { cause, errorCode, Faults, quoted } from './faults.js'
import { repositoryOf } from './git.js'
import { decodeName, linkFault, Links, nameFault } from './names.js'

/** One file or link for the archive, as it was when it was listed. */
export interface SourceFile {
  /** Relative to the packed folder, with `/`. */
  name: string
  path: string
  /** Size of a file, or of a link's target. */
  bytes: number
  executable: boolean
  /** Milliseconds, and the number of the file in its file system, to notice a change. */
  modified: number
  inode: number
  /** Where a symbolic link leads, as text, with `/`; absent for a file. */
  target?: string
  /** Follows the content of the file in the archive. */
  appended?: string
}

export interface Listing {
  /** The packed folder, without links in its path. */
  root: string
  /** Sorted by the bytes of their names. */
  files: SourceFile[]
  /** What the reader should know, as sentences: missing submodules, nested repositories. */
  notices: string[]
  /** Build and IDE folders that were left out without being asked for. */
  leftOut: string[]
  /** What Git tracks and is not on the disk: deleted, not checked out, or with a name that the system cannot have. */
  absent: string[]
  /** Sentences on patterns of `exclude` that match nothing. */
  unused: string[]
}

export interface ListOptions {
  /** Patterns in gitignore syntax, for tracked files too. */
  exclude: readonly string[]
  signal?: AbortSignal
  /** A path that is left out, such as the archive itself when it is written into the folder. */
  skip?: string
  /** Where exec bits come from if Git does not say: `index` on Windows, whose disks have none. */
  modes?: 'disk' | 'index'
}

/** A link's text longer than this is not a path. */
const longestTarget = 4096

const leaveOut = 'leave them out with the input exclude.'

/** What Git tracks or would add of the folder; outside Git every file except metadata and build products. */
export async function listFiles(source: string, options: ListOptions): Promise<Listing> {
  const root = await folder(source)
  const faults = new Faults()
  const rules = new Rules(options.exclude)
  const search = new Search(root, rules, faults, options.signal)
  const repository = await repositoryOf(root)
  if (repository === undefined) await search.folder('')
  else await search.repository('', repository)

  const look = new Look(root, faults, options.modes ?? (process.platform === 'win32' ? 'index' : 'disk'))
  const files: SourceFile[] = []
  const absent: string[] = []
  const skip = options.skip === undefined ? undefined : await realpath(options.skip).catch(() => undefined)
  for (const [i, candidate] of search.found.entries()) {
    // Gives a signal the chance to arrive; the calls in between are short, and cheaper than asynchronous ones.
    if (i % 2000 === 0) await setImmediate()
    options.signal?.throwIfAborted()
    const file = look.at(candidate)
    if (file && file.path !== skip) files.push(file)
    else if (file === undefined && candidate.mode !== undefined) absent.push(candidate.name)
  }
  checkLinks(root, files, faults)
  faults.throwIfAny(`The folder ${quoted(root)} cannot be packed`)
  return {
    root,
    files: files
      .map((file) => ({ file, key: Buffer.from(file.name) }))
      .sort((a, b) => Buffer.compare(a.key, b.key))
      .map(({ file }) => file),
    notices: search.notices,
    leftOut: rules.leftOut,
    absent,
    // What is there all the same, Git leaves out itself.
    unused: rules.unused
      .filter((one) => !existsSync(join(root, one)))
      .map((one) => unusedSentence(one, files)),
  }
}

function unusedSentence(pattern: string, files: readonly SourceFile[]): string {
  const folders = files.flatMap(({ name }) =>
    [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index)),
  )
  const near = didYouMean(
    pattern.replaceAll('\\', '/').replace(/^(?:\.?\/)+|\/?\**$/g, ''),
    new Set([...folders, ...files.map(({ name }) => name)]),
  )
  return `exclude: ${quoted(pattern)} matches nothing that would be packed.${near === undefined ? '' : ` ${near}`}`
}

async function folder(source: string): Promise<string> {
  const stats = await stat(source).catch((error: unknown) => {
    const reason = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${cause(error)}`
    throw new ArchiveError(
      `The folder to pack, ${quoted(source)}, ${reason}. Check the repository out before this step, or set the input source.`,
      { cause: error },
    )
  })
  if (!stats.isDirectory()) {
    throw new ArchiveError(
      `The input source is ${quoted(source)}, which is a file. Name a folder, or a file that ends in .zip.`,
    )
  }
  return realpath(source)
}

/** Looks at what is at the paths of candidates. */
class Look {
  readonly #realFolders = new Map<string, boolean>()

  constructor(
    readonly root: string,
    readonly faults: Faults,
    readonly modes: 'disk' | 'index',
  ) {}

  /** Undefined for what no longer exists, such as a tracked file that was deleted. */
  at(candidate: Candidate): SourceFile | undefined {
    try {
      return this.#at(candidate)
    } catch (error) {
      const code = errorCode(error)
      if (code === undefined) throw error
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      this.faults.add(
        `Files that cannot be read (${code})`,
        candidate.name,
        `Make them readable, or ${leaveOut}`,
      )
      return undefined
    }
  }

  #at(candidate: Candidate): SourceFile | undefined {
    const { name } = candidate
    const path = join(this.root, name)
    const stats = lstatSync(path)
    // A folder that became a link hides tracked files below it; what it leads to is not the repository's.
    if (!this.#isRealFolder(above(name))) return undefined
    const wrong = nameFault(name)
    if (wrong !== undefined) {
      this.faults.add(wrong, name, `Rename them, or ${leaveOut}`)
      return undefined
    }
    const file = { name, path, modified: stats.mtimeMs, inode: stats.ino, executable: false }
    if (stats.isSymbolicLink()) return this.#link(file, readlinkSync(path, { encoding: 'buffer' }))
    if (stats.isFile()) {
      const asText = candidate.mode === 0o120000 && !candidate.symlinks && stats.size <= longestTarget
      if (asText) return this.#link(file, readRegularFile(path, longestTarget))
      return { ...file, bytes: stats.size, executable: this.#executable(candidate, stats) }
    }
    if (!stats.isDirectory())
      this.faults.add('Sockets, pipes and devices', name, `Remove them, or ${leaveOut}`)
    return undefined
  }

  #link(file: Omit<SourceFile, 'bytes'>, raw: Uint8Array): SourceFile | undefined {
    const text = decodeName(raw)
    if (text === undefined) {
      this.faults.add('Symbolic links whose target is not UTF-8', file.name, 'Rename their targets.')
      return undefined
    }
    const target = sep === '\\' ? text.replaceAll('\\', '/') : text
    return { ...file, bytes: Buffer.byteLength(target), target }
  }

  #executable({ mode, fileModes, name }: Candidate, stats: Stats): boolean {
    if (this.modes === 'disk' && fileModes) return (stats.mode & 0o100) !== 0
    // Without exec bits on disk an untracked wrapper could not run; Maven and Gradle name them so.
    return mode === undefined ? /(^|\/)(mvnw|gradlew)$/.test(name) : mode === 0o100755
  }

  /** `name` is relative to the root, which is the empty one. */
  #isRealFolder(name: string): boolean {
    if (name === '') return true
    const known = this.#realFolders.get(name)
    if (known !== undefined) return known
    const stats = lstatSync(join(this.root, name), { throwIfNoEntry: false })
    const real = stats?.isDirectory() === true && this.#isRealFolder(above(name))
    this.#realFolders.set(name, real)
    return real
  }
}

function above(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}

function checkLinks(root: string, files: readonly SourceFile[], faults: Faults): void {
  const targets = new Map<string, string>()
  for (const { name, target } of files) if (target !== undefined) targets.set(name, target)
  const links = new Links(targets)
  for (const { name, path, target } of files) {
    if (target === undefined) continue
    const wrong =
      linkFault(links.destination(name)) ?? (leavesOnDisk(root, path) ? linkFault('outside') : undefined)
    if (wrong === undefined) continue
    faults.add(wrong, `${name} -> ${target}`, `Put the files themselves there, or ${leaveOut}`)
  }
}

/** Asks the file system too: a link can lead through one that is not packed. */
function leavesOnDisk(root: string, path: string): boolean {
  try {
    const end = realpathSync(path)
    return end !== root && !end.startsWith(root.endsWith(sep) ? root : root + sep)
  } catch {
    // It leads nowhere, and its name has already been checked.
    return false
  }
}
