import { createHash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import AdmZip from 'adm-zip'
import { ArchiveError, isDiskFull } from '../errors.js'
import type { Progress } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { type DeflateOptions, deflatedInOrder } from './deflate-threads.js'
import type { Deflated } from './deflate.js'
import { cause, largestOf, quoted } from './faults.js'
import { listFiles, type Listing, type ListOptions, type SourceFile } from './listing.js'
import { topLevelName } from './names.js'

export interface PackOptions extends DeflateOptions, Pick<ListOptions, 'exclude'> {
  source: string
  /** Properties that follow the content of one file in the archive. */
  properties?: { file: string; entries: readonly (readonly [key: string, value: string])[] }
  /** Path of the ZIP to write; an existing file is replaced. */
  target: string
  /** Name of the top-level directory, such as GITHUB_REPOSITORY; default: the folder's name. */
  topLevel?: string
  /** Called now and then, with the bytes of the content. */
  progress?: (done: Progress & { files: number; ofFiles: number }) => void
}

export interface PackedArchive extends Omit<Listing, 'root' | 'files'> {
  path: string
  files: number
  bytes: number
  /** The SHA-512 of the whole ZIP, in hex. */
  sha512: string
  name: string
  /** All its files and links, with that directory: their size in it, and whether they are only pointers of Git LFS. */
  entries: { name: string; bytes: number; isPointer?: boolean }[]
  uncompressedBytes: number
}

/** A ZIP without its 64-bit extension has two-byte counts, the highest of which is reserved, and four-byte sizes. */
const mostEntries = 65_534
const mostBytes = 2 ** 32 - 1

/**
 * Packs a folder: sorted names, one constant time and normalized modes, so that the same content gives the
 * same bytes on any machine. After a failure or abort no incomplete archive is left.
 */
export async function packSource(options: PackOptions): Promise<PackedArchive> {
  const { source, exclude, target, signal, properties } = options
  const listing = await listFiles(source, { exclude, skip: target, ...(signal && { signal }) })
  const { root, files: listed, ...about } = listing
  const files = properties ? withProperties(listed, properties) : listed
  checkLimits(files)
  const name = topLevelName(options.topLevel ?? root)
  const written = await writeZip(name, files, options)
  return { path: target, name, files: files.length, ...written, ...about }
}

/** Throws, before any content is read, if something could not be packed. */
export function checkLimits(files: readonly { name: string; bytes: number }[]): void {
  if (files.length === 0) {
    throw new ArchiveError(
      'There are no files to pack: the folder is empty, or everything in it is ignored or excluded. Add a step with actions/checkout before this one; if there is one, check the inputs source and exclude. Of a folder that Git ignores, make a ZIP and set source to it.',
    )
  }
  if (files.length > mostEntries) {
    throw new ArchiveError(
      `The folder has ${files.length} files, but an archive can hold at most ${mostEntries}. Set the input source to the test suite's folder, or leave files out with the input exclude.`,
    )
  }
  const bytes = bytesOf(files)
  if (bytes > mostBytes) {
    throw new ArchiveError(
      `The files take ${formatBytes(bytes)}, but an archive can hold at most 4 GiB. The largest are ${largestOf(files)}. Use the input exclude to leave out what the test does not need.`,
    )
  }
}

/** A settings file that people write is far smaller. */
const mostAppendedTo = 1_000_000

function withProperties(
  files: readonly SourceFile[],
  { file: name, entries }: Required<PackOptions>['properties'],
): SourceFile[] {
  const file = files.find((one) => one.name === name)
  const fault = (why: string) => new ArchiveError(`properties are appended to ${quoted(name)}, which ${why}`)
  if (!file)
    throw fault('is not among the packed files. Add it to the folder of the input source, and to Git.')
  if (file.target !== undefined) throw fault('is a link. Put the file itself there.')
  if (file.bytes > mostAppendedTo)
    throw fault(`has ${formatBytes(file.bytes)}. It may have at most ${formatBytes(mostAppendedTo)}.`)
  return files.map((one) => (one === file ? { ...file, appended: propertyLines(entries) } : one))
}

/**
 * Lines to append to a Java properties file, in ASCII, so that they mean the same in whichever encoding the file is
 * read. Each pair stays one pair, whatever it contains; by the format's rules the last value of a key counts.
 */
export function propertyLines(properties: NonNullable<PackOptions['properties']>['entries']): string {
  const lines = properties.map(
    ([key, value]) => `${escaped(key).replaceAll(' ', '\\ ')}=${escaped(value).replace(/^ /, '\\ ')}\n`,
  )
  // The blank line ends a last line without a line break, or one that a backslash continues.
  return `\n\n${lines.join('')}`
}

function escaped(text: string): string {
  return text
    .replace(/[\\=:#!]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

async function writeZip(
  topLevel: string,
  files: readonly SourceFile[],
  { target, progress, ...options }: PackOptions,
) {
  const { signal } = options
  const handle = await open(target, 'w').catch((error: unknown) => {
    throw unwritable(target, error)
  })
  try {
    const writer = new ZipWriter(handle, target)
    const [ofFiles, ofBytes] = [files.length, bytesOf(files)]
    for await (const batch of deflatedInOrder(files, options)) {
      signal?.throwIfAborted()
      for (const [file, entry] of batch) {
        const mode = file.target !== undefined ? 0o120777 : file.executable ? 0o100755 : 0o100644
        await writer.add(`${topLevel}/${file.name}`, mode, entry)
        const { entries, uncompressedBytes: bytes } = writer
        if (entries % 500 === 0 || entries === ofFiles)
          progress?.({ files: entries, ofFiles, bytes, ofBytes })
      }
    }
    const written = await writer.end()
    signal?.throwIfAborted()
    await handle.close()
    return written
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(target, { force: true })
    throw error
  }
}

function bytesOf(files: readonly { bytes: number }[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

const pieceBytes = 1 << 20

// Even on Windows, since modes and links are those of Unix.
const madeByUnix = 0x0314

// 1 February 1980, 00:00, in DOS form: the same on any machine. A month after the first possible date, since readers
// that apply a time zone would end up before it.
const time = 0x0041_0000

/**
 * Writes a ZIP entry by entry, then `end`, in pieces of about 1 MiB, and digests what it writes.
 *
 * The bytes around the entries are made by adm-zip. The library's public interface keeps all files and the whole archive
 * in memory and deflates on one thread. So entries are deflated elsewhere, and only their headers are made here, by one
 * entry that is reused. packLocalHeader, packCentralHeader and timeval are in the library's types but not in its
 * documentation: __tests__/archive/pack.test.ts compares the result with the library's own archive byte by byte,
 * and fails if an update changes it.
 */
class ZipWriter {
  /** The bytes of all content so far. */
  uncompressedBytes = 0
  readonly #entry = new AdmZip({ noSort: true }).addFile('entry', Buffer.alloc(0))
  readonly #entries: PackedArchive['entries'] = []
  readonly #directory: Buffer[] = []
  readonly #hash = createHash('sha512')
  #bytes = 0
  #waiting: Uint8Array[] = []
  #waitingBytes = 0

  /** @param path names the file in a fault */
  constructor(
    readonly handle: FileHandle,
    readonly path: string,
  ) {}

  get entries(): number {
    return this.#entries.length
  }

  /** @param mode Unix mode with the file type: 0o100644, 0o100755 or 0o120777 */
  async add(name: string, mode: number, entry: Deflated): Promise<void> {
    const { deflated, crc, bytes, data, isPointer = false } = entry
    const { header } = this.#entry
    this.#entry.entryName = name
    this.#entry.attr = (mode << 16) >>> 0
    header.made = madeByUnix
    header.timeval = time
    header.method = deflated ? 8 : 0
    header.crc = crc
    header.size = bytes
    header.compressedSize = data.length
    header.offset = this.#bytes
    this.#entries.push({ name, bytes: data.length, isPointer })
    this.#directory.push(this.#entry.packCentralHeader())
    await this.#write(this.#entry.packLocalHeader())
    await this.#write(data)
    this.uncompressedBytes += bytes
  }

  async end() {
    const start = this.#bytes
    for (const central of this.#directory) await this.#write(central)
    if (this.#bytes > mostBytes) {
      throw new ArchiveError(
        'The archive would be larger than 4 GiB. Use the input exclude to leave out what the test does not need.',
      )
    }
    const record = new AdmZip({ noSort: true }).toBuffer()
    record.writeUInt16LE(this.entries, 8)
    record.writeUInt16LE(this.entries, 10)
    record.writeUInt32LE(this.#bytes - start, 12)
    record.writeUInt32LE(start, 16)
    await this.#write(record)
    await this.#flush()
    const { uncompressedBytes } = this
    return { bytes: this.#bytes, sha512: this.#hash.digest('hex'), entries: this.#entries, uncompressedBytes }
  }

  async #write(data: Uint8Array): Promise<void> {
    // What is large is not copied.
    if (data.length >= pieceBytes) await this.#flush()
    this.#waiting.push(data)
    this.#waitingBytes += data.length
    this.#bytes += data.length
    if (this.#waitingBytes >= pieceBytes) await this.#flush()
  }

  async #flush(): Promise<void> {
    const [only] = this.#waiting
    const data = this.#waiting.length === 1 && only ? only : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    const written = this.#writeAll(data)
    // While it is being written.
    this.#hash.update(data)
    await written
  }

  async #writeAll(data: Uint8Array): Promise<void> {
    try {
      // A single call may write less than it was given.
      for (let at = 0; at < data.length;) at += (await this.handle.write(data, at)).bytesWritten
    } catch (error) {
      throw unwritable(this.path, error)
    }
  }
}

function unwritable(path: string, error: unknown): ArchiveError {
  return new ArchiveError(
    `The archive ${quoted(path)} could not be written: ${cause(error)}. ${isDiskFull(error) ? 'Free some disk space' : 'Make the folder writable'} on the runner.`,
    { cause: error },
  )
}
