import { availableParallelism } from 'node:os'

/** Runs trials in parallel, one more than there are cores, because each waits part of its time. */
export class Lanes {
  #free = availableParallelism() + 1
  readonly #waiting: (() => void)[] = []

  /** Starts in the order of the calls. */
  async run<T>(body: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free--
    try {
      return await body()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
