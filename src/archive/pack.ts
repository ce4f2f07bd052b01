import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { ArchiveError } from '../errors.js'
import { type Deflated, deflate } from './deflate.js'
import { cause, errorCode, quoted, size } from './faults.js'
import { defaultName, listFiles, type SourceFile } from './files.js'
import { topLevelName } from './names.js'
import { type ZipEntryFigures, ZipFormat } from './zip-format.js'

export interface PackOptions {
  /** Folder to pack. */
  source: string
  /** Patterns in gitignore syntax, for tracked files too. */
  exclude: readonly string[]
  /** Path of the ZIP to write; what stands there is replaced. */
  target: string
  /** Name of the top-level directory, such as GITHUB_REPOSITORY; default: the remote's name, else the folder's. */
  topLevel?: string
  signal?: AbortSignal
  /** Called now and then. */
  progress?: (done: Progress) => void
}

export interface Progress {
  files: number
  ofFiles: number
  /** Bytes of content. */
  bytes: number
  ofBytes: number
}

export interface PackedArchive {
  path: string
  bytes: number
  files: number
  /** Of the whole ZIP, in hex. */
  sha512: string
  /** The top-level directory. */
  name: string
  /** The ten files that take most of the archive, and what they take in it. */
  largest: { name: string; bytes: number }[]
  uncompressedBytes: number
  /** What the reader should know, as sentences. */
  notices: string[]
  /** Build and IDE folders that were left out without being asked for. */
  leftOut: string[]
}

/** A ZIP without its 64-bit extension has two-byte counts, the highest of which is taken, and four-byte sizes. */
const mostEntries = 65_534
const mostBytes = 2 ** 32 - 1

const batchBytes = 1 << 20
const batchFiles = 128
/** Content that is read and not written yet. */
const bytesInFlight = 32 << 20
/** Two for each of libuv's threads. */
const batchesInFlight = 8

/**
 * Packs a folder: sorted names, one constant time and normalized modes, so that the same content gives the
 * same bytes on any machine. On failure or abort no half archive stays behind.
 */
export async function packSource(options: PackOptions): Promise<PackedArchive> {
  const { source, exclude, target, signal } = options
  const listing = await listFiles(source, { exclude, skip: target, ...(signal && { signal }) })
  const { files, notices, leftOut } = listing
  checkLimits(files)
  const name =
    options.topLevel === undefined ? await defaultName(listing, signal) : topLevelName(options.topLevel)
  const written = await writeZip(target, name, files, options)
  return { path: target, name, files: files.length, ...written, notices, leftOut }
}

/** Throws for what could not be packed, before any content is read. */
export function checkLimits(files: readonly { name: string; bytes: number }[]): void {
  if (files.length === 0) {
    throw new ArchiveError(
      'The folder has no files to pack: it is empty, or all that is in it is ignored or excluded. Check the inputs source and exclude.',
    )
  }
  if (files.length > mostEntries) {
    throw new ArchiveError(
      `The folder has ${files.length} files, but an archive can hold at most ${mostEntries}. Set the input source to the test suite's folder, or leave files out with the input exclude.`,
    )
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > mostBytes) {
    const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 10)
    throw new ArchiveError(
      `The files take ${size(bytes)}, but an archive can hold at most 4 GiB. The largest are ${named(largest)}. Leave out with the input exclude what the test does not need.`,
    )
  }
}

/** Names with sizes, for a sentence. */
export function named(files: readonly { name: string; bytes: number }[]): string {
  return files.map((file) => `${quoted(file.name)} (${size(file.bytes)})`).join(', ')
}

type Written = Pick<PackedArchive, 'bytes' | 'sha512' | 'largest' | 'uncompressedBytes'>

