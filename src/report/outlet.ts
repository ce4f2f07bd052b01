import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** A stream that is fed by awaiting: each call returns when the stream has room again, or throws its fault. */
export class Outlet {
  readonly #stream: Writable
  readonly #done: Promise<unknown>

  /** @param done settles when all that the stream feeds has ended or failed */
  constructor(stream: Writable, done: Promise<unknown>) {
    this.#stream = stream
    this.#done = done
    // Whoever feeds the outlet sees the fault; until then it must not count as unhandled.
    done.catch(() => undefined)
  }

  async take(chunk: Uint8Array): Promise<void> {
    if (this.#stream.destroyed) {
      await this.#done
      return
    }
    if (!this.#stream.write(chunk)) await Promise.race([once(this.#stream, 'drain'), this.#done])
  }

  async end(): Promise<void> {
    if (!this.#stream.destroyed) this.#stream.end()
    await this.#done
  }

  /** Ends it at once, whatever its state. */
  async destroy(): Promise<void> {
    this.#stream.destroy()
    await this.#done.catch(() => undefined)
  }
}
