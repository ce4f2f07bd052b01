import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { ArchiveGuard } from './guard.js'
import { inflateFault } from './inflate-fault.js'
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
      throw inflateFault(error, this.#guard.faults)
    }
  }
}
