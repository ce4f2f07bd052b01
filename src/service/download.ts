import type { Log } from '../log.js'
import { everyFifth } from '../text/progress.js'
import { formatBytes } from '../text/size.js'
import { ServiceError } from './failure.js'
import type { Client, Download, Opened } from './client.js'
import { sleep, type Patience } from './patience.js'
import { broken } from './transport.js'

const idle = 60_000
const maxBreaks = 5

/**
 * The bytes of a download, from the first to the last. Where the connection breaks, it goes on at the same
 * byte if the service offers ranges, else from the start, leaving out what is here already.
 *
 * @param opened the download, just opened
 * @throws ServiceError where it breaks again and again without a byte in between, or the file changes
 */
export async function* wholeDownload(
  client: Pick<Client, 'open'>,
  download: Download,
  opened: Opened,
  patience: Patience,
  log: Log,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { operation, total } = opened
  let current: Opened | undefined = opened
  let received = 0
  const report = everyFifth(({ bytes, ofBytes }) =>
    log.info(`Downloaded ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`),
  )
  for (let breaks = 0; ;) {
    const before: number = received
    try {
      current ??= await client.open(download, received)
      if (total !== undefined && current.total !== undefined && current.total !== total) {
        throw new ServiceError(operation, {
          executed: 'no',
          status: 200,
          said: `the file had ${total} bytes and now has ${current.total}`,
        })
      }
      let skip: number = received - current.from
      for await (const chunk of chunks(current)) {
        if (skip >= chunk.length) {
          skip -= chunk.length
          continue
        }
        const rest = skip > 0 ? chunk.subarray(skip) : chunk
        skip = 0
        received += rest.length
        if (total !== undefined) report({ bytes: received, ofBytes: total })
        yield rest
      }
      if (skip > 0 || (total !== undefined && received < total) || !current.body.complete) {
        throw new Error(`the download ended after ${received} bytes`)
      }
      return
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof ServiceError ? error : broken(operation, error)
      breaks = received > before ? 1 : breaks + 1
      if (!failure.passing || breaks > maxBreaks) throw failure
      log.info(`${failure.message} Going on after ${received} bytes.`)
      await sleep(Math.min(patience.firstPause * 2 ** (breaks - 1), patience.longestPause), signal)
    } finally {
      current?.close()
      current = undefined
    }
  }
}

/** The chunks of one answer; silence for a minute counts as a broken connection. */
async function* chunks({ body }: Opened): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error('no byte came for 60 s')), idle)
    const next = await source.next().finally(() => clearTimeout(timer))
    if (next.done) return
    const chunk: unknown = next.value
    if (chunk instanceof Uint8Array) yield chunk
  }
}
