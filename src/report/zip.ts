import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl'
import { ReportError } from '../errors.js'
import { oneLine } from '../foreign-text.js'
import { ArchiveGuard, type EntryKind } from './archive-guard.js'
import { isBefore, type EntryName } from './entry-name.js'
import type { ReportLimits } from './report-limits.js'
import { checkSize, xmlPaths, type ReportFiles } from './xml-files.js'
import { ZipFileReader } from './zip-file.js'

interface Candidate {
  name: EntryName
  entry: Entry
}

/**
 * The XML files of a ZIP that is complete on disk; its list of entries stands at its end. Every entry must lie
 * inside the file; the two that are read are held against their checksums.
 *
 * @throws ReportError
 */
export async function readZip(path: string, prefix: string, limits: ReportLimits): Promise<ReportFiles> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const zip = await damagedUnless(
      fromRandomAccessReaderPromise(new ZipFileReader(path, file, size), size, {
        autoClose: false,
        decodeStrings: false,
      }),
    )
    const guard = new ArchiveGuard(limits)
    const { testReports, scorecards } = await candidates(zip, guard, size)
    const best = testReports.reduce<Candidate | undefined>(
      (found, one) => (found === undefined || isBefore(one.name, found.name) ? one : found),
      undefined,
    )
    if (best === undefined) throw guard.noTestReport()
    const scorecard = scorecards.find((one) => one.name.folder === best.name.folder)
    return await unpack(zip, best, scorecard, prefix, limits)
  } finally {
    await file.close()
  }
}

async function candidates(
  zip: ZipFile,
  guard: ArchiveGuard,
  size: number,
): Promise<{ testReports: Candidate[]; scorecards: Candidate[] }> {
  const found = { testReports: new Array<Candidate>(), scorecards: new Array<Candidate>() }
  const entries = zip.eachEntry()
  let unpacked = 0
  for (;;) {
    const next = await damagedUnless(entries.next())
    if (next.done === true) return found
    const entry: Entry = next.value
    const raw = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)
    const { name, wanted } = guard.entry(raw, kindOf(entry, raw))
    unpacked += entry.uncompressedSize
    guard.unpacked(unpacked, size)
    // 30 bytes of local header, at least.
    if (entry.relativeOffsetOfLocalHeader + 30 + entry.compressedSize > size) {
      throw damaged(`"${oneLine(name.path, 120)}" lies outside the file`)
    }
    if (wanted === 'testreport') found.testReports.push({ name, entry })
    if (wanted === 'scorecard') found.scorecards.push({ name, entry })
  }
}

async function unpack(
  zip: ZipFile,
  testReport: Candidate,
  scorecard: Candidate | undefined,
  prefix: string,
  limits: ReportLimits,
): Promise<ReportFiles> {
  const paths = xmlPaths(prefix)
  try {
    checkSize('testreport', testReport.entry.uncompressedSize, limits)
    await unpackOne(zip, testReport, paths.testReport)
    if (scorecard === undefined) {
      await rm(paths.scorecard, { force: true })
      return { testReport: paths.testReport, folder: testReport.name.folder }
    }
    checkSize('scorecard', scorecard.entry.uncompressedSize, limits)
    await unpackOne(zip, scorecard, paths.scorecard)
    return { ...paths, folder: testReport.name.folder }
  } catch (error) {
    await rm(paths.testReport, { force: true })
    await rm(paths.scorecard, { force: true })
    throw error
  }
}

async function unpackOne(zip: ZipFile, { name, entry }: Candidate, target: string): Promise<void> {
  const shown = oneLine(name.path, 120)
  if (entry.isEncrypted()) {
    throw new ReportError(`The report archive is refused: its entry "${shown}" is encrypted.`)
  }
  let checksum = 0
  const summed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      checksum = crc32(chunk, checksum)
      done(null, chunk)
    },
  })
  const bytes = await damagedUnless(zip.openReadStreamPromise(entry))
  await damagedUnless(pipeline(bytes, summed, createWriteStream(target)))
  if (checksum !== entry.crc32) throw damaged(`the checksum of "${shown}" is wrong`)
}

/** Made on Unix, an entry carries its file mode. */
function kindOf(entry: Entry, name: string): EntryKind {
  const unix = entry.versionMadeBy >>> 8 === 3
  switch (unix ? (entry.externalFileAttributes >>> 28) & 0xf : 0) {
    case 0:
    case 0o10:
      return name.endsWith('/') ? 'folder' : 'file'
    case 0o04:
      return 'folder'
    case 0o12:
      return 'link'
    default:
      return 'device'
  }
}

/** The library's faults are about the archive's content; those of the file system pass as they are. */
async function damagedUnless<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isSystemFault(error)) throw error
    const isFault = typeof error === 'object' && error !== null && 'message' in error
    throw damaged(oneLine(String(isFault ? error.message : error)), error)
  }
}

function isSystemFault(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error
}

function damaged(what: string, cause?: unknown): ReportError {
  return new ReportError(`The report archive is cut short or damaged: ${what}. Download it again.`, { cause })
}
