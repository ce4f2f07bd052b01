import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { collecting, reading } from '../src/garbage.js'
import { receiveArchive, unread } from '../src/unpack/unpack.js'

const { NODE_PERFORMANCE_GC_FLAGS_FORCED: forced } = constants
const { NODE_PERFORMANCE_GC_MAJOR: major, NODE_PERFORMANCE_GC_MINOR: minor } = constants

/** The kinds of the collections that were asked for meanwhile. V8 makes a minor one major where it has begun with that itself. */
async function askedFor(work: () => Promise<unknown>): Promise<(number | undefined)[]> {
  // What earlier tests have left might be let go meanwhile, and hide what the work takes. A second time waits for the first.
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  for (let time = 0; time < 2 && typeof collect === 'function'; time++) Reflect.apply(collect, undefined, [])
  await sleep(50)
  const entries: (PerformanceEntry & { detail?: { kind?: number; flags?: number } })[] = []
  const observer = new PerformanceObserver((list) => void entries.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  await work()
  await sleep(50)
  observer.disconnect()
  console.log(JSON.stringify(entries.map((e) => [e.detail, e.startTime])), process.memoryUsage().arrayBuffers)
  return [...new Set(entries.flatMap(({ detail }) => ((detail?.flags ?? 0) & forced ? [detail?.kind] : [])))]
}

test.each([
  ['two blocks of an upload', 20, undefined, [major]],
  ['as much that is let go at once', 20, 'minor', [minor, major]],
  ['less', 10, undefined, []],
] as const)('V8 looks at the buffers of a transfer when they are %s', async (_, megabytes, type, kinds) => {
  const held: Buffer[] = []
  const transfer = async () => {
    while (held.length < megabytes) held.push(Buffer.alloc(1_000_000))
    await sleep(50)
    return held.length
  }
  const asked = await askedFor(async () => expect(await collecting(transfer, type)).toBe(megabytes))
  expect(asked).toHaveLength(Math.min(1, kinds.length))
  expect(kinds).toEqual(expect.arrayContaining(asked))
})

test('an archive is received like that', async () => {
  const held: Buffer[] = []
  async function* source() {
    for (let sent = 0; sent < 20; sent++) {
      held.push(Buffer.alloc(1_000_000, sent === 0 ? 'PK\x03\x04' : 0))
      await sleep(5)
      yield held.at(-1) ?? Buffer.alloc(0)
    }
  }
  const received = () => receiveArchive(source(), path.join(tmpdir(), `garbage-${process.pid}`), unread())
  // A ZIP is read once it is whole.
  const asked = await askedFor(() => expect(received()).rejects.toThrow('not a zip file'))
  expect(asked).toHaveLength(1)
})

/** As many pieces of a file, until it has so many bytes. */
const pieces = (size: number, count: number, end: number) =>
  Array.from({ length: count }, (_, at) => [end - size * (count - 1 - at), size] as const)

const young = '--semi-space-growth-factor=1'
const old = '--heap-growing-percent=20'

test.each<[string, (readonly [number, number?])[], string[]]>([
  ['16 MB at once', [[16_000_000]], []],
  ['a byte more', [[16_000_001]], [young]],
  ['piece by piece', pieces(1000, 3, 16_002_000), [young]],
  ['one large piece after another', pieces(20_000_000, 3, 60_000_000), [young]],
  ['64 MB', pieces(16_000_000, 4, 64_000_000), [young]],
  ['more', pieces(17_000_000, 4, 68_000_000), [young, old]],
])('the heap grows less, once, where a file gets large: %s', (_, calls, flags) => {
  const set: string[] = []
  for (const [bytes, added] of calls) reading(bytes, added, (one) => void set.push(one))
  expect(set).toEqual(flags)
})

test('a transfer that fails says so', async () => {
  await expect(collecting(() => Promise.reject(new Error('broke')))).rejects.toThrow('broke')
})
