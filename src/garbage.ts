import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What V8 is told when a file has more than so many bytes. */
const thrift = new Map([
  [16_000_000, '--semi-space-growth-factor=1'],
  [64_000_000, '--heap-growing-percent=20'],
])

/** Of a large file, what reading leaves behind is collected before it adds up. @param added since the last call */
export function reading(bytes: number, added = bytes, setFlags = setFlagsFromString): void {
  for (const [most, flags] of thrift) if (bytes > most && bytes - added <= most) setFlags(flags)
}

/** Bytes: two blocks of an upload. */
const mostGarbage = 14_000_000

/**
 * V8 lets 64 MB of buffers pile up before it looks at them, and what sends or receives a file makes a new one for each
 * piece.
 *
 * @param type minor = only buffers that are let go at once; takes a tenth of the time
 */
export async function collecting<T>(call: () => Promise<T>, type: 'major' | 'minor' = 'major'): Promise<T> {
  let collect: unknown
  let least = process.memoryUsage().arrayBuffers
  const look = () => {
    const { arrayBuffers: bytes } = process.memoryUsage()
    least = Math.min(least, bytes)
    if (bytes < least + mostGarbage) return
    setFlagsFromString('--expose-gc')
    collect ??= runInNewContext('gc')
    if (typeof collect === 'function') Reflect.apply(collect, undefined, [{ type }])
    least = process.memoryUsage().arrayBuffers
  }
  const timer = setInterval(look, 5)
  return call().finally(() => clearInterval(timer))
}
