import { formatBytes } from './size.js'

export interface Progress {
  bytes: number
  ofBytes: number
}

/** Below this the wait is too short to report progress. */
const worthTelling = 5_000_000

/** Tells the log of each fifth of the work, if it is large enough to wait for. @param did such as Downloaded */
export function everyFifth(did: string, log: { info(line: string): void }): (done: Progress) => void {
  let reported = 0
  return ({ bytes, ofBytes }) => {
    const fifth = ofBytes > worthTelling ? Math.floor((bytes * 5) / ofBytes) : 0
    if (fifth > reported) log.info(`${did} ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`)
    reported = Math.max(reported, fifth)
  }
}
