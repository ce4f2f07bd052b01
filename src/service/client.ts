import type { Transform } from 'node:stream'
import { message } from '../errors.js'
import type { Log } from '../log.js'
import { defined } from '../text/fields.js'
import {
  answerTimeout,
  decoderOf,
  parse,
  position,
  readJson,
  readText,
  retryAfter,
  wasRefused,
} from './answer.js'
import { readErrorBody } from './error-body.js'
import { AnswerError, ServiceError } from './failure.js'
import { readListPage, wholeList } from './list-page.js'
import { offeredMethod, offeredStop, readOpenApi, type CallMethod, type OpenApi } from './open-api.js'
import {
  methodNotShown,
  openApiOperation,
  operations,
  tokenOperation,
  type Operation,
  type Project,
  type Scope,
} from './operations.js'
import { repeat, sleep, type Patience } from './patience.js'
import { namelessAnswer, type StartAnswer } from './start-answer.js'
import type { Redaction } from '../text/redaction.js'
import { tokenSource, type Credentials } from './token.js'
import type { Answer, Body, Exchange, Transport } from './transport.js'
import { readArchiveId, readArchives, readLoadTest, type LoadTest } from './wire.js'

/**
 * The service's interface as this project uses it. A call repeats itself while its fault is temporary, unless it says
 * "one try"; then the caller has to find out what happened.
 *
 * All calls reject with ServiceError (no answer, or a status that is a fault), AnswerError (an answer that is not
 * what the interface says) or the signal's reason.
 */
export interface Client {
  /** All load tests of the project, each once; an incomplete list is an AnswerError. */
  list(): Promise<LoadTest[]>
  /** `signal` ends this call, as that of the job ends all; so below. */
  details(number: number, signal?: AbortSignal): Promise<LoadTest>
  /** One try: whoever waits for the end asks again anyway. */
  status(number: number, signal?: AbortSignal): Promise<LoadTest>
  /** One request to start a copy. Rejects only if it was not sent, for example without a token. */
  runCopy(number: number, method?: CallMethod): Promise<StartAnswer>
  /** The method of runCopy by the OpenAPI document; undefined if it does not say, or cannot be read. */
  startMethod(number: number): Promise<CallMethod | undefined>
  /** One try. @returns the code archive's id, if the answer has one. */
  upload(archive: Body, sha512: string): Promise<string | undefined>
  /** The code archives by id and SHA-512 (hex), or undefined if the service does not list them. */
  archives(): Promise<{ id: string; sha512?: string }[] | undefined>
  deleteArchive(id: string): Promise<void>
  /** Stops a run, where the service's OpenAPI document offers that. @returns whether it does */
  stop(number: number): Promise<boolean>
  /** Opens a download at a byte offset. One try. */
  open(download: Download, from?: number, signal?: AbortSignal): Promise<Opened>
  /** Gets a token with all scopes, as every call does on its own. */
  authenticate(): Promise<void>
  /** Reads a load test under API version v2, which nothing depends on: it shows whether the token is valid there. */
  tryV2(number: number): Promise<void>
  /** The OpenAPI document. `anonymously`: without a token, although a service may require one */
  openApi(anonymously?: boolean): Promise<unknown>
}

export type Download =
  | { kind: 'report'; loadTest: number; number: number }
  | { kind: 'result'; loadTest: number; number: number }
  | { kind: 'test-report'; loadTest: number; number: number }
  | { kind: 'scorecard'; loadTest: number; number: number }

export interface Opened {
  operation: Operation
  body: Answer['body']
  /** Where in the file the body begins: the byte asked for, or 0 where the service has no ranges. */
  from: number
  /** Bytes of the whole file, where the service says so. */
  total?: number
  /** For the encoding that the answer names; the bytes are as they were sent, so that they can be continued. */
  decoder?: () => Transform
  close: () => void
}

export interface ClientOptions {
  baseUrl: string
  project: Project
  credentials: Credentials
  scopes: readonly Scope[]
  transport: Transport
  patience: Patience
  log: Log
  /** What is masked in everything that the service says; gets each token before its first use. */
  secrets: Redaction
  signal?: AbortSignal
}

// A start may be slow because of a gateway, although it builds nothing; an upload waits for its check.
const slowAnswerTimeout = 5 * 60_000
const firstAnswer = 20_000
/** How long to ask for the OpenAPI document: most services have one, and no call depends on it. */
const documentWithin = 20_000
const uploadTimeout = 30 * 60_000
const bearing = (token: string) => ({ accept: 'application/json', authorization: `Bearer ${token}` })
/** The number of tokens that one call may use up: others may revoke tokens repeatedly, but not for long. */
const maxRenewals = 3

