import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { ArchiveError, isDiskFull } from '../../errors.js'
import { cause, quoted } from '../faults.js'

const pieceBytes = 1 << 20

/** Writes in pieces of about 1 MiB and digests what it writes. */
export class ZipOutput {
  bytes = 0
  readonly #hash = createHash('sha512')
  #waiting: Uint8Array[] = []
  #waitingBytes = 0

  constructor(
    readonly handle: FileHandle,
    readonly path: string,
  ) {}

  async write(data: Uint8Array): Promise<void> {
    // What is large is not copied.
    if (data.length >= pieceBytes) await this.#flush()
    this.#waiting.push(data)
    this.#waitingBytes += data.length
    this.bytes += data.length
    if (this.#waitingBytes >= pieceBytes) await this.#flush()
  }

  /** The SHA-512 of all that was written, in hex. */
  async finish(): Promise<string> {
    await this.#flush()
    return this.#hash.digest('hex')
  }

  async #flush(): Promise<void> {
    const [only] = this.#waiting
    const data = this.#waiting.length === 1 && only ? only : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    const written = this.#writeAll(data)
    // While it is being written.
    this.#hash.update(data)
    await written
  }

  async #writeAll(data: Uint8Array): Promise<void> {
    try {
      // A single call may write less than it was given.
      for (let at = 0; at < data.length;) at += (await this.handle.write(data, at)).bytesWritten
    } catch (error) {
      throw unwritable(this.path, error)
    }
  }
}

export function unwritable(path: string, error: unknown): ArchiveError {
  return new ArchiveError(
    `The archive ${quoted(path)} could not be written: ${cause(error)}. ${isDiskFull(error) ? 'Free some disk space' : 'Make the folder writable'} on the runner.`,
    { cause: error },
  )
}
