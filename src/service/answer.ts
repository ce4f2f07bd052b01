import { pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { formatBytes } from '../text/size.js'
import { groupThousands } from '../text/plural.js'
import { AnswerError } from './failure.js'
import type { Operation } from './operations.js'
import { broken, type Answer } from './transport.js'

/** How long an answer, or the next part of one, may take. Milliseconds. */
export const answerTimeout = 60_000
/**
 * How long an answer may take to begin after a call that is more than a look. A start may be slow because of a gateway,
 * although it builds nothing.
 */
export const slowAnswerTimeout = 5 * 60_000
/** Bytes of an answer that is held as a whole; of a list, that is each of its records. */
export const jsonLimit = 16_000_000
/** Values in JSON: millions of small ones would block the step for minutes, and take gigabytes. */
const mostValues = 1_000_000

/** Where the body begins and how long the file is, from Content-Range or Content-Length. */
export function position({ status, headers }: Answer, asked: number): { from: number; total?: number } {
  const range =
    status === 206 ? /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers['content-range'] ?? '') : null
  if (range) return { from: Number(range[1]), total: Number(range[2]) }
  const length = headers['content-length']
  const from = status === 206 ? asked : 0
  return length && /^\d{1,15}$/.test(length) ? { from, total: from + Number(length) } : { from }
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

/** For the charset that the answer names, else UTF-8; leaves out a byte-order mark. */
export function textDecoderOf({ headers }: Pick<Answer, 'headers'>): TextDecoder {
  const charset = /charset="?([\w:-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** The body, inflated. @param within milliseconds for all of it. @throws ServiceError if it breaks off or takes longer */
export async function* bodyOf(
  operation: Operation,
  answer: Answer,
  within = answerTimeout,
): AsyncGenerator<Uint8Array> {
  const late = new Error(`the answer was not complete after ${within / 1000} s`)
  const timer = setTimeout(() => answer.body.destroy(late), within)
  try {
    const decoder = decoderOf(answer)
    // The decoder passes on a fault.
    const inflated = decoder ? pipeline(answer.body, decoder(), () => undefined) : answer.body
    for await (const chunk of inflated) if (chunk instanceof Uint8Array) yield chunk
    if (!answer.body.complete) throw new Error('the answer ended early')
  } catch (error) {
    throw broken(operation, error)
  } finally {
    clearTimeout(timer)
    answer.close()
  }
}

/** The body as text, at most `limit` bytes. @throws ServiceError if it breaks off or takes a minute, AnswerError above 16 MB */
export async function readText(operation: Operation, answer: Answer, limit = jsonLimit): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of bodyOf(operation, answer)) {
    bytes += chunk.length
    if (bytes > limit) break
    chunks.push(chunk)
  }
  if (bytes > limit && limit === jsonLimit) throw tooMuchJson(operation)
  return textDecoderOf(answer).decode(Buffer.concat(chunks))
}

export function tooMuchJson(operation: Operation): AnswerError {
  return new AnswerError(operation, `is larger than ${formatBytes(jsonLimit)}`)
}

export async function readJson(operation: Operation, answer: Answer): Promise<unknown> {
  return parse(operation, await readText(operation, answer))
}

/** @throws AnswerError */
export function parse(operation: Operation, body: string): unknown {
  if (hasMoreValues(body, mostValues)) {
    throw new AnswerError(operation, `has more than ${groupThousands(String(mostValues))} values`)
  }
  try {
    return JSON.parse(body)
  } catch (error) {
    if (/^\s*</.test(body))
      throw new AnswerError(operation, 'is HTML, not JSON', { is: 'page', cause: error })
    throw new AnswerError(operation, body.trim() === '' ? 'is empty' : 'is not JSON', { cause: error })
  }
}

/** By the signs before values, those in texts included. */
function hasMoreValues(body: string, most: number): boolean {
  let count = 0
  for (let at = 0; at < body.length && count <= most; at++) {
    const sign = body.charCodeAt(at)
    if (sign === comma || sign === bracket || sign === brace) count++
  }
  return count > most
}
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b]
