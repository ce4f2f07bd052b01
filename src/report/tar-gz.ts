import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ReportError } from '../errors.js'
import { ArchiveGuard } from './archive-guard.js'
import { Outlet } from './outlet.js'
import type { ReportLimits } from './report-limits.js'
import { TarReader } from './tar.js'
import { XmlFiles, type ReportFiles } from './xml-files.js'

/** Inflated bytes at a time; zlib's own 16 KiB costs a trip to its thread for each. */
const inflatedChunk = 256 * 1024

/** Reads a .tar.gz piece by piece: `take` its bytes, then `finish`; after a fault `discard`. */
export class TarGzReader {
  readonly #files: XmlFiles
  readonly #guard: ArchiveGuard
  readonly #outlet: Outlet

  constructor(prefix: string, limits: ReportLimits) {
    const guard = new ArchiveGuard(limits)
    const files = new XmlFiles(prefix, limits)
    this.#guard = guard
    this.#files = files
    const gunzip = createGunzip({ chunkSize: inflatedChunk })
    const tar = new TarReader(({ name: rawName, kind, size }) => {
      const { name, wanted } = guard.entry(rawName, kind)
      return wanted === undefined ? undefined : files.take(wanted, name, size)
    })
    let unpacked = 0
    const sink = new Writable({
      highWaterMark: 4 * inflatedChunk,
      write(chunk: Buffer, _encoding, done) {
        try {
          unpacked += chunk.length
          guard.unpacked(unpacked, gunzip.bytesWritten)
          tar.push(chunk)
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)))
          return
        }
        if (files.pending) files.flush().then(() => done(), done)
        else done()
      },
      final(done) {
        try {
          tar.end()
          done()
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)))
        }
      },
    })
    this.#outlet = new Outlet(gunzip, pipeline(gunzip, sink))
  }

  async take(chunk: Uint8Array): Promise<void> {
    await this.#translated(this.#outlet.take(chunk))
  }

  /**
   * @returns the XML files, once the archive is known to be whole: gzip's checksum and length, tar's end mark
   * @throws ReportError
   */
  async finish(): Promise<ReportFiles> {
    await this.#translated(this.#outlet.end())
    const files = await this.#files.finish()
    if (files === undefined) throw this.#guard.noTestReport()
    return files
  }

  async discard(): Promise<void> {
    await this.#outlet.destroy()
    await this.#files.discard()
  }

  async #translated(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      const code = faultCode(error)
      if (code?.startsWith('Z_') !== true) throw error
      const cut = code === 'Z_BUF_ERROR'
      throw new ReportError(
        cut
          ? 'The report archive is cut short: its gzip data ends too early. Download it again.'
          : 'The report archive is damaged: its gzip data or checksum is wrong. Download it again.',
        { cause: error },
      )
    }
  }
}

/** The code of a fault from Node: zlib's begin with `Z_`. */
function faultCode(error: unknown): string | undefined {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error
  return isCoded && typeof error.code === 'string' ? error.code : undefined
}
