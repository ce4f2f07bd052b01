import { createReadStream } from 'node:fs'
import { open, rm, stat, type FileHandle } from 'node:fs/promises'
import { isDiskFull, message, NoArchiveError, ReportError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { ArchiveFaults } from './faults.js'
import { ArchiveGuard } from './guard.js'
import { archiveKind, headOf, type ArchiveKind } from './kind.js'
import { nothingOf, type Contents } from './contents.js'
import { inPortions } from './portions.js'
import { ReportContents, type TakenReport } from './report-contents.js'
import { reportLimits, resultLimits, type ArchiveLimits, type ReportLimits } from './limits.js'
import { TarGzReader } from './tar-gz.js'
import { unwrapped, type Decoder } from './unwrapped.js'
import { readReportZip } from './zip.js'

/** A whole archive on disk. */
export interface ReceivedArchive {
  kind: ArchiveKind
  path: string
  bytes: number
}

/** A whole report archive, and its XML files beside it. */
export interface ReceivedReport extends ReceivedArchive, TakenReport {}

/** The archive is whole on disk, but there is no room beside it for its XML files. */
export class NoRoomError extends ReportError {
  override name = 'NoRoomError'

  constructor(
    readonly archive: ReceivedArchive,
    cause: unknown,
  ) {
    super(`The report could not be unpacked. ${message(cause)}`, { cause })
  }
}

export interface ReadOptions {
  limits?: Partial<ReportLimits>
  /** The XML files are put at this path with `.testreport.xml` and `.scorecard.xml` appended. */
  xmlPrefix?: string
  /** Undoes what a proxy may have done to the archive. */
  decoder?: Decoder | undefined
}

const headSize = 64

/**
 * Writes a report archive to `path` while it streams by, and extracts its testreport.xml and scorecard.xml in the
 * same pass (for a ZIP: right after). The archive is complete when this returns. Memory does not grow with the
 * archive. After a fault nothing is left of it, except after a NoRoomError.
 *
 * @param source bytes in any portions; its own faults are thrown unchanged, and it is closed when this throws
 * @throws ReportError if it is not a report archive, or is truncated, damaged or hostile; NoRoomError
 */
export async function receiveReport(
  source: AsyncIterable<Uint8Array>,
  path: string,
  options: ReadOptions = {},
): Promise<ReceivedReport> {
  const contents = new ReportContents(options.xmlPrefix ?? path, { ...reportLimits, ...options.limits })
  const archive = unwrapped(source, contents.guard, options.decoder)
  return await readStream(archive, path, contents, path)
}

/**
 * Writes a result archive to `path` while it streams by, and checks in the same pass that it is complete and not
 * hostile (for a ZIP: right after, by its list of entries). Nothing is extracted. After a fault nothing is left of it.
 *
 * @param source as in receiveReport
 * @throws ReportError if it is not an archive, or is truncated, damaged or hostile
 */
export async function receiveArchive(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { limits = {}, decoder }: { limits?: Partial<ArchiveLimits> } & Pick<ReadOptions, 'decoder'> = {},
): Promise<ReceivedArchive> {
  const guard = new ArchiveGuard({ ...resultLimits, ...limits }, new ArchiveFaults('result'))
  return await readStream(unwrapped(source, guard, decoder), path, nothingOf(guard), path)
}

/**
 * Reads the XML files of a report archive that is on disk already, such as a baseline.
 *
 * @param xmlPrefix where the XML files are put, as in ReadOptions
 * @throws ReportError that begins with the path
 */
export async function readReportArchive(
  path: string,
  xmlPrefix: string,
  limits: Partial<ReportLimits> = {},
): Promise<ReceivedReport> {
  try {
    const contents = new ReportContents(xmlPrefix, { ...reportLimits, ...limits })
    if (archiveKind(await headOf(path)) === 'zip') {
      const { size } = await stat(path)
      return { kind: 'zip', path, bytes: size, ...(await zipContents(path, contents)) }
    }
    return await readStream(createReadStream(path, { highWaterMark: 256 * 1024 }), path, contents)
  } catch (error) {
    throw error instanceof ReportError || isDiskFull(error)
      ? new ReportError(`${oneLine(path)}: ${message(error)}`, { cause: error })
      : error
  }
}

/** @param target where the archive is written, unless it is on disk already */
async function readStream<T>(
  source: AsyncIterable<Uint8Array>,
  path: string,
  contents: Contents<T>,
  target?: string,
): Promise<ReceivedArchive & T> {
  const taker = new PortionTaker(contents, target)
  let whole: ReceivedArchive | undefined
  try {
    for await (const portion of inPortions(source)) await taker.take(portion)
    const { kind, bytes } = await taker.end()
    whole = { kind, path, bytes }
    const taken = kind === 'zip' ? await readReportZip(path, contents) : await contents.tarEnd()
    return { ...whole, ...taken }
  } catch (error) {
    await taker.discard()
    await contents.discard()
    if (whole !== undefined && isDiskFull(error)) throw new NoRoomError(whole, error)
    if (target !== undefined) await rm(target, { force: true })
    throw error
  }
}

/** Writes an archive to disk, and reads it if it is a tar: one portion while the next one arrives. */
class PortionTaker {
  readonly #contents: Contents<unknown>
  readonly #opening: Promise<FileHandle> | undefined
  #underWay: Promise<unknown> = Promise.resolve()
  #kind: ArchiveKind | undefined
  #tar: TarGzReader | undefined
  #bytes = 0

  constructor(contents: Contents<unknown>, target: string | undefined) {
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
  async end(): Promise<{ kind: ArchiveKind; bytes: number }> {
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
    const { guard, tarEntry } = this.#contents
    this.#kind = archiveKind(portion)
    if (this.#kind === undefined) throw notAnArchive(portion, guard.faults)
    if (this.#kind !== 'zip') this.#tar = new TarGzReader(guard, tarEntry, this.#kind === 'tar.gz')
  }
}

/** A single call may write less than it was given. */
async function writeWhole(file: FileHandle, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length;) at += (await file.write(data, at)).bytesWritten
}

async function zipContents<T>(path: string, contents: Contents<T>): Promise<T> {
  try {
    return await readReportZip(path, contents)
  } catch (error) {
    await contents.discard()
    throw error
  }
}

function notAnArchive(head: Uint8Array, { holds }: ArchiveFaults): ReportError {
  const text = Buffer.from(head.subarray(0, headSize)).toString('latin1').replace(/^ï»¿/, '').trimStart()
  const is =
    head.length === 0
      ? 'is empty'
      : /^(?:<!doctype html|<html|<head|<body)/i.test(text)
        ? 'is a web page (HTML), perhaps an error or sign-in page'
        : text.startsWith('<')
          ? 'is XML or HTML text'
          : /^[{[]/.test(text)
            ? 'is JSON text, perhaps an error message'
            : `begins with the bytes ${Buffer.from(head.subarray(0, 4)).toString('hex')}`
  const kind = /[\0-\x08\x0e-\x1f]/.test(text) ? ReportError : NoArchiveError
  return new kind(`The ${holds} archive ${is}: it is neither a .tar.gz nor a .zip. Download it again.`)
}
