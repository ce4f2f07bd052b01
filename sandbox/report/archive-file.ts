import { createWriteStream, readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import AdmZip from 'adm-zip'
import { pack } from 'tar-stream'

/** A file of an archive. Its bytes are made when they are written. */
export interface ArchiveFile {
  /** With `/` between folders. */
  name: string
  /** Bytes in all. */
  size: number
  chunks: () => Iterable<Uint8Array>
}

export function textFile(name: string, text: string): ArchiveFile {
  const bytes = Buffer.from(text, 'utf8')
  return { name, size: bytes.length, chunks: () => [bytes] }
}

/** The files of a folder and of everything below it, as `name/...`, without links. */
export function* folderFiles(folder: string, name: string): Generator<ArchiveFile> {
  const entries = readdirSync(folder, { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const inside = path.join(folder, entry.name)
    if (entry.isDirectory()) yield* folderFiles(inside, `${name}/${entry.name}`)
    if (!entry.isFile()) continue
    const bytes = readFileSync(inside)
    yield { name: `${name}/${entry.name}`, size: bytes.length, chunks: () => [bytes] }
  }
}

/** A file of `size` bytes: `block` repeated, starting at `offset`. */
export function blockFile(name: string, size: number, block: Uint8Array, offset: number): ArchiveFile {
  function* chunks(): Generator<Uint8Array> {
    for (let done = 0; done < size;) {
      const at = (offset + done) % block.length
      const chunk = block.subarray(at, at + size - done)
      yield chunk
      done += chunk.length
    }
  }
  return { name, size, chunks }
}

/** A service packs its reports in one of the first two; the third is for the question what the step makes of it. */
export type ArchiveFormat = 'tar.gz' | 'zip' | 'tar'

/**
 * Writes the files in their order to `target`, all with the same time (milliseconds since 1970). `level` is that of
 * gzip.
 * A failure leaves nothing at `target`.
 */
export async function writeArchive(
  target: string,
  format: ArchiveFormat,
  files: Iterable<ArchiveFile>,
  { time, level }: { time: number; level: number },
): Promise<void> {
  try {
    if (format === 'zip') {
      const zip = new AdmZip()
      for (const { name, chunks } of files) {
        zip.addFile(name, Buffer.concat([...chunks()])).header.time = new Date(time)
      }
      // The library writes the lower bits of the count.
      if (zip.getEntryCount() > 65_535)
        throw new RangeError('A simulated ZIP has at most 65,535 files. Use tar.gz.')
      await writeFile(target, zip.toBuffer())
      return
    }
    const tar = pack()
    const file = createWriteStream(target)
    const written = format === 'tar' ? pipeline(tar, file) : pipeline(tar, createGzip({ level }), file)
    const filled = fillTar(tar, files, time).catch((error: unknown) => {
      tar.destroy(error instanceof Error ? error : new Error(String(error)))
    })
    await written
    await filled
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
}

async function fillTar(
  tar: ReturnType<typeof pack>,
  files: Iterable<ArchiveFile>,
  time: number,
): Promise<void> {
  for (const { name, size, chunks } of files) {
    const entry = tar.entry({ name, size, mode: 0o644, mtime: new Date(time) })
    await pipeline(Readable.from(chunks()), entry)
  }
  tar.finalize()
}
