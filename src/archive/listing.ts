import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, type Dirent } from 'node:fs'
import { realpath, stat, lstat, readdir } from 'node:fs/promises'
import { join, sep, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ArchiveError } from '../errors.js'
import { isBelow, readRegularFile } from '../text/regular-file.js'
import { didYouMean } from '../text/nearest.js'
import { cause, errorCode, Faults, quoted } from './faults.js'
import { repositoryOf, isRepository, listRepository } from './git.js'
import { above, decodeName, leaving, linkFault, linkTree, longestTarget, nameFault } from './names.js'
import ignore from 'ignore'
import type { Ignore } from 'ignore'
import { oneLine } from '../text/foreign-text.js'

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

function checkLinks(root: string, files: readonly SourceFile[], faults: Faults): void {
  const links = linkTree(files.flatMap(({ name, target }) => (target === undefined ? [] : name)))
  for (const { name, path, target } of files) {
    if (target === undefined) continue
    const wrong = linkFault(name, target, links) ?? (leavesOnDisk(root, path) ? leaving : undefined)
    if (wrong === undefined) continue
    faults.add(wrong, `${name} -> ${target}`, `Put the files themselves there, or ${leaveOut}`)
  }
}

/** Asks the file system too: a link can lead through one that is not packed. */
function leavesOnDisk(root: string, path: string): boolean {
  try {
    return !isBelow(root, realpathSync(path))
  } catch {
    // It leads nowhere, and its name has already been checked.
    return false
  }
}

/** A path that the rules put into the archive, before checking what is there. */
interface Candidate {
  /** Relative to the packed folder, with `/`. */
  name: string
  /** Mode in Git's index; absent when Git does not track the path. */
  mode?: number
  /** Whether exec bits and links come from the file system; otherwise they come from Git's index. */
  fileModes: boolean
  symlinks: boolean
}

/** Submodules and repositories within repositories go no deeper than this. */
const deepest = 30

const submodule = 0o160000

/** Finds the candidates of one folder and of all repositories in it. */
class Search {
  readonly found: Candidate[] = []
  readonly notices: string[] = []

  constructor(
    readonly root: string,
    readonly rules: Rules,
    readonly faults: Faults,
    readonly signal: AbortSignal | undefined,
  ) {}

  /** What Git tracks or would add below `prefix`, which is empty or ends in `/` and is in `repository`. */
  async repository(prefix: string, repository: string, depth = 0): Promise<void> {
    if (depth > deepest) {
      throw new ArchiveError(
        `Repositories are nested deeper than ${deepest} at ${quoted(prefix)}. Leave the inner ones out with the input exclude.`,
      )
    }
    const listing = await listRepository(join(this.root, prefix), repository, this.signal)
    for (const warning of listing.warnings) this.notices.push(`Git says: ${oneLine(warning)}`)
    const above = relative(repository, join(this.root, prefix))
    for (const { name, reason } of listing.closed) {
      const path = prefix + relative(above, name).replaceAll(sep, '/')
      if (path !== prefix && this.rules.leaveOut(`${path}/`, false)) continue
      this.faults.add(
        `Folders that Git cannot open (${reason})`,
        path || '.',
        'Make them readable or their paths shorter, or leave them out with the input exclude.',
      )
    }
    const { fileMode: fileModes, symlinks } = listing
    for (const [path, mode] of listing.tracked) {
      const name = this.#name(prefix, Buffer.from(path, 'latin1'), true)
      if (name === undefined) continue
      if (mode === submodule && (await this.#submodule(name, depth))) continue
      this.found.push({ name, mode, fileModes, symlinks })
    }
    for (const path of listing.others) {
      const name = this.#name(prefix, Buffer.from(path, 'latin1'), false)
      if (name === undefined) continue
      if (!name.endsWith('/')) this.found.push({ name, fileModes, symlinks })
      else await this.#nested(name, depth)
    }
  }

  /** Every file below `prefix`, which is not a Git repository; repositories further down are asked. */
  async folder(prefix: string, depth = 0): Promise<void> {
    this.signal?.throwIfAborted()
    let entries: Dirent<Buffer>[]
    try {
      entries = await readdir(join(this.root, prefix), { withFileTypes: true, encoding: 'buffer' })
    } catch (error) {
      throw new ArchiveError(
        `The folder ${prefix === '' ? 'of the input source' : quoted(prefix)} could not be read: ${cause(error)}. Make it readable, or leave it out with the input exclude.`,
        { cause: error },
      )
    }
    for (const entry of entries) {
      const end = entry.isDirectory() ? '/' : ''
      const name = this.#name(prefix, Buffer.concat([entry.name, Buffer.from(end)]), false)
      if (name === undefined) continue
      if (end === '') this.found.push({ name, fileModes: true, symlinks: true })
      else if (await isRepository(join(this.root, name))) await this.#nested(name, depth)
      else await this.folder(name, depth)
    }
  }

  async #nested(name: string, depth: number): Promise<void> {
    this.notices.push(`${quoted(name)} is a separate Git repository; its files are packed too.`)
    await this.repository(name, join(this.root, name), depth + 1)
  }

  /** False if there is something other than a submodule's folder at its path. */
  async #submodule(name: string, depth: number): Promise<boolean> {
    const path = join(this.root, name)
    const stats = await lstat(path).catch(() => undefined)
    if (stats && !stats.isDirectory()) return false
    if (stats && (await isRepository(path))) {
      await this.repository(`${name}/`, path, depth + 1)
    } else {
      this.notices.push(
        `The submodule ${quoted(name)} is not checked out, so the archive has none of its files. Check it out with "submodules: recursive" of actions/checkout if the build needs it.`,
      )
    }
    return true
  }

