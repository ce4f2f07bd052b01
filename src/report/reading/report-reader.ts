import { createReadStream, createWriteStream, type Dirent } from 'node:fs'
import { lstat, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { ReportError } from '../../errors.js'
import { oneLine } from '../../text/foreign-text.js'
import { isBelow, isOfGit } from '../../text/regular-file.js'
import { looksSecret } from '../../text/secret-name.js'
import { archiveKind, headOf, reportLimits, ArchiveFaults, ArchiveGuard } from '../../unpack/guard.js'
import type { ArchiveLimits, EntryKind } from '../../unpack/guard.js'
import { readStoredArchive, receiveArchive, whatItIs, type ReceivedArchive } from '../../unpack/unpack.js'
import { unpackOnlyFile } from '../../unpack/zip.js'
import type { ReadOptions, Format } from '../format.js'
import { timerKinds, type Figures, type Lack, type Report } from '../report.js'
import { formats } from '../formats/formats.js'
import { hasFigure } from '../formats/timers.js'
import { headSize } from '../formats/text-rows.js'
import { ReportCharts } from './kept-charts.js'
import {
  bytesOf,
  candidate,
  chosen,
  ExtractedParts,
  folderOf,
  isCandidate,
  lookedFor,
  NoRoomError,
  recognised,
  type FoundFile,
  type ReportFiles,
} from './report-parts.js'

/** A report as a whole archive on disk, and its files. */
export interface ReceivedReport extends ReceivedArchive {
  /** Entries whose names look like secrets. */
  suspicious: string[]
  /** Absent if there was no room for them on the disk. */
  files?: ReportFiles
  fault?: ReportError
}

/**
 * What a report says, whatever its format.
 *
 * @throws ReportError if it is truncated, foreign or hostile
 */
export async function readReport(
  { format, parts, beside }: ReportFiles,
  asked: ReadOptions = {},
): Promise<Figures> {
  const { given } = asked
  const figures = await format.read(parts, beside, asked).catch((error: unknown) => {
    if (given === undefined || !(error instanceof ReportError)) throw error
    throw new ReportError(`${oneLine(given)}: ${error.message}`, { cause: error })
  })
  return { ...figures, lack: lackOf(format, figures.report) }
}

/** What a format lacks, and which other one of the same tool has it. */
function lackOf({ tool, name, isRaw, has, unless = [] }: Format, { timers }: Report): Lack {
  return (kind, metric) => {
    const figure = `${kind} ${metric}`
    // A run without any has no figures of them, however it is told to write them.
    const isNone = timerKinds.some(
      (one) => one === kind && !timers[one].summary && !timers[one].timers.some(hasFigure),
    )
    const [, how] = (isNone ? undefined : unless.find(([figures]) => figures.test(figure))) ?? []
    const isThere = has.test(figure)
    if (tool === undefined || (isThere && how === undefined)) return undefined
    const kinds = kind.replace(/[A-Z]|-/g, (sign) => ` ${sign.replace('-', '').toLowerCase()}`)
    // What samples do not have, no summary of them has.
    const others = formats.filter(
      (one) => one.tool === tool && one.name !== name && (one.isRaw || !isRaw) && one.has.test(figure),
    )
    const elsewhere = others.map((one) => one.name).join(' and in ')
    const isMany = metric === 'errors'
    const lacks = `There ${isMany ? 'are' : 'is'} no ${metric} of ${kinds} in ${name}${isThere ? `, unless ${how}` : ''}.`
    if (elsewhere) return `${lacks} ${isMany ? 'They are' : 'It is'} in ${elsewhere}.`
    return isThere ? lacks : `${lacks} No file of ${tool} that is read has ${isMany ? 'them' : 'it'}.`
  }
}

/**
 * The files of the report at a path: itself, or what its folder or archive holds; or those of several files of one run.
 *
 * @param scratch files of an archive are put at this path, with an ending
 * @param also formats of what may be there in place of a report
 * @throws ReportError if there is none, or it is unclear which one is meant, or its archive is damaged or hostile
 */
export async function reportFiles(
  paths: readonly string[],
  scratch: string,
  also: readonly Format[] = [],
): Promise<ReportFiles> {
  const content = await contentAt(paths, scratch, [...formats, ...also])
  if (content.kind !== 'archive') return await filesOf(content, scratch)
  const parts = new ExtractedParts(scratch, reportLimits)
  try {
    await readStoredArchive(content.path, parts)
    return await parts.files()
  } catch (error) {
    await parts.discard()
    throw error
  }
}

/**
 * A copy of the report at a path as one archive, with its files: an archive is one already; a folder, or files, are packed
 * as .tar.gz, and read where they are.
 *
 * @param target where the archive is put
 * @throws ReportError as `reportFiles`
 */
export async function takeReport(
  paths: readonly string[],
  target: string,
  signal: AbortSignal,
): Promise<ReceivedReport> {
  const content = await contentAt(paths, target, formats)
  if (content.kind === 'archive') {
    return await receiveReport(createReadStream(content.path, { highWaterMark: 256 * 1024, signal }), target)
  }
  const files = await filesOf(content, target)
  const packed = content.kind === 'folder' ? filesBelow(content.path) : content.found.map(packedAs)
  return { ...(await packTarGz(packed, target, signal)), files }
}

/**
 * Writes a report archive to `path` while it streams by, and puts its files beside it in the same pass.
 *
 * @throws ReportError if it is not a report archive, or is truncated, damaged or hostile: then nothing is left of it
 */
export async function receiveReport(
  source: AsyncIterable<Uint8Array>,
  path: string,
  limits: ArchiveLimits = reportLimits,
): Promise<ReceivedReport> {
  const parts = new ExtractedParts(path, limits)
  const { suspicious } = parts
  try {
    const archive = await receiveArchive(source, path, parts)
    try {
      return { ...archive, suspicious, files: await parts.files() }
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error
      await parts.discard()
      return { ...archive, suspicious, fault: error }
    }
  } catch (error) {
    await parts.discard()
    await rm(path, { force: true })
    throw error
  }
}

type Content =
  { kind: 'folder'; path: string } | { kind: 'archive'; path: string } | { kind: 'files'; found: FoundFile[] }

/** What there is, by its content. */
async function contentAt(
  given: readonly string[],
  scratch: string,
  among: readonly Format[],
): Promise<Content> {
  const paths = await Promise.all(given.map((path) => realpath(path)))
  const [path = ''] = paths
  if (paths.length > 1) {
    let base = dirname(path)
    while (!paths.every((one) => isBelow(base, one))) base = dirname(base)
    const found = paths.map(async (one) => fileAt(one, relative(base, one).split(sep).join('-'), among))
    return { kind: 'files', found: await Promise.all(found) }
  }
  const stats = await stat(path)
  if (stats.isDirectory()) return { kind: 'folder', path }
  const head = await headOf(path, headSize)
  const kind = archiveKind(head)
  if (kind === 'zip') {
    const inner = `${scratch}.inner`
    const isWrapped = await unpackOnlyFile(path, inner, /\.(?:tar\.gz|tgz|zip)$/i, reportLimits)
    return { kind: 'archive', path: isWrapped ? inner : path }
  }
  const { format, start } = recognised(path, head, among)
  // The headers of a tar have zeros, and texts have none.
  const isTar = start.includes(0) || (start.length === 0 && !isCandidate(path))
  if (kind && !format && isTar) return { kind: 'archive', path }
  const own = await fileAt(path, basename(path), among)
  const beside = own.format ? await foundBeside(dirname(path), own.path, own.format) : []
  return { kind: 'files', found: [own, ...beside] }
}

/** One of several files. */
async function fileAt(path: string, name: string, among: readonly Format[]): Promise<FoundFile> {
  const head = await headOf(path, headSize)
  const { format, isPacked, start } = recognised(path, head, among)
  const found = format ? { format, isPacked } : candidate(name, head)
  if (!found || found.unread) throw noReport(path, start, isPacked)
  return { path: name, file: path, size: (await stat(path)).size, ...found }
}

function noReport(path: string, start: Buffer, isPacked: boolean): ReportError {
  const name = oneLine(basename(path), 80)
  if (archiveKind(start)) {
    return new ReportError(
      `${name} is an archive, and of several files none may be one. Name it alone, or unpack it in an earlier step.`,
    )
  }
  const other =
    'What any other tool measured can be written as the last of these: docs/judge-other-reports.md says how.'
  const what = isPacked && start.length === 0 ? 'is packed, and damaged or empty' : whatItIs(start)
  return new ReportError(`${name} ${what}, and is no report or archive of one. ${lookedFor} ${other}`)
}

async function filesOf(content: Exclude<Content, { kind: 'archive' }>, scratch: string) {
  const files =
    content.kind === 'folder'
      ? chosen(await foundIn(content.path), 'The report folder contains')
      : chosen(content.found, 'The files are')
  if (files) {
    await new ReportCharts(scratch).settle(files.format, files.parts, 'disk')
    return files
  }
  throw new ReportError(
    `There is no report that can be read. ${lookedFor} Name the file or folder of a load test's report.`,
  )
}

const mostFolders = 10_000

/**
 * What may be a report in the shallowest folders that hold one. Links are not followed, and Git's own folders not
 * searched.
 *
 * @throws ReportError if too many folders would have to be searched
 */
async function foundIn(folder: string): Promise<FoundFile[]> {
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
async function foundBeside(folder: string, path: string, { beside }: Format): Promise<FoundFile[]> {
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
interface Packed {
  /** In the archive. */
  name: string
  file: string
  kind: EntryKind
}

/** All files of a folder, those of a folder before the folders in it, sorted by name. */
async function* filesBelow(folder: string, name = basename(folder) || 'report'): AsyncGenerator<Packed> {
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
async function packTarGz(
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

/** Under a name by which it is found again. */
function packedAs({ path, file, format }: FoundFile): Packed {
  const name = format && !format.files.test(path) ? format.usualName : path
  return { name: `report/${name}`, file, kind: 'file' }
}
