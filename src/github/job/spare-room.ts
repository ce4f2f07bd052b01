import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Bytes: state, outputs, a summary of at most 1 MiB, and the files of an ordinary outcome. */
const enough = 4 * 1024 * 1024

/**
 * Room on the disk for what the step says at its end: it is said even if the disk has become full by then.
 *
 * @param folder that of the step
 * @throws the fault of a disk without that room
 */
export type SpareRoom = ReturnType<typeof spareRoom>

export function spareRoom(folder: string) {
  const kept = path.join(folder, 'spare-room')
  take(kept)
  return {
    /** @throws the fault of a disk on which a report would find no room either */
    check: () => {
      const probe = path.join(folder, 'more-room')
      try {
        take(probe)
      } finally {
        rmSync(probe, { force: true })
      }
    },
    release: () => rmSync(kept, { force: true }),
  }
}

/** Fills a file with bytes that no file system can compress. */
function take(file: string): void {
  const some = randomBytes(64 * 1024)
  writeFileSync(file, Buffer.concat(Array.from({ length: enough / some.length }, () => some)))
}