  /** Undefined for what is left out, and for a name that is a fault. */
  #name(prefix: string, path: Buffer, tracked: boolean): string | undefined {
    const name = decodeName(path)
    // Patterns can match what is not UTF-8 with "*" and "?".
    if (this.rules.leaveOut(prefix + (name ?? path.toString('utf8')), tracked)) return undefined
    if (name !== undefined) return prefix + name
    this.faults.add(
      'File names that are not UTF-8',
      // Each foreign byte is spelled out.
      prefix + Array.from(path, (b) => (b < 0x80 ? String.fromCharCode(b) : `\\x${b.toString(16)}`)).join(''),
      'Rename them, since other systems would read the names differently, or leave them out with the input exclude, with * for each part that is not UTF-8.',
    )
    return undefined
  }
}

/** Source control metadata: left out whatever the patterns say, unless Git tracks it. */
const metadata = ['.git', '.svn', '.hg']

/** Build folders, local results and IDE folders: left out unless Git tracks them or a `!pattern` asks for them. */
const products = ['target/', 'build/', 'results/', '.idea/', '.vscode/', '.settings/']

/** Which of the files found are left out of the archive. Names are relative to the packed folder. */
class Rules {
  readonly #tracked: Ignore
  readonly #untracked: Ignore
  readonly #builtin: Ignore
  readonly #leftOut = new Set<string>()
  /** Patterns that have left out nothing yet, each alone. */
  readonly #unused: Map<string, Ignore>

  constructor(exclude: readonly string[]) {
    // Git's patterns are case-sensitive; the package's default is not.
    const rules = (patterns: readonly string[]): Ignore => ignore({ ignorecase: false }).add(patterns)
    this.#tracked = rules(exclude)
    this.#untracked = rules([...products, ...exclude, ...metadata])
    this.#builtin = rules([...products, ...metadata])
    const asked = exclude.map((line) => line.trim()).filter((line) => /^[^#!]/.test(line))
    this.#unused = new Map(asked.map((pattern) => [pattern, rules([pattern])]))
  }

  /** `name` ends in `/` for a folder, which is then left out with all its content. */
  leaveOut(name: string, tracked: boolean): boolean {
    for (const [pattern, own] of this.#unused) if (own.ignores(name)) this.#unused.delete(pattern)
    if (!(tracked ? this.#tracked : this.#untracked).ignores(name)) return false
    if (!tracked && this.#builtin.ignores(name)) this.#leftOut.add(this.#outermost(name))
    return true
  }

  /** Folders that the built-in rules left out, so that the log can say so; metadata goes without saying. */
  get leftOut(): string[] {
    return [...this.#leftOut]
      .filter((name) => !metadata.includes(name.replace(/\/$/, '').split('/').at(-1) ?? ''))
      .sort()
  }

  get unused(): string[] {
    return [...this.#unused.keys()]
  }

  #outermost(name: string): string {
    for (let end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
      const folder = name.slice(0, end + 1)
      if (this.#builtin.ignores(folder)) return folder
    }
    return name
  }
}
