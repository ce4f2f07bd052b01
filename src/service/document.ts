import { message, UserError } from '../errors.js'
import { readJson } from './answer.js'
import type { Connection } from './connection.js'
import { AnswerError, ServiceError } from './failure.js'
import { offeredDeletion, offeredMethod, readOpenApi, type CallMethod, type OpenApi } from './open-api.js'
import { openApiOperation, type Operation, type OperationName } from './operations.js'
import { repeat } from './patience.js'

/** How long to ask for the document: most services have one, and no call depends on it. Milliseconds. */
const documentWithin = 20_000

/** The service's OpenAPI document, read at most once for what the calls need of it. */
export class ServiceDocument {
  #described: Promise<OpenApi | undefined> | undefined

  /** The methods by which calls have worked for which it has none. */
  readonly worked = new Map<OperationName, Operation['method']>()

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

  /**
   * Its method for a call; undefined if it does not say, or cannot be read.
   *
   * @throws UserError if it has the address, but no method by which the step could call it
   */
  async methodOf({ path, title }: Operation): Promise<CallMethod | undefined> {
    const api = await this.describe().catch((error: unknown) => {
      this.connection.signal?.throwIfAborted()
      this.connection.log.debug(message(error))
      return undefined
    })
    const offered = [...(api?.at(path)?.operations.keys() ?? [])]
    const method = offeredMethod(api, path)
    if (method !== undefined || offered.length === 0) return method
    throw new UserError(
      `By its OpenAPI document, the service has only ${offered.join(', ')} for ${title}, which the step cannot use. Ask the operator of the service how it is called.`,
    )
  }

  /** Its method for a call, if it has been read. */
  async knownMethodOf(operation: Operation): Promise<CallMethod | undefined> {
    return this.#described && this.methodOf(operation).catch(() => undefined)
  }

  /** How it deletes a code archive, where it says that otherwise. */
  async deletionOf({ path }: Operation): Promise<Partial<Pick<Operation, 'method' | 'path'>>> {
    const api = await this.describe().catch(() => undefined)
    if (!api || api.at(path)?.operations.has('DELETE')) return {}
    const offered = offeredDeletion(api)
    const last = offered && /\{[^{}]+\}((?:\/\w+)?)$/.exec(offered.template)?.[1]
    return offered && last !== undefined ? { method: offered.method, path: path + last } : {}
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
