import type { Concurrency } from './workflow-file.js'

/** The `concurrency` groups of a repository: one at a time in each, and who waits for it. `cancel-in-progress` has no effect. */
export class ConcurrencyGroups {
  readonly #waiting = new Map<string, ((isMyTurn: boolean) => void)[]>()

  /** Runs it once its group is free. @returns undefined if a newer one took its place while it waited */
  async inTurn<T>(concurrency: Concurrency | undefined, run: () => Promise<T>): Promise<T | undefined> {
    if (!concurrency) return run()
    const { group, queue } = concurrency
    const waiting = this.#waiting.get(group)
    if (waiting) {
      if (queue === 'single') for (const older of waiting.splice(0)) older(false)
      if (!(await new Promise<boolean>((resolve) => waiting.push(resolve)))) return undefined
    } else this.#waiting.set(group, [])
    try {
      return await run()
    } finally {
      const next = this.#waiting.get(group)?.shift()
      if (next) next(true)
      else this.#waiting.delete(group)
    }
  }
}
