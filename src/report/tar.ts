import { ReportError } from '../errors.js'
import type { EntryKind } from './archive-guard.js'
import { applyPax, headerOf, type TarHeader } from './tar-header.js'

export interface TarEntry {
  name: string
  kind: EntryKind
  /** Bytes of content. */
  size: number
}

/** Gets the entry's bytes piece by piece; undefined where nobody wants them. */
export type TakeBytes = ((bytes: Uint8Array) => void) | undefined

const blockSize = 512
/** A long name or its pax record; names above 4,096 characters are refused anyway. */
const maxExtension = 64 * 1024

/**
 * Reads a tar as it streams by: ustar, GNU and pax forms, as GNU tar, Java and JavaScript write them. Content
 * that nobody wants is skipped without a copy or a stream of its own, which keeps the reader behind a download
 * as fast as inflating alone, and headers are bounded in size. Fed by `push`, told of the end by `end`; both
 * throw ReportError.
 */
export class TarReader {
  readonly #onEntry: (entry: TarEntry) => TakeBytes
  readonly #block = Buffer.alloc(blockSize)
  #filled = 0
  /** Content of the current entry still to come, then its padding. */
  #left = 0
  #padding = 0
  #take: TakeBytes
  /** Content of a header about the next entry: a long name or pax records. */
  #extension: { type: string; parts: Uint8Array[] } | undefined
  #next: Partial<TarHeader> = {}
  #ended = false

  constructor(onEntry: (entry: TarEntry) => TakeBytes) {
    this.#onEntry = onEntry
  }

  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length && !this.#ended) {
      if (this.#left > 0) {
        const piece = chunk.subarray(at, at + this.#left)
        this.#take?.(piece)
        this.#left -= piece.length
        at += piece.length
        if (this.#left === 0) this.#entryEnd()
      } else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, chunk.length - at)
        this.#padding -= skipped
        at += skipped
      } else {
        const part = chunk.subarray(at, at + blockSize - this.#filled)
        this.#block.set(part, this.#filled)
        this.#filled += part.length
        at += part.length
        if (this.#filled === blockSize) {
          this.#filled = 0
          this.#header()
        }
      }
    }
  }

  /** The last byte was pushed: is the archive whole? */
  end(): void {
    if (this.#ended) return
    throw new ReportError(
      'The report archive is cut short: its tar ends without the end mark. Download it again, or have it written again.',
    )
  }

  #header(): void {
    const header = headerOf(this.#block)
    // A block of zeros is the end; what follows is padding by any tar's rules.
    if (header === undefined) {
      this.#ended = true
      return
    }
    this.#padding = (blockSize - (header.size % blockSize)) % blockSize
    if ('xgLK'.includes(header.type)) {
      if (header.size > maxExtension) {
        throw new ReportError(
          `The report archive is refused: a header of its tar has ${header.size} bytes, more than ${maxExtension}.`,
        )
      }
      const extension = { type: header.type, parts: new Array<Uint8Array>() }
      this.#extension = extension
      this.#take = (bytes) => extension.parts.push(Uint8Array.from(bytes))
    } else {
      const size = this.#next.size ?? header.size
      const kind = kindOf(header.type, this.#next.name ?? header.name)
      if (kind === 'folder' && size > 0) {
        throw new ReportError('The report archive is damaged: a folder of its tar has content.')
      }
      this.#padding = (blockSize - (size % blockSize)) % blockSize
      this.#take = this.#onEntry({ name: this.#next.name ?? header.name, kind, size })
      this.#next = {}
      header.size = size
    }
    this.#left = header.size
    if (this.#left === 0) this.#entryEnd()
  }

  #entryEnd(): void {
    this.#take = undefined
    if (this.#extension === undefined) return
    const { type, parts } = this.#extension
    this.#extension = undefined
    const bytes = Buffer.concat(parts)
    if (type === 'L') this.#next.name = bytes.toString('utf8').replace(/\0.*$/s, '')
    // Global records (g) are comments in practice, and K is the target of a link, which is refused itself.
    if (type === 'x') applyPax(bytes, this.#next)
  }
}

function kindOf(type: string, name: string): EntryKind {
  switch (type) {
    case '0':
    case '\0':
    case '7':
      return name.endsWith('/') ? 'folder' : 'file'
    case '5':
      return 'folder'
    case '1':
    case '2':
      return 'link'
    case '3':
    case '4':
    case '6':
      return 'device'
    default:
      return 'unknown'
  }
}
