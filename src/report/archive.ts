import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { ReportError } from '../errors.js'
import { oneLine } from '../foreign-text.js'
import { Outlet } from './outlet.js'
import { reportLimits, type ReportLimits } from './report-limits.js'
import { TarGzReader } from './tar-gz.js'
import type { ReportFiles } from './xml-files.js'
import { readZip } from './zip.js'

export type ArchiveKind = 'tar.gz' | 'zip'

/** A whole report archive, and its XML files beside it. */
export interface ReceivedReport extends ReportFiles {
  kind: ArchiveKind
  /** Path of the archive. */
  path: string
  bytes: number
}

export interface ReadOptions {
  limits?: Partial<ReportLimits>
  /** The XML files are put at this path with `.testreport.xml` and `.scorecard.xml` appended. */
  xmlPrefix?: string
}

const headSize = 64

/**
 * Writes a report archive to `path` while it streams by, and takes its testreport.xml and scorecard.xml out of it
 * in the same pass (of a ZIP: right after). The archive is whole when this returns. Memory does not grow with
 * the archive. After a fault the XML files are removed; what came of the archive stays.
 *
 * @param source bytes in any portions; a fault of its own is thrown as it is, and it is closed when this throws
 * @throws ReportError where it is no report archive, is cut short, damaged or hostile
 */
export async function receiveReport(
  source: AsyncIterable<Uint8Array>,
  path: string,
  options: ReadOptions = {},
): Promise<ReceivedReport> {
  const file = createWriteStream(path, { highWaterMark: 1024 * 1024 })
  const disk = new Outlet(file, finished(file))
  return await readStream(source, path, { ...options, disk })
}

/**
 * The same for an archive that is on disk already, such as a baseline.
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
    if (archiveKind(await headOf(path)) === 'zip') {
      const files = await readZip(path, xmlPrefix, { ...reportLimits, ...limits })
      return { kind: 'zip', path, bytes: (await stat(path)).size, ...files }
    }
    return await readStream(createReadStream(path, { highWaterMark: 256 * 1024 }), path, {
      xmlPrefix,
      limits,
    })
  } catch (error) {
    throw error instanceof ReportError
      ? new ReportError(`${oneLine(path)}: ${error.message}`, { cause: error })
      : error
  }
}

/** What an archive's first bytes make it, whatever its name; undefined for anything else. */
export function archiveKind(head: Uint8Array): ArchiveKind | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'tar.gz'
  const isZip = head[0] === 0x50 && head[1] === 0x4b
  // An archive without entries begins with the record that ends others.
  if (isZip && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))) return 'zip'
  return undefined
}

async function readStream(
  source: AsyncIterable<Uint8Array>,
  path: string,
  options: ReadOptions & { disk?: Outlet },
): Promise<ReceivedReport> {
  const { disk } = options
  const prefix = options.xmlPrefix ?? path
  const limits = { ...reportLimits, ...options.limits }
  let head: Uint8Array = Buffer.alloc(0)
  let kind: ArchiveKind | undefined
  let tar: TarGzReader | undefined
  let bytes = 0
  try {
    for await (const chunk of source) {
      bytes += chunk.length
      await disk?.take(chunk)
      if (kind !== undefined) {
        await tar?.take(chunk)
        continue
      }
      head = Buffer.concat([head, chunk])
      kind = archiveKind(head)
      if (kind === undefined && head.length >= headSize) throw notAnArchive(head)
      if (kind === 'tar.gz') {
        tar = new TarGzReader(prefix, limits)
        await tar.take(head)
      }
    }
    await disk?.end()
    if (kind === undefined) throw notAnArchive(head)
    const files = tar === undefined ? await readZip(path, prefix, limits) : await tar.finish()
    return { kind, path, bytes, ...files }
  } catch (error) {
    await disk?.destroy()
    await tar?.discard()
    throw error
  }
}

/** The first bytes of a file, as many as tell its kind. */
export async function headOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function notAnArchive(head: Uint8Array): ReportError {
  const text = Buffer.from(head.subarray(0, headSize))
    .toString('latin1')
    .replace(/^ï»¿/, '')
    .trimStart()
    .toLowerCase()
  const is =
    head.length === 0
      ? 'is empty'
      : /^(?:<!doctype html|<html|<head|<body)/.test(text)
        ? 'is a web page (HTML), perhaps an error or sign-in page'
        : text.startsWith('<')
          ? 'is XML or HTML text'
          : /^[{[]/.test(text)
            ? 'is JSON text, perhaps an error message'
            : `begins with the bytes ${Buffer.from(head.subarray(0, 4)).toString('hex')}`
  return new ReportError(`The report archive ${is}: it is neither a .tar.gz nor a .zip. Download it again.`)
}
