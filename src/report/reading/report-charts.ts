import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { formats } from '../formats/formats.js'
import type { Format, ReportPart } from '../format.js'

/** Of a report with more, some are without a chart. */
const most = { charts: 2000, bytes: 32_000_000 }
/** The engine's have some 15 kB. */
const mostOfOne = 256_000

/**
 * The charts of a report, put aside while its archive is read, since a second pass would cost as much as the first. They
 * may be needed or not: whatever fails here, the report is judged.
 */
export class ReportCharts {
  readonly #folder: string
  #charts = 0
  #bytes = 0

  /** @param report path of the archive, or of what is read in its place */
  constructor(report: string) {
    this.#folder = folderFor(report)
  }

  /** @param file its path in the archive */
  wants(file: string, size: number): boolean {
    if (size > mostOfOne || this.#charts >= most.charts || this.#bytes + size > most.bytes) return false
    return formats.some(({ charts }) => charts?.test(file))
  }

  async take(file: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    this.#charts++
    this.#bytes += size
    const whole: Buffer[] = []
    for await (const chunk of bytes) whole.push(Buffer.from(chunk))
    await this.#write(keyOf(file), Buffer.concat(whole))
  }

  /** Says which report they are of, once that is known: those of others are of no use. */
  async settle({ charts }: Format, [part]: readonly ReportPart[], where: 'archive' | 'disk'): Promise<void> {
    if (!charts || !part) return
    const of = where === 'archive' ? part.name : (part.file ?? '')
    await this.#write(placeName, `${where} ${path.dirname(of)}`)
  }

  async discard(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #write(name: string, content: Buffer | string): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true })
      await writeFile(path.join(this.#folder, name), content)
    } catch {
      this.#charts = most.charts
    }
  }
}

/**
 * One chart of a report that was read: bytes that nobody has looked at. Undefined if there is none.
 *
 * @param report as in `ReportCharts`
 * @param chart its path in the report, such as `charts/Errors.webp`
 */
export async function reportChart(report: string, chart: string): Promise<Buffer | undefined> {
  const kept = folderFor(report)
  try {
    const [, where, folder = ''] =
      /^(\w+) ([^]*)$/.exec(await readFile(path.join(kept, placeName), 'utf8')) ?? []
    const file = path.join(folder, chart)
    if (where === 'archive') return await readFile(path.join(kept, keyOf(file)))
    // Nothing is read through a link.
    const isPlain = (await realpath(file)) === file
    return isPlain && (await stat(file)).size <= mostOfOne ? await readFile(file) : undefined
  } catch {
    return undefined
  }
}

const placeName = 'place'

function folderFor(report: string): string {
  return `${report}.charts`
}

/** What an archive calls a file is never a name on this disk. */
function keyOf(file: string): string {
  return createHash('sha256').update(path.normalize(file)).digest('hex')
}
