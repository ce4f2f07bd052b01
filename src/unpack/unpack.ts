import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { NoArchiveError, ReportError } from '../errors.js'
import { collecting } from '../garbage.js'
import {
  archiveKind,
  headOf,
  unwrapped,
  ArchiveFaults,
  ArchiveGuard,
  resultLimits,
  type ArchiveLimits,
  type Taker,
} from './guard.js'
import { readTar } from './tar.js'
import { readZip } from './zip.js'

export interface ReceivedArchive {
  kind: NonNullable<ReturnType<typeof archiveKind>>
  path: string
  bytes: number
}

/**
 * Writes an archive to `path` while it streams by, and reads it in the same pass (a ZIP right after): it is complete
 * and not hostile when this returns. Memory does not grow with it. After a fault nothing is left of it.
 *
 * @param source bytes in any portions; its own faults are thrown unchanged, and it is closed when this throws
 * @throws ReportError if it is not an archive, or is truncated, damaged or hostile
 */
export async function receiveArchive(
  source: AsyncIterable<Uint8Array>,
  path: string,
  contents: Contents,
): Promise<ReceivedArchive> {
  const { guard, taker } = contents
  try {
    const { kind, bytes } = await collecting(
      () => readStream(unwrapped(source, guard), contents, path),
      'minor',
    )
    if (kind === 'zip') await readZip(path, guard, taker)
    return { kind, path, bytes }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

interface Contents {
  guard: ArchiveGuard
  taker: Taker
}

/** For a result archive, which is only checked. */
export function unread(limits: ArchiveLimits = resultLimits): Contents {
  const guard = new ArchiveGuard(limits, new ArchiveFaults('result archive'))
  return { guard, taker: { wants: () => false, take: async () => undefined } }
}

/** Reads an archive that is on disk already. @throws ReportError as `receiveArchive` */
export async function readStoredArchive(path: string, contents: Contents): Promise<void> {
  if (archiveKind(await headOf(path)) === 'zip') await readZip(path, contents.guard, contents.taker)
  else await readStream(createReadStream(path, { highWaterMark: portionSize }), contents)
}

/** @param target where the archive is written, unless it is on disk already */
async function readStream(
  source: AsyncIterable<Uint8Array>,
  { guard, taker }: Contents,
  target?: string,
): Promise<Pick<ReceivedArchive, 'kind' | 'bytes'>> {
  const portions = inPortions(source)
  try {
    const first = portions.next()
    const { value: head = Buffer.alloc(0) } = await first
    const kind = archiveKind(head)
    if (kind === undefined) {
      const what = `The ${guard.faults.what} ${whatItIs(head)}: it is neither a .tar.gz nor a .zip. Download it again.`
      throw binary.test(startOf(head)) ? new ReportError(what) : new NoArchiveError(what)
    }
    const disk = target === undefined ? undefined : await open(target, 'w')
    try {
      let bytes = 0
      async function* written() {
        for (let next: typeof first = first; ;) {
          const { value, done } = await next
          if (done === true) return
          bytes += value.length
          // It is written and read while the next one arrives.
          next = portions.next()
          const writing = disk?.writeFile(value)
          for (const work of [next, writing]) work?.catch(() => undefined)
          yield value
          await writing
        }
      }
      const all = written()
      if (kind !== 'zip') await readTar(all, kind === 'tar.gz', guard, taker)
      else while ((await all.next()).done !== true);
      return { kind, bytes }
    } finally {
      await disk?.close()
    }
  } finally {
    await portions.return(undefined)
  }
}

/** Signs that no text has, whatever its encoding. */
const binary = /[\0-\x08\x0e-\x1f]/

/** What bytes that are no archive are, as the end of a sentence. */
export function whatItIs(head: Uint8Array): string {
  const text = startOf(head)
  if (head.length === 0) return 'is empty'
  if (/^(?:<!doctype html|<html|<head|<body)/i.test(text))
    return 'is a web page (HTML), perhaps an error or sign-in page'
  if (text.startsWith('<')) return 'is XML or HTML text'
  if (/^[{[]/.test(text)) return 'is JSON text, perhaps an error message'
  if (/^(?:\xff\xfe|\xfe\xff|\w\0\w\0)/.test(text)) return 'is written in UTF-16 and not in UTF-8'
  if (text === '') return 'has nothing but empty lines'
  if (!binary.test(text)) return 'is text'
  return `begins with the bytes ${Buffer.from(head.subarray(0, 4)).toString('hex')}`
}

function startOf(head: Uint8Array): string {
  return Buffer.from(head.subarray(0, 64)).toString('latin1').replace(/^ï»¿/, '').trimStart()
}

/** Large enough that the steps of a portion cost little, small enough to stay in the processor's cache. */
const portionSize = 256 * 1024

/**
 * Cuts a stream of bytes into portions of 256 KiB, the last one smaller; no empty ones. A portion is valid until the one after
 * the next is requested: two buffers take turns, since new buffers would cost more than filling them.
 */
export async function* inPortions(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let [filling, other] = [Buffer.allocUnsafe(portionSize), Buffer.allocUnsafe(portionSize)]
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + portionSize - filled)
      filling.set(piece, filled)
      at += piece.length
      filled += piece.length
      if (filled < portionSize) continue
      yield filling
      ;[filling, other] = [other, filling]
      filled = 0
    }
  }
  if (filled > 0) yield filling.subarray(0, filled)
  return undefined
}
