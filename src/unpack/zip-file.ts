import { createReadStream, type ReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { RandomAccessReader } from 'yauzl'

const blockSize = 64 * 1024

/** What yauzl reads with. */
type ReadCall = [
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
  callback: (err: Error | null, bytesRead?: number) => void,
]

/**
 * The file under yauzl. Its own reader passes any offset that the archive names to the file system, which throws for
 * one beyond 2^53 without calling back. It also reads the central directory in pieces of some 100 bytes.
 */
export class ZipFileReader extends RandomAccessReader {
  #block: Buffer = Buffer.alloc(0)
  #blockStart = 0

  constructor(
    readonly path: string,
    readonly file: FileHandle,
    readonly size: number,
  ) {
    super()
  }

  override read(...[buffer, offset, length, position, callback]: ReadCall): void {
    this.#copy(buffer, offset, length, position).then(() => callback(null, length), callback)
  }

  override _readStreamForRange(start: number, end: number): ReadStream {
    return createReadStream(this.path, { start, end: end - 1, highWaterMark: 256 * 1024 })
  }

  async #copy(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    if (!(position >= 0 && position + length <= this.size)) throw new Error('an offset lies outside the file')
    if (position < this.#blockStart || position + length > this.#blockStart + this.#block.length) {
      const block = Buffer.alloc(Math.max(length, Math.min(blockSize, this.size - position)))
      const { bytesRead } = await this.file.read(block, 0, block.length, position)
      if (bytesRead < length) throw new Error('the file ends too early')
      this.#block = block.subarray(0, bytesRead)
      this.#blockStart = position
    }
    this.#block.copy(buffer, offset, position - this.#blockStart, position - this.#blockStart + length)
  }
}
