import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Bench } from '../bench.js'

/** Raise it if a corpus of the same seed and size gets different content. */
const version = 3

/**
 * A corpus, made once and kept: its name has seed and size.
 *
 * @param make writes the file or folder
 */
export async function cached(
  { folder }: Bench,
  name: string,
  make: (target: string) => Promise<void>,
): Promise<string> {
  const target = path.join(folder, `${name}-v${version}`)
  if (await stat(target).catch(() => undefined)) return target
  console.log(`Making ${target}`)
  const half = `${target}.half`
  await rm(half, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await make(half)
  await rename(half, target)
  return target
}
