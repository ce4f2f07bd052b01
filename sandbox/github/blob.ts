import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The whole content of a blob, on disk. */
export interface BlobContent {
  path: string
  size: number
  /** Hex. */
  sha256: string
  contentType: string
  /** Base64, if the client sent one for the whole blob. */
  md5?: string
  lastModified: Date
}

/** What arrived in one request. */
export interface Arrival {
  size: number
  /** Base64. */
  md5: string
}

/** A block blob: blocks arrive in any order, and become the content in the order of the block list. */
export class Blob {
  content: BlobContent | undefined
  readonly #blocks = new Map<string, string>()
  #files = 0

  /** @param folder keeps blocks and content; the blob owns it */
  constructor(private readonly folder: string) {}

  /** Whether this block id is as long as those before it, as Azure demands. */
  fits(blockId: string): boolean {
    const [other] = this.#blocks.keys()
    return other === undefined || bytesOf(other) === bytesOf(blockId)
  }

  has(blockId: string): boolean {
    return this.#blocks.has(blockId)
  }

  /** Keeps a block; it replaces an earlier one with the same id. `accept` may still refuse it. */
  async stage(blockId: string, body: Readable, accept: (arrival: Arrival) => void): Promise<Arrival> {
    const file = await this.#newFile()
    const arrival = await receive(body, file)
    accept(arrival)
    this.#blocks.set(blockId, file)
    return arrival
  }

  /** Takes the whole content in one request. */
  async put(body: Readable, contentType: string, accept: (arrival: Arrival) => void): Promise<Arrival> {
    const file = await this.#newFile()
    const arrival = await receive(body, file)
    accept(arrival)
    await this.#assemble([file], contentType, arrival.md5)
    this.#blocks.clear()
    return arrival
  }

  /**
   * Discards blocks that the list does not name; those that it names may be committed again, for a client that never
   * saw the answer.
   *
   * @param ids of staged blocks, each known
   */
  async commit(ids: readonly string[], contentType: string, md5?: string): Promise<void> {
    const files = ids.map((id) => this.#blocks.get(id)).filter((file) => file !== undefined)
    await this.#assemble(files, contentType, md5)
    for (const id of this.#blocks.keys()) if (!ids.includes(id)) this.#blocks.delete(id)
  }

  /** Moves the content to its final place. */
  async moveTo(file: string): Promise<BlobContent> {
    if (!this.content) throw new Error('A blob without content cannot be moved.')
    await mkdir(path.dirname(file), { recursive: true })
    await rename(this.content.path, file)
    await this.remove()
    this.content = { ...this.content, path: file }
    return this.content
  }

  /** Removes what was received but not moved. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  async #assemble(files: readonly string[], contentType: string, md5?: string): Promise<void> {
    const whole = await this.#newFile()
    const sha256 = createHash('sha256')
    await pipeline(async function* () {
      for (const file of files) {
        for await (const chunk of createReadStream(file)) {
          if (!Buffer.isBuffer(chunk)) continue
          sha256.update(chunk)
          yield chunk
        }
      }
    }, createWriteStream(whole))
    const { size } = await stat(whole)
    this.content = {
      path: whole,
      size,
      sha256: sha256.digest('hex'),
      contentType,
      lastModified: new Date(),
      ...(md5 === undefined ? {} : { md5 }),
    }
  }

  async #newFile(): Promise<string> {
    await mkdir(this.folder, { recursive: true })
    return path.join(this.folder, String(this.#files++))
  }
}

/** The number of bytes that a base64 text encodes: texts of the same length may differ. */
function bytesOf(base64: string): number {
  return Buffer.from(base64, 'base64').length
}

async function receive(body: Readable, file: string): Promise<Arrival> {
  const md5 = createHash('md5')
  let size = 0
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        md5.update(chunk)
        size += chunk.length
        yield chunk
      }
    },
    createWriteStream(file),
  )
  return { size, md5: md5.digest('base64') }
}
