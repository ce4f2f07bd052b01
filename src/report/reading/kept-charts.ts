import { mkdir, open, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fieldsOf, parsedJson } from '../../text/fields.js'
import { readRegularFile } from '../../text/regular-file.js'
import type { Format, Parts } from '../format.js'
import type { TimerKind } from '../report.js'
import { formats } from '../formats/formats.js'

/** Of a report with more, some are without a chart. */
const most = { charts: 2000, bytes: 32_000_000 }
/** The engine's have some 15 kB. */
const mostOfOne = 256_000
/** Bytes that are written at once: a file for each would take as long as reading the archive. */
const portion = 1_000_000

/**
 * The charts of a report, put aside while its archive is read, since a second pass would cost as much as the first. They
 * may be needed or not: whatever fails here, the report is judged.
 */
export class ReportCharts {
  readonly #kept: ReturnType<typeof keptAt>
  /** Where each is in the file that has them all, by its path in the archive. */
  readonly #places: [chart: string, from: number, to: number][] = []
  #end = 0
  #waiting: Buffer[] = []
  #written = 0
  #isBroken = false

  /** @param report path of the archive, or of what is read in its place */
  constructor(report: string) {
    this.#kept = keptAt(report)
  }

  /** @param file its path in the archive */
  wants(file: string, size: number): boolean {
    if (size > mostOfOne || this.#places.length >= most.charts || this.#end + size > most.bytes) return false
    return formats.some(({ charts }) => charts?.test(file))
  }

  async take(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const from = this.#end
    for await (const chunk of bytes) {
      this.#waiting.push(Buffer.from(chunk))
      this.#end += chunk.length
    }
    this.#places.push([file, from, this.#end])
    if (this.#end - this.#written > portion) await this.#write()
  }

  /** Says which report they are of, once that is known: those of others are of no use. */
  async settle({ charts }: Format, [part]: Parts, where: 'archive' | 'disk'): Promise<void> {
    if (!charts) return
    await this.#write()
    const isPacked = where === 'archive'
    const folder = path.dirname(isPacked ? part.name : (part.file ?? ''))
    await this.#put(
      this.#kept.index,
      JSON.stringify({ folder, ...(isPacked ? { places: this.#places } : {}) }),
    )
  }

  async discard(): Promise<void> {
    await rm(this.#kept.folder, { recursive: true, force: true })
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return
    const bytes = Buffer.concat(this.#waiting)
    const flag = this.#written === 0 ? 'w' : 'a'
    this.#waiting = []
    this.#written += bytes.length
    await this.#put(this.#kept.all, bytes, flag)
  }

  /** After a failure, such as a full disk, there are no charts. */
  async #put(file: string, content: Buffer | string, flag = 'w'): Promise<void> {
    if (this.#isBroken) return
    try {
      await mkdir(this.#kept.folder, { recursive: true })
      await writeFile(file, content, { flag })
    } catch {
      this.#isBroken = true
    }
  }
}

/**
 * Reads one chart after the other of a report that was read: bytes that nobody has looked at. Undefined if there is none.
 *
 * @param report as in `ReportCharts`
 * @returns takes the path of a chart in the report, such as `charts/Errors.webp`
 */
export function chartsOf(report: string): (chart: string) => Promise<Buffer | undefined> {
  const { index, all } = keptAt(report)
  // Of thousands of charts, for a hundred that are asked for: it is read once.
  let known: ReturnType<typeof indexAt> | undefined
  return async (chart) => {
    try {
      const { folder, places } = await (known ??= indexAt(index))
      const file = path.join(folder, chart)
      const place = places?.get(file)
      if (place) return await partOf(all, ...place)
      // Nothing is read through a link.
      return !places && (await realpath(file)) === file ? readRegularFile(file, mostOfOne) : undefined
    } catch {
      return undefined
    }
  }
}

/** Without places, the folder is on disk. */
async function indexAt(file: string) {
  const { folder, places } = fieldsOf(parsedJson(await readFile(file, 'utf8')))
  const entries = (Array.isArray(places) ? places : []).flatMap((one: unknown) => {
    if (!Array.isArray(one)) return []
    const [from = NaN, to = NaN] = one.slice(1).map(Number)
    return [[path.normalize(String(one[0])), [from, to]] as const]
  })
  return { folder: String(folder), places: Array.isArray(places) ? new Map(entries) : undefined }
}

async function partOf(path: string, from: number, to: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const bytes = Buffer.alloc(to - from)
    await file.read(bytes, 0, bytes.length, from)
    return bytes
  } finally {
    await file.close()
  }
}

function keptAt(report: string) {
  const folder = `${report}.charts`
  return { folder, all: path.join(folder, 'all'), index: path.join(folder, 'index.json') }
}

const folders: Record<TimerKind, string> = {
  transactions: 'transactions',
  actions: 'actions',
  requests: 'requests',
  pageLoads: 'pageLoadTimings',
  customTimers: 'custom',
}

/** The path in the report of a timer's chart. The engine writes some signs of a name as `$2f`. */
export function timerChart(kind: TimerKind, name: string): string {
  const file = name.replace(
    /[/\\<>|*?:";,%#$]/g,
    (sign) => `$${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `charts/${folders[kind]}/${file}.webp`
}
