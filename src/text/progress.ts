/** How much of the work is done, in bytes. */
export interface Progress {
  bytes: number
  ofBytes: number
}

/** Below this the wait is too short to report progress. */
const worthTelling = 5_000_000

/** Reports each fifth of the work, if it is large enough to wait for. */
export function everyFifth<T extends Progress>(report: (done: T) => void): (done: T) => void {
  let reported = 0
  return (done) => {
    const fifth = done.ofBytes > worthTelling ? Math.floor((done.bytes * 5) / done.ofBytes) : 0
    if (fifth > reported) report(done)
    reported = Math.max(reported, fifth)
  }
}
