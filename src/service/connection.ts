import { message } from '../errors.js'
import type { Log } from '../log.js'
import { defined } from '../text/fields.js'
import type { Redaction } from '../text/redaction.js'
import { answerTimeout, readJson, readText, retryAfter } from './answer.js'
import { readErrorBody } from './error-body.js'
import { ServiceError } from './failure.js'
import { tokenOperation, type Operation, type Scope } from './operations.js'
import { repeat, sleep, type Patience } from './patience.js'
import { meaningOf } from './status.js'
import { TokenSource, type Credentials } from './token.js'
import type { Answer, Exchange, Transport } from './transport.js'

export interface ConnectionOptions {
  baseUrl: string
  credentials: Credentials
  scopes: readonly Scope[]
  transport: Transport
  patience: Patience
  log: Log
  /** Gets each token before its first use. */
  secrets: Pick<Redaction, 'add'>
  signal?: AbortSignal
  accessToken?: string
  /** Gets each new token. */
  onToken?: (token: string) => void
}

/** How long to try an address that has never answered. Milliseconds. */
const firstAnswer = 20_000
/** The number of tokens that one call may use up: others may revoke tokens repeatedly, but not for long. */
const maxRenewals = 3

const bearing = (token: string) => ({ accept: 'application/json', authorization: `Bearer ${token}` })

/** Authorized exchanges with the service. A status that is a fault is a ServiceError. */
export class Connection {
  readonly baseUrl: string
  readonly log: Log
  readonly signal: AbortSignal | undefined
  readonly patience: Patience
  readonly #transport: Transport
  readonly #tokens: TokenSource
  #hasAnswered = false

  constructor({ baseUrl, log, secrets, signal, transport, patience, onToken, ...access }: ConnectionOptions) {
    this.baseUrl = baseUrl
    this.log = log
    this.signal = signal
    this.#transport = transport
    // An address that never answered is more likely wrong than temporarily unavailable.
    const total = () => (this.#hasAnswered ? patience.total : Math.min(patience.total, firstAnswer))
    this.patience = {
      ...patience,
      get total() {
        return total()
      },
    }
    this.#tokens = new TokenSource({
      ...access,
      send: (form, more) => this.#askForToken(form, more),
      mask: (token) => {
        secrets.add(token)
        onToken?.(token)
      },
      now: () => performance.now(),
    })
  }

  /** Gets a token with all scopes, as every call does on its own. */
  async authenticate(): Promise<void> {
    await this.#tokens.get()
  }

  /** Repeats a call while its fault is temporary. @param more ends this call, as that of the job ends all */
  patiently<T>(call: () => Promise<T>, more?: AbortSignal): Promise<T> {
    return repeat(call, this.patience, this.log, this.#both(more))
  }

  async json(operation: Operation, exchange?: Partial<Exchange>): Promise<unknown> {
    return readJson(operation, await this.authorized(operation, exchange))
  }

  /** One exchange; a token that is refused (401) is replaced, since nothing was executed. */
  async authorized(operation: Operation, exchange: Partial<Exchange> = {}): Promise<Answer> {
    for (let renewals = 0; ; renewals++) {
      const token = await this.#tokens.get(exchange.signal)
      try {
        return await this.send(operation, {
          ...exchange,
          headers: { ...bearing(token), ...exchange.headers },
        })
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 401 || renewals >= maxRenewals) throw error
        this.log.debug('The service did not accept the access token; asking for a new one.')
        this.#tokens.refused(token)
        // The first one may have been revoked at any time; if a fresh one is refused, something else is wrong.
        if (renewals > 0) await sleep(this.patience.firstPause * renewals, this.#both(exchange.signal))
      }
    }
  }

  /**
   * One exchange that is never repeated, and whose fault is a value.
   *
   * @throws only if nothing was sent, for example without a token
   */
  async once(operation: Operation, exchange: Partial<Exchange>): Promise<Answer | ServiceError> {
    const token = await this.#tokens.get()
    try {
      return await this.send(operation, { ...exchange, headers: bearing(token) })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.status === 401) this.#tokens.refused(token)
      return error
    }
  }

  /** One exchange as it is given, without a token. @throws ServiceError */
  async send(operation: Operation, exchange: Partial<Exchange>): Promise<Answer> {
    // A start under way is never cut off: it would be unknown whether it was executed.
    const until = operation.name === 'runCopy' ? undefined : this.#both(exchange.signal)
    const answer = await this.#traced(operation, {
      timeout: answerTimeout,
      ...exchange,
      ...defined({ signal: until }),
    })
    this.#hasAnswered = true
    if (answer.status >= 200 && answer.status < 300) return answer
    const body = await readText(operation, answer, 20_000).catch(() => '')
    throw new ServiceError(operation, {
      status: answer.status,
      ...readErrorBody(body),
      executed: meaningOf(answer.status).executed,
      ...retryAfter(answer.headers['retry-after']),
    })
  }

  /** Writes each exchange to the debug log, but never a header or a body, which may contain a secret. */
  async #traced(operation: Operation, exchange: Exchange): Promise<Answer> {
    const began = performance.now()
    const trace = (end: string) =>
      this.log.debug(
        `${operation.method} ${operation.path}: ${end} after ${Math.round(performance.now() - began)} ms`,
      )
    try {
      const answer = await this.#transport.exchange(operation, exchange)
      trace(String(answer.status))
      return answer
    } catch (error) {
      trace(message(error))
      throw error
    }
  }

  #askForToken(form: string, more?: AbortSignal): Promise<unknown> {
    return this.patiently(async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
      const exchange = { headers, body: form, ...defined({ signal: more }) }
      return readJson(tokenOperation, await this.send(tokenOperation, exchange))
    }, more)
  }

  #both(more: AbortSignal | undefined): AbortSignal | undefined {
    return this.signal && more ? AbortSignal.any([this.signal, more]) : (this.signal ?? more)
  }
}
