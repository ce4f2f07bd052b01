import { parse, readText, slowAnswerTimeout } from './answer.js'
import type { Connection } from './connection.js'
import type { ServiceDocument } from './document.js'
import { ServiceError } from './failure.js'
import type { Operation, Operations } from './operations.js'
import type { Body } from './transport.js'
import { readArchiveId, readArchives } from './wire.js'

/** An upload waits for the service's check of the archive. Milliseconds. */
const uploadTimeout = 30 * 60_000

/** The calls about code archives. */
export function codeArchives(calls: Operations, connection: Connection, document: ServiceDocument) {
  return {
    /** One try. @returns the code archive's id, if the answer has one. */
    async upload(archive: Body, sha512: string): Promise<string | undefined> {
      const operation = calls.upload()
      const answer = await connection.authorized(operation, {
        body: archive,
        timeout: uploadTimeout,
        idle: slowAnswerTimeout,
        headers: {
          'content-type': 'application/zip',
          'content-length': String(archive.bytes),
          'content-digest': `sha-512=:${Buffer.from(sha512, 'hex').toString('base64')}:`,
        },
      })
      const body = await readText(operation, answer)
      // The status says that it has arrived: an answer that is neither JSON nor HTML has no id, and need not have
      // one.
      if (!/^\s*[[{"<]/.test(body)) return undefined
      return readArchiveId(operation, parse(operation, body))
    },

    /** The code archives by id and SHA-512 (hex), or undefined if the service does not list them. */
    async archives(): Promise<{ id: string; sha512?: string }[] | undefined> {
      const operation: Operation = { ...calls.upload(), method: 'GET', title: 'listing the code archives' }
      const described = (await document.describe())?.at(operation.path)
      if (!described?.operations.has('GET')) return undefined
      return connection.patiently(async () => readArchives(operation, await connection.json(operation)))
    },

    /** As the document has it, or else by DELETE at the address of the archive. */
    async deleteArchive(id: string): Promise<void> {
      const usual = calls.deleteArchive(id)
      const operation = { ...usual, ...(await document.deletionOf(usual)) }
      let tries = 0
      return connection
        .patiently(async () => {
          tries++
          const answer = await connection.authorized(operation)
          answer.close()
        })
        .catch((error: unknown) => {
          // Deleted by an earlier try whose answer was lost.
          const isGone = error instanceof ServiceError && error.status === 404
          if (!isGone || tries === 1) throw error
        })
    },
  }
}
