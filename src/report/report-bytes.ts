import { constants, createReadStream, type Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Header, type Pack } from 'tar-stream'
import { ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { archiveKind, headOf } from '../unpack/kind.js'
import { onlyFile } from '../unpack/only-file.js'
import { isOfGit, readReportFolder } from './report-files.js'
import { reportLimits } from '../unpack/limits.js'

const portionSize = 256 * 1024

/**
 * A report as the bytes of an archive, whatever is at the path: an archive is one already, or the only file in a
 * ZIP; a folder and a testreport.xml with the scorecard.xml beside it are packed as .tar.gz while they are read. Links,
 * pipes and devices in a folder go into the archive unchanged, so its reader refuses them.
 *
 * @param scratch a path for what has to be unpacked first
 * @throws ReportError
 */
export async function reportBytes(path: string, scratch: string): Promise<AsyncIterable<Uint8Array>> {
  if ((await stat(path)).isDirectory()) {
    await readReportFolder(path)
    return tarGz(folderEntries(path, basename(path) || 'report'))
  }
  const head = await headOf(path)
  if (/^[\s\ufeff]*</.test(head.toString('utf8'))) return tarGz(xmlEntries(path))
  const inner =
    archiveKind(head) === 'zip'
      ? await onlyFile(path, scratch, /\.(?:tar\.gz|tgz|zip)$/i, reportLimits)
      : undefined
  return createReadStream(inner ?? path, { highWaterMark: portionSize })
}

interface TarEntry {
  name: string
  /** Where its content is. */
  path: string
  type: Header['type']
}

async function* xmlEntries(path: string): AsyncGenerator<TarEntry> {
  yield { name: 'report/testreport.xml', path, type: 'file' }
  const beside = await readdir(dirname(path), { withFileTypes: true })
  const scorecard = beside.find((entry) => entry.name === 'scorecard.xml' && !entry.isDirectory())
  if (scorecard) {
    const file = join(dirname(path), scorecard.name)
    yield { name: 'report/scorecard.xml', path: file, type: typeOf(scorecard) }
  }
}

/** The files of a folder before the folders in it, each sorted by name; nothing of Git's own. */
async function* folderEntries(path: string, name: string): AsyncGenerator<TarEntry> {
  const entries = (await readdir(path, { withFileTypes: true }))
    .filter((entry) => !isOfGit(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries.filter((one) => !one.isDirectory())) {
    yield { name: `${name}/${entry.name}`, path: join(path, entry.name), type: typeOf(entry) }
  }
  for (const entry of entries.filter((one) => one.isDirectory())) {
    yield* folderEntries(join(path, entry.name), `${name}/${entry.name}`)
  }
}

function typeOf(entry: Dirent): Header['type'] {
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'symlink' : 'fifo'
}

function tarGz(entries: AsyncIterable<TarEntry>): AsyncIterable<Uint8Array> {
  const tar = pack()
  const gzip = createGzip()
  fill(tar, entries).then(
    () => tar.finalize(),
    (error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  // Whoever reads the archive gets the fault.
  pipeline(Readable.from(tar), gzip).catch(() => undefined)
  return gzip
}

async function fill(tar: Pack, entries: AsyncIterable<TarEntry>): Promise<void> {
  for await (const { name, path, type } of entries) {
    if (type === 'file') await addFile(tar, name, path)
    else tar.entry({ name, type, linkname: '-' })
  }
}

/** A link that took the file's place is not followed, and a pipe not waited for. */
async function addFile(tar: Pack, name: string, path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size, mtime } = await file.stat()
    const sink = tar.entry({ name, size, mtime, mode: 0o644 })
    try {
      await pipeline(file.createReadStream({ autoClose: false, highWaterMark: portionSize }), sink)
    } catch (error) {
      if (tar.destroyed) throw error
      throw new ReportError(
        `${oneLine(name)} changed while the report was packed. Judge a report that is complete.`,
        { cause: error },
      )
    }
  } finally {
    await file.close()
  }
}
