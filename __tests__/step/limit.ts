/** Lets this many calls run at once; the others follow in order. */
export function limit(width: number): <T>(call: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = []
  let free = width
  return async (call) => {
    if (free > 0) free--
    else await new Promise<void>((begin) => queue.push(begin))
    try {
      return await call()
    } finally {
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
