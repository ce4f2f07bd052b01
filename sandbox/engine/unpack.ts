import { createWriteStream } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import yauzl from 'yauzl'

/**
 * Unpacks a ZIP into a folder, keeping modes and links.
 *
 * @returns its one top-level directory
 * @throws Error if a name or a link leads out of the folder
 */
export async function unpack(zipFile: string, folder: string): Promise<string> {
  const zip = await yauzl.openPromise(zipFile, { strictFileNames: true })
  const root = path.resolve(folder)
  const tops = new Set<string>()
  const links: { file: string; target: string }[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      const file = path.join(root, entry.fileName)
      tops.add(entry.fileName.split('/')[0] ?? '')
      if (entry.fileName.endsWith('/')) {
        await mkdir(file, { recursive: true })
        continue
      }
      await mkdir(path.dirname(file), { recursive: true })
      const mode = entry.externalFileAttributes >>> 16
      const content = await zip.openReadStreamPromise(entry)
      if ((mode & 0o170_000) === 0o120_000) {
        links.push({ file, target: await text(content) })
        continue
      }
      await pipeline(content, createWriteStream(file, { flags: 'wx', mode: mode & 0o777 || 0o644 }))
    }
  } finally {
    zip.close()
  }
  // Links come last, so that no file is written through one.
  for (const { file, target } of links) {
    const leadsTo = path.resolve(path.dirname(file), target)
    if (path.isAbsolute(target) || !`${leadsTo}${path.sep}`.startsWith(`${root}${path.sep}`)) {
      throw new Error(`The link ${path.relative(root, file)} leads out of the archive.`)
    }
    await symlink(target, file)
  }
  const [top] = tops
  if (top === undefined || tops.size !== 1) throw new Error('The archive must have one top-level directory.')
  return path.join(root, top)
}
