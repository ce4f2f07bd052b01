import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { ArchiveError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { cause, type Faults, quoted } from './faults.js'
import { isRepository, listRepository } from './git.js'
import { decodeName } from './names.js'

/** A path that the rules put into the archive, before checking what is there. */
export interface Candidate {
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
export class Search {
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
      const name = this.#name(prefix, path, false)
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
export class Rules {
  readonly #tracked: Ignore
  readonly #untracked: Ignore
  readonly #builtin: Ignore
  readonly #leftOut = new Set<string>()
  /** Patterns that have left out nothing yet, each alone. */
  readonly #unused: Map<string, Ignore>

  /** `exclude`: patterns in gitignore syntax, later ones win. */
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

  /** Patterns of `exclude` that match nothing. */
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