export function serviceClient(options: ClientOptions): Client {
  const { baseUrl, transport, log, secrets, signal } = options
  const origin = new URL(baseUrl).origin
  const calls = operations(options.project)
  const clock = () => performance.now()

  /** Writes each exchange to the debug log, but never a header or a body, which may contain a secret. */
  const traced = async (operation: Operation, exchange: () => Promise<Answer>): Promise<Answer> => {
    const began = clock()
    const trace = (end: string) =>
      log.debug(`${operation.method} ${operation.path}: ${end} after ${Math.round(clock() - began)} ms`)
    try {
      const answer = await exchange()
      trace(String(answer.status))
      return answer
    } catch (error) {
      trace(secrets.text(message(error)))
      throw error
    }
  }

  const both = (more: AbortSignal | undefined) =>
    signal && more ? AbortSignal.any([signal, more]) : (signal ?? more)

  const send = async (operation: Operation, exchange: Partial<Exchange>): Promise<Answer> => {
    // A start under way is never cut off: it would be unknown whether it was executed.
    const until = operation.name === 'runCopy' ? undefined : both(exchange.signal)
    const answer = await traced(operation, () =>
      transport.exchange(operation, { timeout: answerTimeout, ...exchange, ...defined({ signal: until }) }),
    )
    answered = true
    if (answer.status >= 200 && answer.status < 300) return answer
    const body = await readText(operation, answer, 20_000).catch(() => '')
    const { said, ...more } = readErrorBody(body)
    throw new ServiceError(operation, {
      status: answer.status,
      ...more,
      ...defined({ said: said && secrets.text(said) }),
      executed: wasRefused(answer.status) ? 'no' : 'unknown',
      ...retryAfter(answer.headers['retry-after']),
    })
  }

  let answered = false
  const bounds: Patience = {
    ...options.patience,
    // An address that never answered is more likely wrong than temporarily unavailable.
    get total() {
      return answered ? options.patience.total : Math.min(options.patience.total, firstAnswer)
    },
  }
  const patiently = <T>(call: () => Promise<T>, more?: AbortSignal) => repeat(call, bounds, log, both(more))

  const tokens = tokenSource(
    options.credentials,
    options.scopes,
    (form, more) =>
      patiently(async () => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
        // Not redacted: a service may give the same token twice.
        const exchange = { headers, body: form, ...defined({ signal: more }) }
        return readJson(tokenOperation, await send(tokenOperation, exchange))
      }, more),
    (token) => secrets.add(token),
    clock,
  )

  /** One authorized exchange; a token that is refused (401) is replaced, since nothing was executed. */
  const authorized = async (operation: Operation, exchange: Partial<Exchange> = {}): Promise<Answer> => {
    for (let renewals = 0; ; renewals++) {
      const token = await tokens.get(exchange.signal)
      try {
        return await send(operation, { ...exchange, headers: { ...bearing(token), ...exchange.headers } })
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 401 || renewals >= maxRenewals) throw error
        log.debug('The service did not accept the access token; asking for a new one.')
        tokens.refused(token)
        // The first one may have been revoked at any time; if a fresh one is refused, something else is wrong.
        if (renewals > 0) await sleep(options.patience.firstPause * renewals, both(exchange.signal))
      }
    }
  }

  const json = async (operation: Operation, exchange?: Partial<Exchange>): Promise<unknown> =>
    readJson(operation, await authorized(operation, exchange), secrets)

  const openApi = (anonymously = false, within = bounds.total) =>
    repeat(
      async () =>
        anonymously
          ? readJson(
              openApiOperation,
              await send(openApiOperation, { headers: { accept: 'application/json' } }),
              secrets,
            )
          : json(openApiOperation),
      { ...options.patience, total: Math.min(bounds.total, within) },
      log,
      signal,
    )

  let document: Promise<OpenApi | undefined> | undefined
  /** It is read once, whether that succeeds or not; most services give it to everybody, others want the token. */
  const described = (): Promise<OpenApi | undefined> => {
    document ??= openApi(true, documentWithin)
      .catch((error: unknown) => {
        if (isNoAnswer(error)) throw error
        return openApi(false, documentWithin)
      })
      .then((read) => readOpenApi(read, baseUrl))
    return document
  }
  const methodOf = async ({ path }: Operation): Promise<CallMethod | undefined> => {
    try {
      return offeredMethod(await described(), path)
    } catch (error) {
      signal?.throwIfAborted()
      log.debug(message(error))
      return undefined
    }
  }

  return {
    list: () =>
      wholeList(calls.list(), (operation, firstPage) =>
        patiently(async () => {
          const answer = await authorized(operation)
          const link = String(answer.headers.link ?? '')
          return readListPage(operation, await readJson(operation, answer, secrets), {
            baseUrl,
            link,
            firstPage,
          })
        }),
      ),
    details: (number, more) =>
      patiently(async () => {
        const operation = calls.details(number)
        return readLoadTest(operation, await json(operation, defined({ signal: more })), origin, number)
      }, more),
    async status(number, more) {
      const operation = calls.status(number)
      return readLoadTest(operation, await json(operation, defined({ signal: more })), origin, number)
    },
    async runCopy(number, method) {
      const operation = calls.runCopy(number, method)
      const token = await tokens.get()
      let answer: Answer
      try {
        answer = await send(operation, { headers: bearing(token), timeout: slowAnswerTimeout })
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        if (error.status === 401) tokens.refused(token)
        return namelessAnswer(error)
      }
      try {
        return {
          is: 'named',
          copy: readLoadTest(operation, await readJson(operation, answer, secrets), origin),
        }
      } catch (fault) {
        return { is: 'unnamed', fault: fault instanceof Error ? fault : new Error(message(fault)) }
      }
    },
    startMethod: (number) => methodOf(calls.runCopy(number)),
    async upload(archive, sha512) {
      const operation = calls.upload()
      const answer = await authorized(operation, {
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
      return readArchiveId(operation, parse(operation, body, secrets))
    },
    async archives() {
      const operation: Operation = { ...calls.upload(), method: 'GET', title: 'listing the code archives' }
      const listed = (await described())?.at(operation.path)?.operations.has('GET')
      if (!listed) return undefined
      return patiently(async () => readArchives(operation, await json(operation)))
    },
    deleteArchive: (id) => {
      let tries = 0
      return patiently(async () => {
        tries++
        const answer = await authorized(calls.deleteArchive(id))
        answer.close()
      }).catch((error: unknown) => {
        // Deleted by an earlier try whose answer was lost.
        const isGone = error instanceof ServiceError && error.status === 404
        if (!isGone || tries === 1) throw error
      })
    },
    async stop(number) {
      const operation = offeredStop(await described(), calls.stops(number))
      if (!operation) return false
      const answer = await patiently(() => authorized(operation))
      answer.close()
      return true
    },
    async open(download, from = 0, more) {
      const known = downloadOperation(calls, download)
      const opened = async (operation: Operation): Promise<Opened> => {
        const answer = await authorized(operation, {
          timeout: slowAnswerTimeout,
          idle: answerTimeout,
          headers: {
            accept: '*/*',
            'accept-encoding': 'identity',
            ...defined({ range: from > 0 ? `bytes=${from}-` : undefined }),
          },
          ...defined({ signal: more }),
        })
        const { body, close } = answer
        return {
          operation,
          body,
          close,
          ...position(answer, from),
          ...defined({ decoder: decoderOf(answer) }),
        }
      }
      return opened(known).catch(async (error: unknown) => {
        const isOther = error instanceof ServiceError && error.status === 405
        const method = isOther && methodNotShown.includes(known.name) ? await methodOf(known) : undefined
        if (method === undefined || method === known.method) throw error
        return opened({ ...known, method })
      })
    },
    async authenticate() {
      await tokens.get()
    },
    tryV2: (number) => patiently(async () => (await authorized(calls.detailsV2(number))).close()),
    openApi: (anonymously) => openApi(anonymously),
  }
}

/** No answer came, or the signal ended the call: another try would not fare better. */
function isNoAnswer(error: unknown): boolean {
  return !(error instanceof AnswerError) && !(error instanceof ServiceError && error.status !== undefined)
}

function downloadOperation(
  calls: ReturnType<typeof operations>,
  { kind, loadTest, number }: Download,
): Operation {
  if (kind === 'report') return calls.report(loadTest, number)
  if (kind === 'result') return calls.result(loadTest, number)
  return calls.reportXml(loadTest, number, kind)
}
