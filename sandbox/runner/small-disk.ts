import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemErrorCode } from './system-error.js'

/** What a program is started with, so that it may mount file systems; undefined if this machine does not let anybody. */
export function mounting(): [command: string, ...given: string[]] | undefined {
  const inOwnSpace: [string, ...string[]] = ['unshare', '--map-root-user', '--mount']
  const [command, ...given] = [...inOwnSpace, 'mount', '-t', 'tmpfs', 'none', tmpdir()]
  return spawnSync(command, given, { stdio: 'ignore' }).status === 0 ? inOwnSpace : undefined
}

/**
 * A file system with little room, in memory: for a runner whose disk becomes full.
 *
 * @throws Error in a program that was not started with `mounting`
 */
export function smallDisk(bytes: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'small-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'none', folder])
  return {
    folder,
    /** Leaves this many bytes, in steps of 4,096. */
    fill(left = 0) {
      const file = openSync(path.join(folder, 'filled'), 'w')
      let size = 0
      try {
        for (;;) size += writeSync(file, Buffer.alloc(4096))
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOSPC') throw error
        ftruncateSync(file, Math.max(0, size - left))
      } finally {
        closeSync(file)
      }
    },
    close() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}
