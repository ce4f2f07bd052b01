import { statSync } from 'node:fs'
import path from 'node:path'
import { readRegularFile } from '../../text/regular-file.js'

/** What is checked out in a folder. */
export interface CheckedOut {
  /** The full hash of HEAD. */
  commit: string
  /** `owner/name` by the address of the remote `origin`, where that is an address on a server. */
  repository?: string
}

const mostPointerBytes = 4096
const mostConfigBytes = 1_000_000
const mostPackedRefsBytes = 50_000_000
/** How far a chain of symbolic references is followed. */
const mostSteps = 5

/**
 * The commit that is checked out in a folder or the closest one above it, up to `top`. Git's files are only read: a
 * program of Git would do what the repository's settings say. Undefined if there is no `.git`, or none that says so.
 */
export function checkedOut(folder: string, top: string): CheckedOut | undefined {
  const isBelow = !path.relative(top, folder).startsWith('..')
  for (let at = folder; ; at = path.dirname(at)) {
    const own = tolerant(() => gitFolder(path.join(at, '.git')))
    if (own !== undefined) return headOf(own)
    if ((isBelow && at === top) || at === path.dirname(at)) return undefined
  }
}

/** Git's folder; in a worktree or a submodule, `.git` is a file that names it. */
function gitFolder(found: string): string {
  if (statSync(found).isDirectory()) return found
  const [, named = ''] = /^gitdir: (.+?)\s*$/.exec(pointer(found)) ?? []
  return path.resolve(path.dirname(found), named)
}

function headOf(own: string): CheckedOut | undefined {
  const shared = tolerant(() => path.resolve(own, pointer(path.join(own, 'commondir')).trim())) ?? own
  let text = tolerant(() => pointer(path.join(own, 'HEAD')))
  for (let step = 0; text !== undefined && step < mostSteps; step++) {
    const commit = commitIn(text)
    if (commit !== undefined) {
      const repository = tolerant(() => repositoryIn(path.join(shared, 'config')))
      return { commit, ...(repository === undefined ? {} : { repository }) }
    }
    const [, ref = ''] = /^ref: (refs\/[^\s\\]+)\s*$/.exec(text) ?? []
    text = ref === '' || ref.split('/').includes('..') ? undefined : refText(ref, own, shared)
  }
  return undefined
}

/** A branch has its own file or, like most of them after a while, a line in packed-refs. */
function refText(ref: string, own: string, shared: string): string | undefined {
  for (const folder of new Set([own, shared])) {
    const text = tolerant(() => pointer(path.join(folder, ref)))
    if (text !== undefined) return text
  }
  const packed = tolerant(() => readRegularFile(path.join(shared, 'packed-refs'), mostPackedRefsBytes))
  const end = packed?.indexOf(` ${ref}\n`) ?? -1
  return end < 0 ? undefined : packed?.toString('latin1', packed.lastIndexOf('\n', end) + 1, end)
}

function commitIn(text: string): string | undefined {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text)?.[1]
}

/** Of `https://host/owner/name.git`, `ssh://git@host/owner/name` or `git@host:owner/name`. */
const serverAddress =
  /^(?:https?:\/\/|ssh:\/\/|[\w.-]+@)[^/:]+(?::\d+)?[/:](?:.*\/)?([^/]+\/[^/]+?)(?:\.git)?\/?$/

function repositoryIn(config: string): string | undefined {
  const text = readRegularFile(config, mostConfigBytes).toString('utf8').replaceAll('\r', '')
  const [, section = ''] = /^\[remote "origin"\]$([^[]*)/m.exec(text) ?? []
  const [, url = ''] = /^\s*url\s*=\s*(\S{1,2000})\s*$/m.exec(section) ?? []
  return serverAddress.exec(url)?.[1]
}

function pointer(file: string): string {
  return readRegularFile(file, mostPointerBytes).toString('utf8')
}

/** What cannot be read says nothing. */
function tolerant<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
