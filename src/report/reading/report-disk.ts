import { createWriteStream, type Dirent } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { ReportError } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import { isOfGit } from '../../text/regular-file.js'
import { looksSecret } from '../../text/secret-name.js'
import { headOf, ArchiveFaults, ArchiveGuard, reportLimits, type EntryKind } from '../../unpack/guard.js'
import type { ReceivedArchive } from '../../unpack/unpack.js'
import type { Format } from '../format.js'
import { headSize } from '../formats/text-rows.js'
import { bytesOf, candidate, folderOf, isCandidate, type FoundFile } from './report-parts.js'

const mostFolders = 10_000

/**
 * What may be a report in the shallowest folders that hold one. Links are not followed, and Git's own folders not
 * searched.
 *
 * @throws ReportError if too many folders would have to be searched
 */
export async function foundIn(folder: string): Promise<FoundFile[]> {
  let level = ['']
  for (let seen = 0; level.length > 0;) {
    const found: FoundFile[] = []
    const below: string[] = []
    for (const inner of level) {
      if (++seen > mostFolders) {
        throw new ReportError(
          `There is no report in its first ${mostFolders} folders. Name the folder that contains it.`,
        )
      }
      for (const entry of await entriesIn(join(folder, inner))) {
        if (entry.isDirectory()) below.push(`${inner}${entry.name}/`)
        else found.push(...(await foundAt(folder, `${inner}${entry.name}`, kindOf(entry))))
      }
    }
    const begin = found.filter(({ format, unread }) => format ?? unread)
    const first = begin.find(({ format }) => format)
    if (first?.format) return [...begin, ...(await foundBeside(folder, first.path, first.format))]
    level = below
  }
  return []
}

/** The files beside one in this folder that its format reads with it. @throws ReportError if one is a link */
export async function foundBeside(folder: string, path: string, { beside }: Format): Promise<FoundFile[]> {
  if (!beside) return []
  const inner = `${folderOf(path)}${beside.below}`
  const at = resolve(folder, inner)
  // Nothing is read through a link.
  if ((await realpath(at).catch(() => undefined)) !== at) return []
  const found: FoundFile[] = []
  for (const entry of await entriesIn(at)) {
    if (beside.names.test(entry.name) && !entry.isDirectory())
      found.push(...(await foundAt(folder, `${inner}${entry.name}`, kindOf(entry))))
  }
  return found
}

async function foundAt(folder: string, path: string, kind: EntryKind): Promise<FoundFile[]> {
  if (!isCandidate(path)) return []
  const file = join(folder, path)
  const { size } = await lstat(file)
  guardOfFolder().entry(path, kind, size)
  const what = candidate(path, await headOf(file, headSize))
  return what ? [{ path, file, size, ...what }] : []
}

function guardOfFolder(): ArchiveGuard {
  return new ArchiveGuard(reportLimits, new ArchiveFaults('report folder'))
}

function kindOf(entry: Dirent): EntryKind {
  return entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'device'
}

/** Nothing of Git's own. */
async function entriesIn(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(({ name }) => !isOfGit(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A file of an archive that is made. */
export interface Packed {
  /** In the archive. */
  name: string
  file: string
  kind: EntryKind
}

/** All files of a folder, those of a folder before the folders in it, sorted by name. */
export async function* filesBelow(
  folder: string,
  name = basename(folder) || 'report',
): AsyncGenerator<Packed> {
  const entries = await entriesIn(folder)
  for (const entry of entries.filter((one) => !one.isDirectory())) {
    yield { name: `${name}/${entry.name}`, file: join(folder, entry.name), kind: kindOf(entry) }
  }
  for (const entry of entries.filter((one) => one.isDirectory())) {
    yield* filesBelow(join(folder, entry.name), `${name}/${entry.name}`)
  }
}

/**
 * Packs files as a .tar.gz.
 *
 * @returns the archive, and the names in it that look like secrets
 * @throws ReportError for a link, a pipe or a device, or above the limits of an archive
 */
export async function packTarGz(
  files: AsyncIterable<Packed> | Iterable<Packed>,
  target: string,
  signal: AbortSignal,
): Promise<ReceivedArchive & { suspicious: string[] }> {
  const tar = pack()
  const suspicious: string[] = []
  const filled = fill(tar, files, suspicious)
  // Whoever waits for the archive gets the fault.
  filled.catch((error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))))
  await pipeline(tar, createGzip(), createWriteStream(target), { signal })
  await filled
  return { kind: 'tar.gz', path: target, bytes: (await stat(target)).size, suspicious }
}

async function fill(tar: Pack, files: AsyncIterable<Packed> | Iterable<Packed>, suspicious: string[]) {
  const guard = guardOfFolder()
  let total = 0
  for await (const { name, file, kind } of files) {
    const { size, mtime } = await lstat(file)
    guard.entry(name, kind, size)
    total += size
    guard.unpacked(total, total)
    if (looksSecret(name)) suspicious.push(name)
    const sink = tar.entry({ name, size, mtime, mode: 0o644 })
    try {
      await pipeline(bytesOf(file), sink)
    } catch (error) {
      if (tar.destroyed) throw error
      throw new ReportError(
        `${oneLine(name)} changed while the report was packed. Judge a report that is complete.`,
        { cause: error },
      )
    }
  }
  tar.finalize()
}
