import type { FileHandle } from 'node:fs/promises'
import { ArchiveError } from '../../errors.js'
import type { Deflated } from './deflate.js'
import { ZipOutput } from './output.js'
import { type ZipEntryFigures, ZipFormat } from './zip.js'

/** A ZIP without its 64-bit extension has four-byte sizes. */
export const mostBytes = 2 ** 32 - 1

/** Writes a ZIP entry by entry, then `end`. */
export class ZipWriter {
  /** The bytes of all content so far. */
  uncompressedBytes = 0
  readonly #output: ZipOutput
  readonly #format = new ZipFormat()
  readonly #entries: { name: string; bytes: number }[] = []
  readonly #directory: Buffer[] = []

  /** @param path names the file in a fault */
  constructor(handle: FileHandle, path: string) {
    this.#output = new ZipOutput(handle, path)
  }

  get entries(): number {
    return this.#entries.length
  }

  async add({ name, mode }: Pick<ZipEntryFigures, 'name' | 'mode'>, entry: Deflated): Promise<void> {
    const { deflated, crc, bytes, data } = entry
    const packedBytes = data.length
    const offset = this.#output.bytes
    const { local, central } = this.#format.headers({
      ...{ name, mode, deflated, crc, bytes, packedBytes, offset },
    })
    this.#entries.push({ name, bytes: packedBytes })
    this.#directory.push(central)
    await this.#output.write(local)
    await this.#output.write(data)
    this.uncompressedBytes += bytes
  }

  /** @returns the archive's size, its SHA-512 in hex, and its ten largest entries with their size in it */
  async end(): Promise<{ bytes: number; sha512: string; largest: { name: string; bytes: number }[] }> {
    const output = this.#output
    const start = output.bytes
    for (const central of this.#directory) await output.write(central)
    if (output.bytes > mostBytes) {
      throw new ArchiveError(
        'The archive would be larger than 4 GiB. Use the input exclude to leave out what the test does not need.',
      )
    }
    await output.write(this.#format.end(this.entries, output.bytes - start, start))
    const sha512 = await output.finish()
    const largest = this.#entries.toSorted((a, b) => b.bytes - a.bytes).slice(0, 10)
    return { bytes: output.bytes, sha512, largest }
  }
}
