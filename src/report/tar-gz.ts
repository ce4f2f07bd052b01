import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { isFields } from '../text/fields.js'
import type { ArchiveGuard } from './archive-guard.js'
import { Outlet } from './outlet.js'
import { TarSink, type TakeEntry } from './tar.js'

/**
 * Inflated bytes at a time. With zlib's default of 16 KiB, each piece costs a trip to its thread; larger pieces stay
 * in memory longer.
 */
const inflatedChunk = 64 * 1024

/** Reads a .tar.gz or a plain .tar piece by piece: `take` its bytes, then `end`; after a fault `discard`. */
export class TarGzReader {
  readonly #guard: ArchiveGuard
  readonly #tar: TarSink
  readonly #outlet: Outlet

  constructor(guard: ArchiveGuard, takeEntry: TakeEntry, isPacked: boolean) {
    this.#guard = guard
    this.#tar = new TarSink(guard, takeEntry)
    const gunzip = isPacked ? createGunzip({ chunkSize: inflatedChunk }) : undefined
    const inlet = gunzip ?? new PassThrough()
    async function* measured(inflated: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let unpacked = 0
      for await (const chunk of inflated) {
        unpacked += chunk.length
        guard.unpacked(unpacked, gunzip?.bytesWritten ?? unpacked)
        yield chunk
      }
    }
    this.#outlet = new Outlet(inlet, pipeline(inlet, measured, this.#tar))
  }

  async take(chunk: Uint8Array): Promise<void> {
    await this.#translated(this.#outlet.take(chunk))
  }

  /**
   * Returns once the archive is known to be complete: gzip's checksum and length, tar's end mark.
   *
   * @throws ReportError
   */
  async end(): Promise<void> {
    await this.#translated(this.#outlet.end())
  }

  async discard(): Promise<void> {
    await this.#outlet.destroy()
    await this.#tar.idle()
  }

  async #translated(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      const code = faultCode(error)
      if (code?.startsWith('Z_') !== true) throw error
      throw code === 'Z_BUF_ERROR'
        ? this.#guard.faults.cutShort('its gzip data ends too early', error)
        : this.#guard.faults.damaged('its gzip data or checksum is wrong', error)
    }
  }
}

/** The code of a fault from Node: zlib's begin with `Z_`. */
function faultCode(error: unknown): string | undefined {
  return isFields(error) && typeof error.code === 'string' ? error.code : undefined
}
