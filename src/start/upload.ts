import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { CheckedCodeArchive } from '../archive/code-archive.js'
import { UserError } from '../errors.js'
import type { Log } from '../log.js'
import { ServiceError } from '../service/failure.js'
import type { Client } from '../service/service.js'
import { everyFifth, type Progress } from '../text/progress.js'
import { formatBytes } from '../text/size.js'

/**
 * Uploads the archive (interface section 4), again after a fault that may pass: the same bytes twice do no harm.
 *
 * @returns the code archive's id, where the service names it
 */
export async function uploadArchive(
  client: Pick<Client, 'patiently' | 'upload'>,
  archive: CheckedCodeArchive,
  log: Log,
): Promise<string | undefined> {
  const body = {
    bytes: archive.bytes,
    open: () => Readable.from(sent(archive, log), { objectMode: false }),
  }
  const upload = () => client.upload(body, archive.sha512)
  return client.patiently(upload).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.status !== 413) throw error
    throw new UserError(
      `${error.message} The archive has ${formatBytes(archive.bytes)} (${archive.bytes} bytes). Use the input exclude to leave out what the test does not need.`,
      { cause: error },
    )
  })
}

async function* sent({ path, bytes }: CheckedCodeArchive, log: Log): AsyncGenerator<Buffer> {
  const report = everyFifth<Progress>((done) =>
    log.info(`Uploaded ${formatBytes(done.bytes)} of ${formatBytes(bytes)}`),
  )
  let count = 0
  // 1 MiB portions: twice as fast as the default of 64 KiB.
  const portions: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1024 * 1024 })
  for await (const portion of portions) {
    count += portion.length
    report({ bytes: count, ofBytes: bytes })
    yield portion
  }
  if (count !== bytes) throw new Error(`the archive changed while it was sent: ${path}`)
}
