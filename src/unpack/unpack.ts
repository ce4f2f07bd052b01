import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { NoArchiveError, ReportError, message } from '../errors.js'
import { collecting } from '../garbage.js'
import {
  archiveKind,
  headOf,
  unwrapped,
  ArchiveFaults,
  ArchiveGuard,
  resultLimits,
  inflateFault,
} from './guard.js'
import type { ArchiveLimits, Taker, EntryKind } from './guard.js'
import { readZip } from './zip.js'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Extract, type Header } from 'tar-stream'
import { oneLine } from '../text/foreign-text.js'

export interface ReceivedArchive {
  kind: NonNullable<ReturnType<typeof archiveKind>>
  path: string
  bytes: number
}

/**
 * Writes an archive to `path` while it streams by, and reads it in the same pass (a ZIP right after): it is complete
 * and not hostile when this returns. Memory does not grow with it. After a fault nothing is left of it.
 *
 * @param source bytes in any portions; its own faults are thrown unchanged, and it is closed when this throws
 * @throws ReportError if it is not an archive, or is truncated, damaged or hostile
 */
export async function receiveArchive(
  source: AsyncIterable<Uint8Array>,
  path: string,
  taker: Taker,
): Promise<ReceivedArchive> {
  try {
    const { kind, bytes } = await collecting(
      () => readStream(unwrapped(source, taker.guard), taker, path),
      'minor',
    )
    if (kind === 'zip') await readZip(path, taker)
    return { kind, path, bytes }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** For a result archive, which is only checked. */
export function unread(limits: ArchiveLimits = resultLimits): Taker {
  const guard = new ArchiveGuard(limits, new ArchiveFaults('result archive'))
  return { guard, wants: () => false, take: async () => undefined }
}

/** Reads an archive that is on disk already. @throws ReportError as `receiveArchive` */
export async function readStoredArchive(path: string, taker: Taker): Promise<void> {
  if (archiveKind(await headOf(path)) === 'zip') await readZip(path, taker)
  else await readStream(createReadStream(path, { highWaterMark: portionSize }), taker)
}

/** @param target where the archive is written, unless it is on disk already */
async function readStream(
  source: AsyncIterable<Uint8Array>,
  taker: Taker,
  target?: string,
): Promise<Pick<ReceivedArchive, 'kind' | 'bytes'>> {
  const portions = inPortions(source)
  try {
    const first = portions.next()
    const { value: head = Buffer.alloc(0) } = await first
    const kind = archiveKind(head)
    if (kind === undefined) {
      const what = `The ${taker.guard.faults.what} ${whatItIs(head)}: it is neither a .tar.gz nor a .zip. Download it again.`
      throw binary.test(startOf(head)) ? new ReportError(what) : new NoArchiveError(what)
    }
    const disk = target === undefined ? undefined : await open(target, 'w')
    try {
      let bytes = 0
      async function* written() {
        for (let next: typeof first = first; ;) {
          const { value, done } = await next
          if (done === true) return
          bytes += value.length
          // It is written and read while the next one arrives.
          next = portions.next()
          const writing = disk?.writeFile(value)
          for (const work of [next, writing]) work?.catch(() => undefined)
          yield value
          await writing
        }
      }
      const all = written()
      if (kind !== 'zip') await readTar(all, kind === 'tar.gz', taker)
      else while ((await all.next()).done !== true);
      return { kind, bytes }
    } finally {
      await disk?.close()
    }
  } finally {
    await portions.return(undefined)
  }
}

/** Signs that no text has, whatever its encoding. */
const binary = /[\0-\x08\x0e-\x1f]/

/** What bytes that are no archive are, as the end of a sentence. */
export function whatItIs(head: Uint8Array): string {
  const text = startOf(head)
  if (head.length === 0) return 'is empty'
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(text))
    return 'is a web page (HTML), perhaps an error or sign-in page'
  if (text.startsWith('<')) return 'is XML or HTML text'
  if (/^[{[]/.test(text)) return 'is JSON text, perhaps an error message'
  if (/^(?:\xff\xfe|\xfe\xff|\w\0\w\0)/.test(text)) return 'is written in UTF-16 and not in UTF-8'
  if (text === '') return 'has nothing but empty lines'
  if (/^(?:\(\xb5\/\xfd|\xfd7zXZ|BZh\d|7z\xbc\xaf|Rar!)/.test(text))
    return 'is packed in another way than gzip or zip (unpack it in an earlier step)'
  if (!binary.test(text)) return 'is text'
  return `begins with the bytes ${Buffer.from(head.subarray(0, 4)).toString('hex')}`
}

function startOf(head: Uint8Array): string {
  return Buffer.from(head.subarray(0, 64)).toString('latin1').replace(/^ï»¿/, '').trimStart()
}

/** Large enough that the steps of a portion cost little, small enough to stay in the processor's cache. */
const portionSize = 256 * 1024

/**
 * Cuts a stream of bytes into portions of 256 KiB, the last one smaller; no empty ones. A portion is valid until the one after
 * the next is requested: two buffers take turns, since new buffers would cost more than filling them.
 */
export async function* inPortions(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let [filling, other] = [Buffer.allocUnsafe(portionSize), Buffer.allocUnsafe(portionSize)]
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + portionSize - filled)
      filling.set(piece, filled)
      at += piece.length
      filled += piece.length
      if (filled < portionSize) continue
      yield filling
      ;[filling, other] = [other, filling]
      filled = 0
    }
  }
  if (filled > 0) yield filling.subarray(0, filled)
  return undefined
}

const blockSize = 512
/** The headers before an entry: long names and pax records. Names above 4,096 characters are refused anyway. */
const maxHeaderBytes = 64 * 1024
const maxPaxRecords = 250
/** All headers together that are longer than an ordinary one: they cost far more than their bytes. */
const ordinaryHeaderBytes = 4096
const maxLongHeaderBytes = 16 * 1024 * 1024

/** The last stage for the bytes of a tar. Its faults are ReportErrors. */
class TarSink extends Writable {
  readonly #taker: Taker
  readonly #tar: Extract
  #entry: Promise<void> = Promise.resolve()
  #position = 0
  /** Where the content of the last entry and its padding end. */
  #contentEnd = 0
  #longHeaderBytes = 0
  #lastBlock: Uint8Array = new Uint8Array()

  constructor(taker: Taker) {
    super()
    this.#taker = taker
    // The oldest form of tar has no format to recognize. This is a variable, since the package's types lack the
    // option. The mark is below the size of any chunk, so each chunk is waited for.
    const options = { highWaterMark: 1024, allowUnknownFormat: true }
    this.#tar = extract(options)
    this.#tar.on('entry', (header, bytes, next) => {
      // What ends the tar also ends its entry, so the entry's fault is not thrown a second time.
      bytes.on('error', () => undefined)
      this.#entry = this.#read(header, bytes.offset, bytes)
      // Not by `next`: the tar has no more to say once its entry is closed, as by whoever failed to write it.
      this.#entry.then(
        () => next(),
        (error: unknown) => this.destroy(this.#translated(error)),
      )
    })
    this.#tar.on('error', (error) => this.destroy(this.#translated(error)))
  }

  /** Settles when the last entry is done with. */
  async idle(): Promise<void> {
    await this.#entry.catch(() => undefined)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    // At this point the package has read everything before. Any number of zeros may pad the end of a tar.
    if (this.#position - this.#contentEnd > maxHeaderBytes && !chunk.equals(Buffer.alloc(chunk.length))) {
      done(this.#longHeader())
      return
    }
    this.#position += chunk.length
    // A copy: a view would keep the whole chunk.
    this.#lastBlock = Uint8Array.from(
      chunk.length >= blockSize
        ? chunk.subarray(-blockSize)
        : Buffer.concat([this.#lastBlock, chunk]).subarray(-blockSize),
    )
    if (this.#tar.write(chunk)) done()
    else this.#tar.once('drain', () => done())
  }

  override _final(done: (error?: Error) => void): void {
    this.#tar.once('finish', () => {
      // The package accepts the border between two entries as a regular end.
      const isMarked =
        this.#position - this.#contentEnd >= blockSize && this.#lastBlock.every((byte) => byte === 0)
      if (isMarked) this.#entry.then(() => done(), done)
      else done(this.#taker.guard.faults.cutShort('its tar ends without the end mark'))
    })
    this.#tar.end(null)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#tar.destroy(error)
    done(error)
  }

  async #read(
    header: Header,
    start: number,
    source: AsyncIterable<unknown> & { resume(): unknown },
  ): Promise<void> {
    const { faults } = this.#taker.guard
    const { name, size } = header
    const headerBytes = start - this.#contentEnd
    if (headerBytes > maxHeaderBytes) throw this.#longHeader()
    if (headerBytes > ordinaryHeaderBytes) this.#longHeaderBytes += headerBytes
    if (this.#longHeaderBytes > maxLongHeaderBytes) {
      throw faults.refused(`the long headers of its tar have more than ${maxLongHeaderBytes} bytes`)
    }
    // For a number in an unknown form, the package yields null, and then waits forever.
    if (!Number.isSafeInteger(size) || size < 0)
      throw faults.damaged('its tar has a size that is not a number')
    this.#checkPax(header.pax)
    const kind = kindOf(header)
    const entry = this.#taker.guard.entry(name, kind, size)
    if (kind === 'folder' && size > 0) throw faults.damaged('a folder of its tar has content')
    this.#contentEnd = start + blockSize + Math.ceil(size / blockSize) * blockSize
    if (this.#taker.wants(entry)) await this.#taker.take(entry, () => bytesOf(source))
    // Skipped bytes need not be waited for: the package does that before the next entry.
    source.resume()
  }

  /** Also if the package has merged the records for all entries into those of this one. */
  #checkPax(pax: unknown): void {
    if (typeof pax !== 'object' || pax === null) return
    const records = Object.entries(pax)
    const { faults } = this.#taker.guard
    if (records.length > maxPaxRecords) {
      throw faults.refused(`a header of its tar has more than ${maxPaxRecords} records`)
    }
    for (const [key, value] of records) {
      if (key.startsWith('GNU.sparse.')) throw faults.refused('its tar contains a sparse file')
      // The package reads `1k` as 1.
      if (key === 'size' && !/^\d{1,15}$/.test(String(value))) {
        throw faults.damaged('a pax record of its tar has a size that is not a number')
      }
    }
  }

  #longHeader(): Error {
    return this.#taker.guard.faults.refused(`a header of its tar has more than ${maxHeaderBytes} bytes`)
  }

  #translated(error: unknown): Error {
    const { faults } = this.#taker.guard
    if (!(error instanceof Error)) return new Error(message(error), { cause: error })
    switch (error.message) {
      case 'Unexpected end of data':
        return faults.cutShort('its tar ends inside a file', error)
      case 'Invalid header':
      case 'Header exceeds max size':
        return faults.damaged(`its tar has an invalid header (${oneLine(error.message)})`, error)
      default:
        return error.message.startsWith('Invalid tar header')
          ? faults.damaged('its tar has a header with a wrong checksum', error)
          : error
    }
  }
}

