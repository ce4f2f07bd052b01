import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

export type ArchiveKind = 'tar.gz' | 'zip' | 'tar'

/** The kind of an archive by its first bytes, whatever its name; undefined for anything else. */
export function archiveKind(head: Uint8Array): ArchiveKind | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'tar.gz'
  const isZip = head[0] === 0x50 && head[1] === 0x4b
  // An archive without entries begins with the record that ends others.
  if (isZip && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))) return 'zip'
  // The service packs with gzip; what it may send without is read as well.
  if (Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar') return 'tar'
  return undefined
}

/** The first bytes of a file; 512 are enough to recognize the kind of an archive. */
export async function headOf(path: string, size = 512): Promise<Buffer> {
  // A pipe must not be waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
