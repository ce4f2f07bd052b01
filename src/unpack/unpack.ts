import { createReadStream } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { NoArchiveError, ReportError } from '../errors.js'
import { ArchiveFaults, ArchiveGuard, resultLimits, type ArchiveLimits, type Taker } from './guard.js'
import { archiveKind, headOf, type ArchiveKind } from './kind.js'
import { TarGzReader } from './tar.js'
import { unwrapped, type Decoder } from './unwrapped.js'
import { readZip } from './zip.js'

/** A whole archive on disk. */
export interface ReceivedArchive {
  kind: ArchiveKind
  path: string
  bytes: number
}

/**
 * Writes an archive to `path` while it streams by, and reads it in the same pass (a ZIP right after): it is complete
 * and not hostile when this returns. Memory does not grow with it. After a fault nothing is left of it.
 *
 * @param source bytes in any portions; its own faults are thrown unchanged, and it is closed when this throws
 * @param decoder undoes what a proxy may have done to the archive
 * @throws ReportError if it is not an archive, or is truncated, damaged or hostile
 */
export async function receiveArchive(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { guard, taker }: Contents,
  decoder?: Decoder,
): Promise<ReceivedArchive> {
  const contents = { guard, taker }
  try {
    const { kind, bytes } = await readStream(unwrapped(source, guard, decoder), contents, path)
    if (kind === 'zip') await readZip(path, guard, taker)
    return { kind, path, bytes }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** How an archive is read. */
interface Contents {
  guard: ArchiveGuard
  taker: Taker
}

/** For a result archive, which is only checked. */
export function unread(limits: ArchiveLimits = resultLimits): Contents {
  const guard = new ArchiveGuard(limits, new ArchiveFaults('result archive'))
  return { guard, taker: { wants: () => false, take: async () => undefined } }
}

/** Reads an archive that is on disk already. @throws ReportError as `receiveArchive` */
export async function readStoredArchive(path: string, contents: Contents): Promise<void> {
  if (archiveKind(await headOf(path)) === 'zip') await readZip(path, contents.guard, contents.taker)
  else await readStream(createReadStream(path, { highWaterMark: portionSize }), contents)
}

/** @param target where the archive is written, unless it is on disk already */
async function readStream(
  source: AsyncIterable<Uint8Array>,
  contents: Contents,
  target?: string,
): Promise<Pick<ReceivedArchive, 'kind' | 'bytes'>> {
  const reader = new PortionReader(contents, target)
  try {
    for await (const portion of inPortions(source)) await reader.take(portion)
    return await reader.end()
  } catch (error) {
    await reader.discard()
    throw error
  }
}

/** Writes an archive to disk, and reads it if it is a tar: one portion while the next one arrives. */
class PortionReader {
  readonly #contents: Contents
  readonly #opening: Promise<FileHandle> | undefined
  #underWay: Promise<unknown> = Promise.resolve()
  #kind: ArchiveKind | undefined
  #tar: TarGzReader | undefined
  #bytes = 0

  constructor(contents: Contents, target: string | undefined) {
    this.#contents = contents
    this.#opening = target === undefined ? undefined : open(target, 'w')
    // Thrown with the first portion, where the source is closed for it.
    this.#opening?.catch(() => undefined)
  }

  /** Returns once the portion before is written and read. */
  async take(portion: Buffer): Promise<void> {
    await this.#underWay
    this.#bytes += portion.length
    if (this.#kind === undefined) this.#begin(portion)
    const disk = await this.#opening
    this.#underWay = Promise.all([disk && writeWhole(disk, portion), this.#tar?.take(portion)])
    // Whoever waits for it gets the fault; until then it must not count as unhandled.
    this.#underWay.catch(() => undefined)
  }

  /** @throws ReportError if it is empty, or its tar is not complete */
  async end(): Promise<Pick<ReceivedArchive, 'kind' | 'bytes'>> {
    await this.#underWay
    await (await this.#opening)?.close()
    if (this.#kind === undefined) throw notAnArchive(Buffer.alloc(0), this.#contents.guard.faults)
    await this.#tar?.end()
    return { kind: this.#kind, bytes: this.#bytes }
  }

  /** After a fault. */
  async discard(): Promise<void> {
    await this.#tar?.discard()
    await this.#underWay.catch(() => undefined)
    await this.#opening?.then(
      (disk) => disk.close(),
      () => undefined,
    )
  }

  /** @throws ReportError if these are not the first bytes of an archive */
  #begin(portion: Buffer): void {
    const { guard, taker } = this.#contents
    this.#kind = archiveKind(portion)
    if (this.#kind === undefined) throw notAnArchive(portion, guard.faults)
    if (this.#kind !== 'zip') this.#tar = new TarGzReader(guard, taker, this.#kind === 'tar.gz')
  }
}

/** A single call may write less than it was given. */
async function writeWhole(file: FileHandle, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length;) at += (await file.write(data, at)).bytesWritten
}

function notAnArchive(head: Uint8Array, faults: ArchiveFaults): ReportError {
  const kind = /[\0-\x08\x0e-\x1f]/.test(startOf(head)) ? ReportError : NoArchiveError
  return new kind(
    `The ${faults.what} ${whatItIs(head)}: it is neither a .tar.gz nor a .zip. Download it again.`,
  )
}

/** What bytes that are no archive are, as the end of a sentence. */
export function whatItIs(head: Uint8Array): string {
  const text = startOf(head)
  if (head.length === 0) return 'is empty'
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(text))
    return 'is a web page (HTML), perhaps an error or sign-in page'
  if (text.startsWith('<')) return 'is XML or HTML text'
  if (/^[{[]/.test(text)) return 'is JSON text, perhaps an error message'
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
export async function* inPortions(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
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
}
