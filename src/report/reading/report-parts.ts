import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { isDiskFull, message, ReportError } from '../../errors.js'
import { reading } from '../../garbage.js'
import { oneLine } from '../../text/foreign-text.js'
import { groupsBy } from '../../text/fields.js'
import { looksSecret } from '../../text/secret-name.js'
import { formatBytes } from '../../text/size.js'
import {
  beginning,
  inflated,
  inflatedStart,
  joined,
  ArchiveFaults,
  ArchiveGuard,
  reportLimits,
  type ArchiveEntry,
  type ArchiveLimits,
  type Taker,
} from '../../unpack/guard.js'
import { whatItIs } from '../../unpack/unpack.js'
import type { Format, Parts, ReportPart } from '../format.js'
import { formats } from '../formats/formats.js'
import { headOfBytes, headSize } from '../formats/text-rows.js'
import { ReportCharts } from './kept-charts.js'

/** The files of a report, still to be read. */
export interface ReportFiles {
  format: Format
  parts: Parts
  beside: ReportPart[]
}

/** A file that may be a part of a report. */
export interface FoundFile {
  /** In the folder or archive, with slashes. */
  path: string
  /** Where it is on disk. */
  file: string
  size: number
  isPacked: boolean
  /** Absent for what is only read beside another file, or not at all. */
  format?: Format
  /** What a file is that is named as a report and is none, as the end of a sentence. */
  unread?: string
  /** Why it could not be put on disk. */
  fault?: Error
}

const portionSize = 256 * 1024
const mostCandidates = 10_000
const mostSuspicious = 1000

/** Whether a file of this name is looked into. */
export function isCandidate(path: string): boolean {
  return formats.some((format) => format.files.test(path) || folderBeside(path, format) !== undefined)
}

/** The folder of the report that a file is read with: `a/` of `a/js/stats.js`; undefined if the format has no such file. */
function folderBeside(path: string, { beside }: Format): string | undefined {
  const folder = folderOf(path)
  if (!beside?.names.test(path.slice(folder.length))) return undefined
  return `/${folder}`.endsWith(`/${beside.below}`)
    ? folder.slice(0, folder.length - beside.below.length)
    : undefined
}

/** What is read beside another file may be as large as that. */
function mostBytesOf({ path, format }: FoundFile): number {
  const all = formats.filter((one) => one === format || folderBeside(path, one) !== undefined)
  return Math.max(...all.map((one) => one.mostBytes))
}

/** What a file of a folder or archive is, by its name and its first bytes; undefined if nothing needs it. */
export function candidate(
  path: string,
  head: Buffer,
): Pick<FoundFile, 'format' | 'isPacked' | 'unread'> | undefined {
  const named = formats.filter(({ files }) => files.test(path))
  const { format, isPacked, start } = recognised(path, head, named)
  if (format) return { format, isPacked }
  if (formats.some((one) => folderBeside(path, one) !== undefined)) return { isPacked }
  // Other files have names such as data.csv, too.
  const isReport = named.length === 1 || !/\S/.test(start.toString('latin1'))
  return isReport ? { isPacked, unread: whatItIs(start) } : undefined
}

/** The format of a file by its first bytes, and these unpacked. */
export function recognised(path: string, head: Buffer, among: readonly Format[]) {
  const isPacked = head[0] === 0x1f && head[1] === 0x8b
  const start = isPacked ? inflatedStart(head.subarray(0, headSize / 4)) : head
  const name = basename(path).replace(isPacked ? /\.gz$/i : '', '')
  return { format: among.find((one) => one.recognises(headOfBytes(name, start))), isPacked, start }
}

/**
 * The report among what was found: the shallowest files of one format in one folder, with those beside them.
 *
 * @param holds such as `The report folder contains`
 * @returns undefined if there is none
 * @throws ReportError if it is unclear which one is meant, or too large; NoRoomError
 */
