import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileFault } from '../../text/regular-file.js'
import { errorCode, Faults, quoted } from '../faults.js'

/** Git matches every path with every line of its ignore files. */
const mostIgnoreBytes = 2_000_000
/** Git's own files; the index grows with the repository. */
const mostOwnBytes = 500_000_000

const own = ['HEAD', 'config', 'config.worktree', 'index', 'info/exclude']

/**
 * Checks the files that Git will read to list `folder` of `repository`: Git would wait for a pipe, or read a device,
 * until somebody ends it.
 *
 * @throws ArchiveError
 */
export async function checkGitFiles(folder: string, repository: string, signal?: AbortSignal): Promise<void> {
  const faults = new Faults()
  const look = (name: string | Buffer, most: number) => {
    const stats = statSync(name, { throwIfNoEntry: false })
    const fault = stats && fileFault(stats, most)
    if (fault === undefined) return
    faults.add(`A file that Git needs cannot be read: ${fault}`, name.toString(), 'Replace or remove it.')
  }
  for (const name of own) tolerant(() => look(join(repository, '.git', name), mostOwnBytes))
  for (let at = folder; at !== repository && at !== dirname(at);) {
    at = dirname(at)
    tolerant(() => look(join(at, '.gitignore'), mostIgnoreBytes))
  }
  let seen = 0
  for (const below = [Buffer.from(folder)]; below.length > 0;) {
    const at = below.pop()
    if (at === undefined) break
    if (seen++ % 256 === 0) await setImmediate()
    signal?.throwIfAborted()
    const entries = tolerant(() => readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) ?? []
    const names = entries.map(({ name }) => name.toString('latin1'))
    // A nested repository is checked when it is listed itself.
    if (seen > 1 && names.includes('.git')) continue
    for (const [i, entry] of entries.entries()) {
      const path = Buffer.concat([at, Buffer.from('/'), entry.name])
      if (names[i] === '.gitignore') tolerant(() => look(path, mostIgnoreBytes))
      else if (entry.isDirectory() && names[i] !== '.git') below.push(path)
    }
  }
  faults.throwIfAny(`The folder ${quoted(folder)} cannot be packed`)
}

/** What cannot be read here cannot be read by Git either, and Git reports it. */
function tolerant<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
