import { setTimeout as sleep } from 'node:timers/promises'
import { TestEnvironment } from 'jest-environment-node'
import './compiled-once.js'

/** Milliseconds for what is closing already; a file that closes everything does not wait. */
const grace = 5000

// They are opened when they are first used, which no test is to blame for.
void [process.stdin, process.stdout, process.stderr]

/** A test environment that fails a file whose tests leave something open that would keep a process alive. */
export default class LeftOpen extends TestEnvironment {
  #before = []

  async setup() {
    await super.setup()
    this.#before = process.getActiveResourcesInfo()
  }

  async teardown() {
    await super.teardown()
    const end = performance.now() + grace
    while (this.#left().length > 0 && performance.now() < end) await sleep(20)
    const left = this.#left()
    if (left.length > 0)
      throw new Error(
        `These tests leave something open: ${left.join(', ')}. Close servers, sockets and processes, and clear timers, in afterEach or afterAll.`,
      )
  }

  /** Kinds of what is open, without what was open before: a server is TCPServerWrap, a timer Timeout. */
  #left() {
    const before = [...this.#before]
    return process.getActiveResourcesInfo().filter((kind) => {
      const known = before.indexOf(kind)
      if (known >= 0) before.splice(known, 1)
      return known < 0
    })
  }
}
