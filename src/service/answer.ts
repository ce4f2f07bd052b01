import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { formatBytes } from '../text/size.js'
import { AnswerError } from './failure.js'
import type { Operation } from './operations.js'
import type { Redaction } from '../text/redaction.js'
import { broken, type Answer } from './transport.js'

/** How long an answer, or the next part of one, may take. Milliseconds. */
export const answerTimeout = 60_000
const jsonLimit = 64_000_000

/** Where the body begins and how long the file is, from Content-Range or Content-Length. */
export function position({ status, headers }: Answer, asked: number): { from: number; total?: number } {
  const range =
    status === 206 ? /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers['content-range'] ?? '') : null
  if (range) return { from: Number(range[1]), total: Number(range[2]) }
  const length = headers['content-length']
  const from = status === 206 ? asked : 0
  return length && /^\d{1,15}$/.test(length) ? { from, total: from + Number(length) } : { from }
}

/** 4xx: read and refused, except 408 and 425, which a gateway may answer while the service still works on it. */
export function wasRefused(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 425
}

/** Retry-After in seconds or as a date (RFC 9110). */
export function retryAfter(value: string | undefined): { retryAfterSeconds?: number } {
  if (!value) return {}
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {}
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** For the encoding that an answer names: a proxy may compress it, although the step does not ask for that. */
export function decoderOf({ headers }: Pick<Answer, 'headers'>): (() => Transform) | undefined {
  return decoders[headers['content-encoding']?.trim().toLowerCase() ?? '']
}

function inflated(answer: Answer): Readable {
  const { body } = answer
  const decoder = decoderOf(answer)
  // The decoder passes on a fault.
  return decoder ? pipeline(body, decoder(), () => undefined) : body
}

/** In the charset that the answer names, else UTF-8; without a byte-order mark. */
function textOf(bytes: Buffer, { headers }: Answer): string {
  const charset = /charset="?([\w:-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * The body as text, at most `limit` bytes of it.
 *
 * @throws ServiceError if it breaks off or takes a minute, AnswerError if it has more than 64 MB
 */
export async function readText(operation: Operation, answer: Answer, limit = jsonLimit): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const timer = setTimeout(
    () => answer.body.destroy(new Error(`the answer was not complete after ${answerTimeout / 1000} s`)),
    answerTimeout,
  )
  try {
    for await (const chunk of inflated(answer)) {
      if (!(chunk instanceof Uint8Array)) continue
      bytes += chunk.length
      if (bytes > limit) break
      chunks.push(chunk)
    }
    if (!answer.body.complete && bytes <= limit) throw new Error('the answer ended early')
  } catch (error) {
    throw broken(operation, error)
  } finally {
    clearTimeout(timer)
    answer.close()
  }
  if (bytes > limit && limit === jsonLimit)
    throw new AnswerError(operation, `is larger than ${formatBytes(limit)}`)
  return textOf(Buffer.concat(chunks), answer)
}

export async function readJson(operation: Operation, answer: Answer, secrets?: Redaction): Promise<unknown> {
  return parse(operation, await readText(operation, answer), secrets)
}

/** JSON with the secrets in its texts made unreadable. @throws AnswerError */
export function parse(operation: Operation, body: string, secrets?: Redaction): unknown {
  try {
    const value: unknown = JSON.parse(body, (_key, held: unknown) =>
      typeof held === 'string' && secrets ? secrets.text(held) : held,
    )
    return value
  } catch (error) {
    const looks = /^\s*</.test(body) ? 'is HTML, not JSON' : 'is not JSON'
    throw new AnswerError(operation, looks, { cause: error })
  }
}