export function chosen(found: readonly FoundFile[], holds: string): ReportFiles | undefined {
  const all = found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const begin = all.flatMap(({ format, ...one }) => (format ? [{ ...one, format }] : []))
  const depth = Math.min(...begin.map(({ path }) => depthOf(path)))
  const shallowest = begin.filter(({ path }) => depthOf(path) === depth)
  const groups = groupsBy(shallowest, ({ path, format }) => `${folderOf(path)}\n${format.name}`)
  const [group, another] = [...groups.values()]
  const [first] = group ?? []
  if (!group || !first) return undefined
  const { format } = first
  // One report in two forms, such as a.js and a.json; samples would count twice.
  const forms = groupsBy(group, ({ path }) => path.replace(/(?:\.\w+)?(?:\.gz)?$/i, ''))
  const others = format.isRaw ? group.slice(1) : [...forms.values()].slice(1).flatMap(([one]) => one ?? [])
  const mayBeMany = format.isRaw && others.length < forms.size
  if (another || (others.length > 0 && !mayBeMany)) {
    const names = shallowest.slice(0, 5).map(({ path }) => oneLine(path, 80))
    throw new ReportError(
      `${holds} ${shallowest.length} reports, such as ${names.join(', ')}. Name one of them: only samples of one run are put together, as one tool and format wrote them, in one folder.`,
    )
  }
  const missed = all.find(
    ({ path, unread }) =>
      unread &&
      folderOf(path) === folderOf(first.path) &&
      group.some((one) => endOf(one.path) === endOf(path)),
  )
  if (missed && format.isRaw) {
    throw new ReportError(
      `${oneLine(missed.path, 80)} ${missed.unread}: what a load generator measured may be missing. Remove it if it is no part of the run.`,
    )
  }
  const beside = all.filter((one) => folderBeside(one.path, format) === folderOf(first.path))
  return {
    format,
    parts: [partOf(first, format.mostBytes), ...others.map((one) => partOf(one, format.mostBytes))],
    beside: beside.map((one) => partOf(one, format.mostBytes)),
  }
}

/** `csv` of `a.csv.gz` */
function endOf(path: string): string | undefined {
  return /\.(\w+)(?:\.gz)?$/i.exec(path)?.[1]
}

function depthOf(path: string): number {
  return path.split('/').length
}

/** Folders above the report that this file is of, or may be. */
function leastDepthOf(path: string): number {
  const folders = formats.flatMap((format) => folderBeside(path, format) ?? [])
  return Math.min(depthOf(path), ...folders.map(depthOf))
}

/** With a slash at its end, or empty. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** The report's archive is whole on disk, but there is no room beside it for what is read. */
export class NoRoomError extends ReportError {
  constructor(cause: Error) {
    super(`The report could not be unpacked. ${message(cause)}`, { cause })
  }
}

const againIfStopped = 'If the run was stopped while it wrote the file, judge a run that went to its end.'

function partOf({ path, file, size, isPacked, fault }: FoundFile, mostBytes: number): ReportPart {
  if (fault) throw new NoRoomError(fault)
  if (size > mostBytes) throw tooLarge(path, mostBytes)
  const what = `${oneLine(basename(path), 60)} of the report`
  const guard = new ArchiveGuard(reportLimits, new ArchiveFaults(what, againIfStopped))
  const bytes = () => (isPacked ? inflated(bytesOf(file), guard) : bytesOf(file))
  return { name: path, bytes: () => atMost(mostBytes, bytes(), path), ...(isPacked ? {} : { file }) }
}

/** A stream that ends in a ReportError beyond so many bytes. */
export async function* atMost(
  mostBytes: number,
  source: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const chunk of source) {
    read += chunk.length
    if (read > mostBytes) throw tooLarge(path, mostBytes)
    reading(read, chunk.length)
    yield chunk
  }
}

function tooLarge(path: string, mostBytes: number): ReportError {
  const name = oneLine(basename(path), 60)
  return new ReportError(`The ${name} of the report is refused: it has more than ${formatBytes(mostBytes)}.`)
}

/** A link that took the file's place is not followed, and a pipe not waited for. */
export async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    yield* file.createReadStream({ autoClose: false, highWaterMark: portionSize })
  } finally {
    await file.close()
  }
}