async function* bytesOf(source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) if (chunk instanceof Uint8Array) yield chunk
}

const kinds = new Map<string | null | undefined, EntryKind>([
  ['directory', 'folder'],
  ['link', 'link'],
  ['symlink', 'link'],
  ['character-device', 'device'],
  ['block-device', 'device'],
  ['fifo', 'device'],
])

function kindOf({ type, name }: Header): EntryKind {
  if (type === 'file' || type === 'contiguous-file') return name.endsWith('/') ? 'folder' : 'file'
  // Null for a type that the package does not know.
  return kinds.get(type) ?? 'unknown'
}

/** Inflated bytes at a time: zlib's 16 KiB cost a trip to its thread for each, larger pieces stay in memory longer. */
const inflatedChunk = 64 * 1024

/**
 * Reads a .tar.gz or a plain .tar. It returns once the archive is known to be complete: gzip's checksum and length, tar's
 * end mark.
 *
 * @param source a chunk of it is done with when the next one is asked for
 * @throws ReportError
 */
export async function readTar(
  source: AsyncIterable<Uint8Array>,
  isPacked: boolean,
  taker: Taker,
): Promise<void> {
  const { guard } = taker
  const sink = new TarSink(taker)
  const gunzip = isPacked ? createGunzip({ chunkSize: inflatedChunk }) : undefined
  async function* measured(inflated: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let unpacked = 0
    for await (const chunk of inflated) {
      unpacked += chunk.length
      guard.unpacked(unpacked, gunzip?.bytesWritten ?? unpacked)
      yield chunk
    }
  }
  try {
    await (gunzip ? pipeline(source, gunzip, measured, sink) : pipeline(source, measured, sink))
  } catch (error) {
    await sink.idle()
    throw inflateFault(error, guard.faults)
  }
}
