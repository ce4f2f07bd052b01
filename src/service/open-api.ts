import { message, UserError } from '../errors.js'
import { fieldsOf, isFields } from '../text/fields.js'
import { readJson } from './answer.js'
import { plainJson, type Connection } from './connection.js'
import { AnswerError, ServiceError } from './failure.js'
import { openApiOperation, type Operation } from './operations.js'
import { repeat } from './patience.js'

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const

/** What a document of OpenAPI, or of Swagger, has for one of our addresses. `template`: as it writes that address. */
interface Described {
  template: string
  methods: Operation['method'][]
}

/**
 * Finds an address in the service's own description of itself (interface section 4): of the templates that fit, the one
 * with the most words of it. A server may have the beginning of all addresses, and the names of parameters make no
 * difference.
 *
 * @returns undefined if it is no such document: it has no paths
 */
export function readOpenApi(document: unknown): ((path: string) => Described | undefined) | undefined {
  if (!isFields(document) || !isFields(document.paths)) return undefined
  const all = Object.entries(document.paths).map(([template, item]) => ({
    template,
    methods: methods.filter((method) => isFields(fieldsOf(item)[method.toLowerCase()])),
  }))
  return (path) =>
    all
      .map((described) => ({ described, words: wordsInCommon(described.template, path) }))
      // A single word, such as that of /status, may be about anything.
      .filter(({ words }) => words > 1)
      .sort((a, b) => b.words - a.words)[0]?.described
}

/** How many words a template has in common with the end of an address; 0 if it does not fit. */
function wordsInCommon(template: string, path: string): number {
  const [pieces, parts] = [template, path].map((one) => one.split('/').filter(Boolean).toReversed())
  const pairs = (pieces ?? [])
    .map((piece, at) => [piece, parts?.[at]])
    .filter(([, part]) => part !== undefined)
  const fits = pairs.every(([piece = '', part]) => piece === part || /^\{[^{}]+\}$/.test(piece))
  return fits ? pairs.filter(([piece, part]) => piece === part).length : 0
}

/** The methods by which an address can be called without a body, the one of the API explorer first. */
const callable = ['GET', 'POST', 'PUT'] as const

/** The method for a call whose own the interface does not show. */
export function usableMethod({ methods }: Described): Operation['method'] | undefined {
  return callable.find((method) => methods.includes(method))
}

/** How long to ask for the document: most services have one, and no call depends on it. Milliseconds. */
const documentWithin = 20_000

/** The service's OpenAPI document, read at most once for what the calls need of it. */
export class ServiceDocument {
  #described: Promise<ReturnType<typeof readOpenApi>> | undefined

  constructor(readonly connection: Connection) {}

  /** Reads it. @param anonymously without a token, although a service may require one */
  read(anonymously = false, within = Infinity): Promise<unknown> {
    const { connection } = this
    const { patience, log, signal } = connection
    const open = { headers: plainJson }
    const ask = async () =>
      anonymously
        ? readJson(openApiOperation, await connection.send(openApiOperation, open))
        : connection.json(openApiOperation)
    return repeat(ask, { ...patience, total: Math.min(patience.total, within) }, log, signal)
  }

  /**
   * Its method for a call; undefined if it does not say, or cannot be read.
   *
   * @throws UserError if it has the address, but no method by which the step could call it
   */
  async methodOf({ path, title }: Operation): Promise<Operation['method'] | undefined> {
    const described = (await this.#describe())?.(path)
    const method = described && usableMethod(described)
    if (!described?.methods.length || method !== undefined) return method
    throw new UserError(
      `By its OpenAPI document, the service has only ${described.methods.join(', ')} for ${title}, which the step cannot use. Ask the operator of the service how it is called.`,
    )
  }

  /** Asked for once, whether that succeeds or not; most services give it to everybody, others want the token. */
  async #describe(): Promise<ReturnType<typeof readOpenApi>> {
    this.#described ??= this.read(true, documentWithin)
      .catch((error: unknown) => {
        // No answer came, or the signal ended the call: another try would not fare better.
        const isAnswered = error instanceof ServiceError && error.status !== undefined
        if (!isAnswered && !(error instanceof AnswerError)) throw error
        return this.read(false, documentWithin)
      })
      .then(readOpenApi)
    return this.#described.catch((error: unknown) => {
      this.connection.signal?.throwIfAborted()
      this.connection.log.debug(message(error))
      return undefined
    })
  }
}
