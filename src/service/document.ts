import { message } from '../errors.js'
import { readJson } from './answer.js'
import type { Connection } from './connection.js'
import { AnswerError, ServiceError } from './failure.js'
import { offeredMethod, readOpenApi, type CallMethod, type OpenApi } from './open-api.js'
import { openApiOperation, type Operation } from './operations.js'
import { repeat } from './patience.js'

/** How long to ask for the document: most services have one, and no call depends on it. Milliseconds. */
const documentWithin = 20_000

/** The service's OpenAPI document, read at most once for what the calls need of it. */
export class ServiceDocument {
  #described: Promise<OpenApi | undefined> | undefined

  constructor(readonly connection: Connection) {}

  /** Reads it. @param anonymously without a token, although a service may require one */
  read(anonymously = false, within = Infinity): Promise<unknown> {
    const { connection } = this
    const { patience, log, signal } = connection
    const ask = async () =>
      anonymously
        ? readJson(
            openApiOperation,
            await connection.send(openApiOperation, { headers: { accept: 'application/json' } }),
          )
        : connection.json(openApiOperation)
    return repeat(ask, { ...patience, total: Math.min(patience.total, within) }, log, signal)
  }

  /** Its method for a call; undefined if it does not say, or cannot be read. */
  async methodOf({ path }: Operation): Promise<CallMethod | undefined> {
    try {
      return offeredMethod(await this.describe(), path)
    } catch (error) {
      this.connection.signal?.throwIfAborted()
      this.connection.log.debug(message(error))
      return undefined
    }
  }

  /** Asked for once, whether that succeeds or not; most services give it to everybody, others want the token. */
  describe(): Promise<OpenApi | undefined> {
    this.#described ??= this.read(true, documentWithin)
      .catch((error: unknown) => {
        if (isNoAnswer(error)) throw error
        return this.read(false, documentWithin)
      })
      .then((document) => readOpenApi(document, this.connection.baseUrl))
    return this.#described
  }
}

/** No answer came, or the signal ended the call: another try would not fare better. */
function isNoAnswer(error: unknown): boolean {
  return !(error instanceof AnswerError) && !(error instanceof ServiceError && error.status !== undefined)
}
