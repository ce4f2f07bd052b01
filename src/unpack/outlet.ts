import type { Writable } from 'node:stream'

/** A stream that is fed by awaiting: each call returns when the stream has room again, or throws its fault. */
export class Outlet {
  readonly #stream: Writable
  readonly #done: Promise<unknown>
  #settled = false
  #wake = (): void => undefined

  /** @param done settles when all that the stream feeds has ended or failed */
  constructor(stream: Writable, done: Promise<unknown>) {
    this.#stream = stream
    this.#done = done
    const settle = (): void => {
      this.#settled = true
      this.#wake()
    }
    // Whoever feeds the outlet gets the fault; until then it must not count as unhandled.
    done.then(settle, settle)
    stream.on('drain', () => this.#wake())
  }

  async take(chunk: Uint8Array): Promise<void> {
    if (!this.#over && !this.#stream.write(chunk)) await this.#room()
    if (this.#over) await this.#done
  }

  async end(): Promise<void> {
    if (!this.#over) this.#stream.end()
    await this.#done
  }

  /** Ends it at once, whatever its state. */
  async destroy(): Promise<void> {
    this.#stream.destroy()
    await this.#done.catch(() => undefined)
  }

  get #over(): boolean {
    return this.#settled || this.#stream.destroyed
  }

  /** No race with the end of the stream: each race would leave a listener there for as long as the stream lives. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (this.#settled) resolve()
    })
  }
}
