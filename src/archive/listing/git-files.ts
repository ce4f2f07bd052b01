import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileFault } from '../../text/regular-file.js'
import { errorCode, Faults, quoted } from '../faults.js'
import type { GitPlace } from './git-process.js'

/** Git matches every path with every line of its ignore files. */
const mostIgnoreBytes = 2_000_000
/** Git's own files; the index grows with the repository. */
const mostOwnBytes = 500_000_000

const own = ['HEAD', 'config', 'config.worktree', 'index', 'info/exclude']

/** Git has answered long before, unless it waits for a file. Milliseconds. */
const patience = 1000

/**
 * Waits for Git to list `folder` of `repository`, unless a file that Git reads keeps it: it would wait for a pipe, or
 * read a device, until somebody ends it. Looking at each folder takes longer than Git itself, so it is done only then.
 *
 * @param list what is ended by the signal
 * @throws ArchiveError
 */
export async function unlessKept<T>(
  { folder, repository, signal }: GitPlace,
  list: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const faults = new Faults()
  const check = () => faults.throwIfAny(`The folder ${quoted(folder)} cannot be packed`)
  for (const name of own) tolerant(() => look(join(repository, '.git', name), mostOwnBytes, faults))
  for (let at = folder; ; at = dirname(at)) {
    tolerant(() => look(join(at, '.gitignore'), mostIgnoreBytes, faults))
    if (at === repository || at === dirname(at)) break
  }
  check()
  const kept = new AbortController()
  const signals = signal ? AbortSignal.any([signal, kept.signal]) : kept.signal
  const timer = setTimeout(() => {
    lookBelow(folder, faults, signals)
      .then(check)
      .catch((fault: unknown) => kept.abort(fault))
  }, patience)
  try {
    return await list(signals)
  } finally {
    clearTimeout(timer)
    kept.abort()
  }
}

function look(name: string | Buffer, most: number, faults: Faults): void {
  const stats = statSync(name, { throwIfNoEntry: false })
  const fault = stats && fileFault(stats, most)
  if (fault === undefined) return
  faults.add(`A file that Git needs cannot be read: ${fault}`, name.toString(), 'Replace or remove it.')
}

async function lookBelow(folder: string, faults: Faults, signal: AbortSignal): Promise<void> {
  let seen = 0
  for (const below = [Buffer.from(folder)]; below.length > 0;) {
    const at = below.pop()
    if (at === undefined) break
    if (seen++ % 256 === 0) await setImmediate()
    signal.throwIfAborted()
    const entries = tolerant(() => readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) ?? []
    const names = entries.map(({ name }) => name.toString('latin1'))
    // A nested repository is checked when it is listed itself.
    if (seen > 1 && names.includes('.git')) continue
    for (const [i, entry] of entries.entries()) {
      const path = Buffer.concat([at, Buffer.from('/'), entry.name])
      if (names[i] === '.gitignore') tolerant(() => look(path, mostIgnoreBytes, faults))
      else if (entry.isDirectory() && names[i] !== '.git') below.push(path)
    }
  }
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
