import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { faultOf } from './faults.js'
import type { ServiceSettings } from './settings.js'
import { visitOf } from './visit.js'

/** Streams a file with its length; answers range requests (RFC 9110) if the service offers them. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: string,
  { ranges, downloadSpeed }: Pick<ServiceSettings, 'downloadSpeed' | 'ranges'>,
): Promise<FastifyReply> {
  const { strikes } = visitOf(request)
  const { size, mtimeMs } = await stat(file)
  const cut = faultOf(strikes, 'cut-archive')
  const total = cut ? Math.min(size, cut.bytes ?? Math.floor(size / 2)) : size
  const name = file.replace(/^.*[/\\]\d+-/, '')
  const etag = `"${total}-${Math.round(mtimeMs)}"`
  reply
    .type(name.endsWith('.zip') ? 'application/zip' : 'application/gzip')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('etag', etag)
  if (ranges) reply.header('accept-ranges', 'bytes')
  const fresh = request.headers['if-range'] ?? etag
  const range = ranges && fresh === etag ? readRange(request.headers.range, total) : undefined
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${total}`).send('')
  const { start, end } = range ?? { start: 0, end: total - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${total}`)
  reply.header('content-length', end - start + 1)
  if (total === 0) return reply.send('')
  const bytes = createReadStream(file, { start, end, highWaterMark: 256 * 1024 })
  const corrupt = faultOf(strikes, 'corrupt-archive')
  const sent = corrupt ? corrupted(bytes, start, corrupt.at ?? Math.floor(total / 2)) : bytes
  return reply.send(downloadSpeed > 0 ? Readable.from(slowly(sent, downloadSpeed)) : sent)
}

/** Ten times a second, a tenth of the bytes. */
async function* slowly(source: Readable, bytesPerSecond: number): AsyncGenerator<Buffer> {
  const portion = Math.max(1, Math.round(bytesPerSecond / 10))
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk)
    for (let at = 0; at < bytes.length; at += portion) {
      yield bytes.subarray(at, at + portion)
      await sleep(100)
    }
  }
}

/** Both ends are inclusive; undefined = send the whole file: no range, several, or an invalid one. */
function readRange(
  header: string | undefined,
  total: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), total)
    return length === 0 ? 'unsatisfiable' : { start: total - length, end: total - 1 }
  }
  const start = Number(first)
  const end = last === '' ? total - 1 : Math.min(Number(last), total - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= total ? 'unsatisfiable' : { start, end }
}

/** Flips all bits of 64 bytes, starting at byte `at` of the whole file. */
function corrupted(source: Readable, start: number, at: number): Readable {
  let position = start
  const spoil = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const from = Math.max(0, at - position)
      const to = Math.min(chunk.length, at + 64 - position)
      const bytes = Buffer.from(chunk)
      for (let i = from; i < to; i++) bytes.writeUInt8(bytes.readUInt8(i) ^ 0xff, i)
      position += chunk.length
      done(null, bytes)
    },
  })
  source.on('error', (error) => spoil.destroy(error))
  spoil.on('close', () => source.destroy())
  return source.pipe(spoil)
}
