import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import AdmZip from 'adm-zip'
import { ArchiveError, isDiskFull } from '../errors.js'
import type { Deflated } from './deflate.js'
import { cause, quoted } from './faults.js'

/** A ZIP without its 64-bit extension has four-byte sizes. */
export const mostBytes = 2 ** 32 - 1

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
 * documentation: __tests__/archive/zip-format.test.ts compares the result with the library's own archive byte by byte,
 * and fails if an update changes it.
 */
export class ZipWriter {
  /** The bytes of all content so far. */
  uncompressedBytes = 0
  readonly #entry = new AdmZip({ noSort: true }).addFile('entry', Buffer.alloc(0))
  readonly #entries: { name: string; bytes: number }[] = []
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
  async add(name: string, mode: number, { deflated, crc, bytes, data }: Deflated): Promise<void> {
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
    this.#entries.push({ name, bytes: data.length })
    this.#directory.push(this.#entry.packCentralHeader())
    await this.#write(this.#entry.packLocalHeader())
    await this.#write(data)
    this.uncompressedBytes += bytes
  }

  /** @returns the archive's size, its SHA-512 in hex, the names of its entries, and the ten largest with their size in it */
  async end(): Promise<{
    bytes: number
    sha512: string
    names: string[]
    largest: { name: string; bytes: number }[]
  }> {
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
    const largest = this.#entries.toSorted((a, b) => b.bytes - a.bytes).slice(0, 10)
    const names = this.#entries.map(({ name }) => name)
    return { bytes: this.#bytes, sha512: this.#hash.digest('hex'), names, largest }
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

export function unwritable(path: string, error: unknown): ArchiveError {
  return new ArchiveError(
    `The archive ${quoted(path)} could not be written: ${cause(error)}. ${isDiskFull(error) ? 'Free some disk space' : 'Make the folder writable'} on the runner.`,
    { cause: error },
  )
}