/** Puts the files of the report in an archive on disk, as `${prefix}.1` and so on, while the archive is read. */
export class ExtractedParts implements Taker {
  readonly guard: ArchiveGuard
  /** Entries whose names look like secrets. */
  readonly suspicious: string[] = []
  readonly charts: ReportCharts
  readonly #names = new Set<string>()
  #kept: FoundFile[] = []
  #depth = Infinity
  #entries = 0
  #written = 0

  constructor(
    readonly prefix: string,
    limits: ArchiveLimits,
  ) {
    this.guard = new ArchiveGuard(limits, new ArchiveFaults('report archive'))
    this.charts = new ReportCharts(prefix)
  }

  wants({ kind, name: { path }, size }: ArchiveEntry): boolean {
    this.#entries++
    if (kind !== 'file') return false
    if (this.suspicious.length < mostSuspicious && looksSecret(path)) this.suspicious.push(path)
    return isCandidate(path) || this.charts.wants(path, size)
  }

  async take({ name: { path }, size }: ArchiveEntry, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    if (!isCandidate(path)) {
      await this.charts.take(path, bytes())
      return
    }
    if (leastDepthOf(path) > this.#depth) return
    const chunks = bytes()[Symbol.asyncIterator]()
    const head = await beginning(chunks, headSize)
    const what = candidate(path, head)
    const depth = depthOf(path)
    if (what?.format && depth < this.#depth) {
      this.#depth = depth
      await this.#drop((one) => leastDepthOf(one.path) > depth)
    }
    const found: FoundFile = {
      path,
      size,
      file: `${this.prefix}.${this.#written + 1}`,
      isPacked: false,
      ...what,
    }
    const isRead = what !== undefined && !what.unread && size <= mostBytesOf(found)
    if (what) this.#keep(found)
    if (isRead) {
      this.#written++
      await write(joined(head, chunks), found)
    }
    // Whoever gives the bytes waits until all are taken.
    else while ((await chunks.next()).done !== true);
  }

  /** Only what may be a report is counted: a report's own data may have any number of files with such names. */
  #keep(found: FoundFile): void {
    const { faults } = this.guard
    if (this.#names.has(found.path)) {
      const shown = oneLine(found.path, 120)
      throw faults.refused(`it contains "${shown}" twice, so it is unclear which one is meant`)
    }
    this.#names.add(found.path)
    if (this.#names.size > mostCandidates) {
      throw faults.refused(`it contains more than ${mostCandidates} files that may be reports`)
    }
    this.#kept.push(found)
  }

  /** @throws ReportError */
  async files(): Promise<ReportFiles> {
    const files = chosen(this.#kept, 'The report archive contains')
    if (files) {
      await this.charts.settle(files.format, files.parts, 'archive')
      return files
    }
    const among = this.#entries === 1 ? 'and has a single entry' : `among its ${this.#entries} entries`
    throw this.guard.faults.fault(
      this.#entries === 0
        ? 'is empty.'
        : `contains no report that can be read ${among}. ${lookedFor} Check that it is the report of a load test and not its results.`,
    )
  }

  /** After a fault: removes what was written. */
  async discard(): Promise<void> {
    await this.#drop(() => true)
    await this.charts.discard()
  }

  async #drop(isDropped: (one: FoundFile) => boolean): Promise<void> {
    for (const { file } of this.#kept.filter(isDropped)) await rm(file, { force: true })
    this.#kept = this.#kept.filter((one) => !isDropped(one))
  }
}

/** What is read, for a sentence about something else. */
export const lookedFor = `Looked for ${formats.map(({ name }) => name).join(', ')}.`

/** If the disk is full, the rest is read all the same: the archive around it is still to be received. */
async function write(bytes: AsyncIterable<Uint8Array>, found: FoundFile): Promise<void> {
  const file = await open(found.file, 'w')
  try {
    for await (const piece of bytes) {
      if (found.fault) continue
      try {
        await file.writeFile(piece)
      } catch (error) {
        if (!isDiskFull(error)) throw error
        found.fault = error
        await rm(found.file)
      }
    }
  } finally {
    await file.close()
  }
}