async function writeZip(
  target: string,
  topLevel: string,
  files: readonly SourceFile[],
  { signal, progress }: PackOptions,
): Promise<Written> {
  const handle = await open(target, 'w').catch((error: unknown) => {
    throw unwritable(target, error)
  })
  try {
    const output = new Output(handle, target)
    const format = new ZipFormat()
    const directory: Buffer[] = []
    const entries: ZipEntryFigures[] = []
    const ofBytes = files.reduce((sum, file) => sum + file.bytes, 0)
    let bytes = 0
    for await (const [file, entry] of deflatedInOrder(files, signal)) {
      signal?.throwIfAborted()
      const figures = {
        name: `${topLevel}/${file.name}`,
        mode: file.target !== undefined ? 0o120777 : file.executable ? 0o100755 : 0o100644,
        deflated: entry.deflated,
        crc: entry.crc,
        bytes: entry.bytes,
        packedBytes: entry.data.length,
        offset: output.bytes,
      }
      const { local, central } = format.headers(figures)
      entries.push(figures)
      directory.push(central)
      await output.write(local)
      await output.write(entry.data)
      bytes += entry.bytes
      if (entries.length % 500 === 0 || entries.length === files.length) {
        progress?.({ files: entries.length, ofFiles: files.length, bytes, ofBytes })
      }
    }
    const start = output.bytes
    for (const central of directory) await output.write(central)
    if (output.bytes > mostBytes) {
      throw new ArchiveError(
        'The archive would be larger than 4 GiB. Leave out with the input exclude what the test does not need.',
      )
    }
    await output.write(format.end(entries.length, output.bytes - start, start))
    const sha512 = await output.finish()
    signal?.throwIfAborted()
    await handle.close()
    const largest = entries
      .map((entry) => ({ name: entry.name, bytes: entry.packedBytes }))
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, 10)
    return { bytes: output.bytes, sha512, largest, uncompressedBytes: bytes }
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(target, { force: true })
    throw error
  }
}

/** Deflates ahead, within bounds, and gives the entries in the order of the files. */
async function* deflatedInOrder(
  files: readonly SourceFile[],
  signal?: AbortSignal,
): AsyncGenerator<[SourceFile, Deflated]> {
  const stop = new AbortController()
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const ahead: { batch: SourceFile[]; bytes: number; done: Promise<Deflated[]> }[] = []
  const batches = inBatches(files)
  let next = batches.next()
  let inFlight = 0
  try {
    while (!next.done || ahead.length > 0) {
      while (!next.done && (ahead.length === 0 || inFlight + next.value.bytes <= bytesInFlight)) {
        if (ahead.length >= batchesInFlight) break
        const { batch, bytes } = next.value
        const done = deflate(batch, both)
        // It is awaited below, or in vain after a failure of another.
        done.catch(() => undefined)
        ahead.push({ batch, bytes, done })
        inFlight += bytes
        next = batches.next()
      }
      const first = ahead.shift()
      if (!first) continue
      const deflated = await first.done
      for (const [i, file] of first.batch.entries()) {
        const entry = deflated[i]
        if (entry) yield [file, entry]
      }
      inFlight -= first.bytes
    }
  } finally {
    stop.abort()
    await Promise.allSettled(ahead.map(({ done }) => done))
  }
}

function* inBatches(
  files: readonly SourceFile[],
): Generator<{ batch: SourceFile[]; bytes: number }, undefined> {
  let batch: SourceFile[] = []
  let bytes = 0
  for (const file of files) {
    if (batch.length > 0 && (batch.length >= batchFiles || bytes + file.bytes > batchBytes)) {
      yield { batch, bytes }
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.bytes
  }
  if (batch.length > 0) yield { batch, bytes }
  return undefined
}

/** Writes in pieces of about 1 MiB and digests what it writes. */
class Output {
  bytes = 0
  readonly #hash = createHash('sha512')
  #waiting: Buffer[] = []
  #waitingBytes = 0

  constructor(
    readonly handle: FileHandle,
    readonly path: string,
  ) {}

  async write(data: Buffer): Promise<void> {
    this.#waiting.push(data)
    this.#waitingBytes += data.length
    this.bytes += data.length
    if (this.#waitingBytes >= 1 << 20) await this.#flush()
  }

  /** The SHA-512 of all that was written, in hex. */
  async finish(): Promise<string> {
    await this.#flush()
    return this.#hash.digest('hex')
  }

  async #flush(): Promise<void> {
    const [only] = this.#waiting
    const data = this.#waiting.length === 1 && only ? only : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#hash.update(data)
    try {
      // A single call may write less than it was given.
      for (let at = 0; at < data.length;) at += (await this.handle.write(data, at)).bytesWritten
    } catch (error) {
      throw unwritable(this.path, error)
    }
  }
}

function unwritable(path: string, error: unknown): ArchiveError {
  const full = errorCode(error) === 'ENOSPC'
  return new ArchiveError(
    `The archive ${quoted(path)} could not be written: ${cause(error)}. ${full ? 'Free some disk space' : 'Make the folder writable'} on the runner.`,
    { cause: error },
  )
}
