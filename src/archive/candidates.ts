import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ArchiveError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { cause, type Faults, quoted } from './faults.js'
import { isRepository, listRepository } from './git.js'
import { decodeName, spelledOut } from './names.js'
import type { Rules } from './rules.js'

/** A path that belongs into the archive by the rules, before anybody looked at what stands there. */
export interface Candidate {
  /** Relative to the packed folder, with `/`. */
  name: string
  /** Mode in Git's index; absent when Git does not track the path. */
  mode?: number
  /** Whether the file system tells exec bits and links here; else Git's index does. */
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

  /** What Git would have below `prefix`, which is empty or ends in `/` and lies in `repository`. */
  async repository(prefix: string, repository: string, depth = 0): Promise<void> {
    if (depth > deepest) {
      throw new ArchiveError(
        `Repositories are nested deeper than ${deepest} at ${quoted(prefix)}. Leave the inner ones out with the input exclude.`,
      )
    }
    const listing = await listRepository(join(this.root, prefix), repository, this.signal)
    for (const warning of listing.warnings) this.notices.push(`Git says: ${oneLine(warning)}`)
    const { fileMode: fileModes, symlinks } = listing
    for (const [path, mode] of listing.tracked) {
      const name = this.#name(prefix, Buffer.from(path, 'latin1'))
      if (name === undefined || this.rules.leaveOut(name, true)) continue
      if (mode === submodule && (await this.#submodule(name, depth))) continue
      this.found.push({ name, mode, fileModes, symlinks })
    }
    for (const path of listing.others) {
      const name = this.#name(prefix, path)
      if (name === undefined || this.rules.leaveOut(name, false)) continue
      if (!name.endsWith('/')) this.found.push({ name, fileModes, symlinks })
      else await this.#nested(name, depth)
    }
  }

  /** Every file below `prefix`, which is no Git repository; repositories further down are asked. */
  async folder(prefix: string, depth = 0): Promise<void> {
    this.signal?.throwIfAborted()
    let entries: Dirent<Buffer>[]
    try {
      entries = await readdir(join(this.root, prefix), { withFileTypes: true, encoding: 'buffer' })
    } catch (error) {
      throw new ArchiveError(
        `The folder ${quoted(prefix || this.root)} could not be read: ${cause(error)}. Make it readable, or leave it out with the input exclude.`,
        { cause: error },
      )
    }
    for (const entry of entries) {
      const name = this.#name(prefix, entry.name)
      if (name === undefined) continue
      if (!entry.isDirectory()) {
        if (!this.rules.leaveOut(name, false)) this.found.push({ name, fileModes: true, symlinks: true })
      } else if (!this.rules.leaveOut(`${name}/`, false)) {
        if (await isRepository(join(this.root, name))) await this.#nested(`${name}/`, depth)
        else await this.folder(`${name}/`, depth)
      }
    }
  }

  async #nested(name: string, depth: number): Promise<void> {
    this.notices.push(`${quoted(name)} is a Git repository of its own; its files are packed too.`)
    await this.repository(name, join(this.root, name), depth + 1)
  }

  /** False when something else than a submodule's folder stands at its path. */
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

  #name(prefix: string, path: Uint8Array): string | undefined {
    const name = decodeName(path)
    if (name !== undefined) return prefix + name
    this.faults.add(
      'File names that are not UTF-8',
      prefix + spelledOut(path),
      'Rename them, as other systems would read other names.',
    )
    return undefined
  }
}
