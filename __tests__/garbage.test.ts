import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { collecting } from '../src/garbage.js'

const { NODE_PERFORMANCE_GC_FLAGS_FORCED: forced } = constants
const { NODE_PERFORMANCE_GC_MAJOR: major, NODE_PERFORMANCE_GC_MINOR: minor } = constants

/** The kinds of the collections that were asked for while a transfer held so many megabytes more than at its begin. */
async function askedFor(megabytes: number, type?: 'minor'): Promise<Set<number | undefined>> {
  const entries: (PerformanceEntry & { detail?: { kind?: number; flags?: number } })[] = []
  const observer = new PerformanceObserver((list) => void entries.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const held: Buffer[] = []
  const transfer = async () => {
    while (held.length < megabytes) held.push(Buffer.alloc(1_000_000))
    await sleep(50)
    return held.length
  }
  expect(await collecting(transfer, type)).toBe(megabytes)
  await sleep(50)
  observer.disconnect()
  return new Set(entries.flatMap(({ detail }) => ((detail?.flags ?? 0) & forced ? [detail?.kind] : [])))
}

test.each([
  ['two blocks of an upload', 20, undefined, [major]],
  ['as much that is let go at once', 20, 'minor', [minor]],
  ['less', 10, undefined, []],
] as const)('V8 looks at the buffers of a transfer when they are %s', async (_, megabytes, type, kinds) => {
  expect([...(await askedFor(megabytes, type))]).toEqual(kinds)
})

test('a transfer that fails says so', async () => {
  await expect(collecting(() => Promise.reject(new Error('broke')))).rejects.toThrow('broke')
})
