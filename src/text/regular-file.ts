import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { formatBytes } from './size.js'

/**
 * The content of a regular file, or of one that a link leads to. Reading a device or a pipe might never end, so it is
 * refused at once.
 *
 * @param most bytes; a larger file is not read at all
 * @throws Error whose message can end a sentence after a colon
 */
export function readRegularFile(path: string, most: number): Buffer {
  check(statSync(path), most)
  // A pipe that took the file's place must not be waited for. Windows has no such flag, and undefined counts as 0.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    check(stats, most)
    // One byte more, to notice a file that grows.
    const content = Buffer.allocUnsafe(stats.size + 1)
    let end = 0
    for (let read = -1; read !== 0 && end < content.length; end += read) {
      read = readSync(fd, content, end, content.length - end, null)
    }
    if (end !== stats.size) throw new Error('it changed while it was read')
    return content.subarray(0, end)
  } finally {
    closeSync(fd)
  }
}

/** Whether there is something that can be read to its end. Links are followed. */
export function isFileOrFolder(path: string): boolean {
  try {
    const stats = statSync(path)
    return stats.isFile() || stats.isDirectory()
  } catch {
    return false
  }
}

/** The link by which a path below a folder leads out of it, relative to the folder. */
export function linkOut(folder: string, found: string): string | undefined {
  if (!isBelow(folder, found)) return undefined
  let at = folder
  for (const part of path.relative(folder, found).split(path.sep)) {
    at = path.join(at, part)
    try {
      if (!lstatSync(at).isSymbolicLink()) continue
      if (!isBelow(realpathSync(folder), realpathSync(at))) return path.relative(folder, at)
    } catch {
      // There is nothing that could be read.
      return undefined
    }
  }
  return undefined
}

export function isBelow(folder: string, found: string): boolean {
  const way = path.relative(folder, found)
  return way.split(path.sep)[0] !== '..' && !path.isAbsolute(way)
}

/** The path relative to the workspace: whole paths of a runner mean nothing to readers. */
export function nameIn(workspace: string, found: string): string {
  return path.relative(workspace, found) || path.basename(found)
}

/** Git's own folder holds the checkout's credentials; in a submodule it is a file. */
export function isOfGit(name: string): boolean {
  return name.toLowerCase() === '.git'
}

function check(stats: Stats, most: number): void {
  const fault = fileFault(stats, most)
  if (fault !== undefined) throw new Error(fault)
}

/** Why something is not read; undefined for a regular file within the limit. */
export function fileFault(stats: Stats, most: number): string | undefined {
  if (!stats.isFile()) return `it is ${kindOf(stats)}, not a file`
  if (stats.size <= most) return undefined
  return `it has ${formatBytes(stats.size)}, and at most ${formatBytes(most)} are read`
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}
