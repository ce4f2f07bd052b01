import { message } from '../errors.js'
import { parsedJson } from '../text/fields.js'
import { parse, readJson, readText, slowAnswerTimeout } from './answer.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { openDownload, wholeDownload, type WholeDownload } from './download.js'
import { AnswerError, ServiceError } from './failure.js'
import { readList } from './list.js'
import { describedCall, readOpenApi, ServiceDocument } from './open-api.js'
import type { Project, LoadTest } from './project.js'
import { operations, type Operation } from './operations.js'
import { numberInAddress } from './record.js'
import { meaningOf } from './status.js'
import { transport, type Body } from './transport.js'
import { readArchiveId, readCopy, readLoadTest, unwrap } from './wire.js'

/**
 * The service's interface as this project uses it. A call repeats itself while its fault is temporary, unless it says
 * "one try"; then the caller has to find out what happened. A `signal` ends its call, as that of the job ends all.
 *
 * All calls reject with ServiceError (no answer, or a status that is a fault), AnswerError (an answer that is not
 * what the interface says) or the signal's reason.
 */
export type Client = ReturnType<typeof serviceClient>

export function serviceClient({
  project,
  userAgent,
  ...options
}: Omit<ConnectionOptions, 'transport'> & { project: Project; userAgent: string }) {
  const calls = operations(project)
  const wire = transport(options.baseUrl, userAgent)
  const connection = new Connection({ ...options, transport: wire })
  const document = new ServiceDocument(connection)
  return {
    ...loadTests(calls, connection),
    ...codeArchives(calls, connection, document),
    /** One request to start a copy. Rejects only if it was not sent, for example without a token. */
    runCopy: (number: number, method?: Operation['method']) =>
      requestStart(connection, calls.runCopy(number, method), number),
    /** The method of runCopy by the OpenAPI document; undefined if it does not say, or cannot be read. */
    startMethod: (number: number) => document.methodOf(calls.runCopy(number)),
    /** Opens a download. One try; its `bytes` are read to the end, whatever breaks. @param signal ends this call */
    async open(download: WholeDownload['download'], signal?: AbortSignal) {
      const { kind, loadTest, number } = download
      const operation = calls[kind](loadTest, number)
      const open: WholeDownload['open'] = (from, until) => openDownload(document, operation, from, until)
      const opened = await open(0, signal)
      const whole = { open, download, opened, log: options.log, patience: connection.patience }
      const bytes = (until?: AbortSignal, floor?: WholeDownload['floor']) =>
        wholeDownload({ ...whole, signal: until, floor })
      return { ...opened, bytes }
    },
    patiently: <T>(call: () => Promise<T>): Promise<T> => connection.patiently(call),
    /** Gets a new token with all scopes, so that no refusal of the next call is about an old one. */
    authenticate: () => connection.authenticate(),
    /** The OpenAPI document. `anonymously`: without a token, although a service may require one */
    openApi: (anonymously?: boolean) => document.read(anonymously),
  }
}

/** A run's calls, but for the token endpoint, as the OpenAPI document has them; undefined if it is no such document. */
export function describedCalls(
  document: unknown,
  project: Project,
  template: number,
  does: { results: boolean; upload: boolean; deleteArchive: boolean },
) {
  const known = operations(project)
  const api = readOpenApi(document)
  const all = [
    ...[known.list(), known.details(template), known.runCopy(template), known.status(template)],
    known.report(template, 1),
    ...(does.results ? [known.result(template, 1)] : []),
    ...(does.upload ? [known.upload()] : []),
    ...(does.deleteArchive ? [known.deleteArchive('1')] : []),
  ]
  return api && all.map((call) => describedCall(api, call))
}

function loadTests(calls: ReturnType<typeof operations>, connection: Connection) {
  const { origin } = new URL(connection.baseUrl)
  const read = async (operation: Operation, number: number, signal: AbortSignal | undefined) =>
    readLoadTest(operation, await connection.json(operation, { signal }), origin, number)
  return {
    /** All load tests of the project, each once; an incomplete list is an IncompleteListError. */
    list: () => readList(connection, calls.list()),
    details: (number: number, signal?: AbortSignal) =>
      connection.patiently(() => read(calls.details(number), number, signal), signal),
    /** One try: whoever waits for the end asks again anyway. */
    status: (number: number, signal?: AbortSignal) => read(calls.status(number), number, signal),
  }
}

/** An upload waits for the service's check of the archive. Milliseconds. */
const uploadTimeout = 30 * 60_000

function codeArchives(
  calls: ReturnType<typeof operations>,
  connection: Connection,
  document: ServiceDocument,
) {
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
      // The status says that it has arrived: an answer that is neither JSON nor HTML has no id, and need not have one.
      if (!/^\s*[[{"<]/.test(body)) return undefined
      return readArchiveId(operation, parse(operation, body))
    },

    /** As the document has it, or else by DELETE at the address of the archive. */
    async deleteArchive(id: string): Promise<void> {
      const usual = calls.deleteArchive(id)
      const operation = { ...usual, ...(await document.deletionOf(usual)) }
      let tries = 0
      return connection
        .patiently(async () => {
          tries++
          const answer = parsedJson(await readText(operation, await connection.authorized(operation)))
          if (answer !== undefined) unwrap(operation, answer)
        })
        .catch((error: unknown) => {
          // Deleted by an earlier try whose answer was lost.
          const isGone = error instanceof ServiceError && error.status === 404
          if (!isGone || tries === 1) throw error
        })
    },
  }
}

/**
 * The result of one request of runCopy. Only that exchange says anything about a start: if a token, a list or a
 * document is not available, the fault of that call is thrown.
 */
export type StartAnswer =
  /** `unproven`: the field may be about anything else. */
  { is: 'named'; copy: LoadTest; unproven?: true } | NamelessAnswer

/** An answer that does not identify the copy; the list shows what it leaves open. */
export type NamelessAnswer =
  /** 2xx without a load test that it has: the service says that it started one. `copy`: named, and not there yet. */
  | { is: 'unnamed'; fault: Error; copy?: LoadTest }
  /** The service was not reached: no connection, no such host, no TLS. */
  | { is: 'unsent'; fault: ServiceError }
  /** 4xx or 501: read and refused, as far as a status can be trusted. */
  | { is: 'refused'; fault: ServiceError }
  /** 3xx, 408, 425, 429, 5xx or a broken connection: it may have been executed, may still be, or never will be. */
  | { is: 'unclear'; fault: ServiceError }
  /** Our own time-out: it may still be under way, and be executed at any time. */
  | { is: 'unanswered'; fault: ServiceError }

/**
 * Sends one request of runCopy. The number of the copy is looked for wherever clients of such interfaces know it: in the
 * record, in its address or in the header Location, and where the answer is a number. A redirect is not followed:
 * it may only say where the copy is.
 *
 * @param template its number, which is not the copy's
 * @throws only if it was not sent, for example without a token
 */
export async function requestStart(
  connection: Connection,
  operation: Operation,
  template: number,
): Promise<StartAnswer> {
  const answer = await connection.once(operation, { timeout: slowAnswerTimeout })
  const named = (number: number | undefined): StartAnswer | undefined =>
    number === undefined || number === template ? undefined : { is: 'named', copy: { number } }
  if (answer instanceof ServiceError) {
    const { status = 0, location } = answer.facts
    return (status < 400 ? named(numberInAddress(location)) : undefined) ?? namelessAnswer(answer)
  }
  const located = named(numberInAddress(answer.headers.location))
  try {
    const { origin } = new URL(connection.baseUrl)
    const { copy, isNamedSo } = readCopy(operation, await readJson(operation, answer), origin, template)
    return isNamedSo || !located ? { is: 'named', copy, ...(isNamedSo ? {} : { unproven: true }) } : located
  } catch (fault) {
    return located ?? { is: 'unnamed', fault: fault instanceof Error ? fault : new Error(message(fault)) }
  }
}

/** What a start that failed leaves open. */
export function namelessAnswer(fault: ServiceError): NamelessAnswer {
  const { status, executed, unanswered } = fault.facts
  if (unanswered) return { is: 'unanswered', fault }
  if (status === undefined) return { is: executed === 'no' ? 'unsent' : 'unclear', fault }
  return { is: meaningOf(status).refusesStart ? 'refused' : 'unclear', fault }
}

/** The status; the details where it is refused, unreadable or has no state: each has a scope of its own. */
export async function statusOrDetails(
  client: Pick<Client, 'details' | 'status'>,
  number: number,
  signal?: AbortSignal,
): Promise<LoadTest> {
  const status = await client.status(number, signal).catch((error: unknown) => {
    if (error instanceof AnswerError || isRefused(error)) return error
    throw error
  })
  if (!(status instanceof Error) && status.state !== undefined) return status
  try {
    const details = await client.details(number, signal)
    return status instanceof Error ? details : { ...status, ...details }
  } catch (error) {
    if (!isRefused(error)) throw error
    if (status instanceof Error) throw status
    return status
  }
}

/** The details; the status where they are refused. @param signal ends the calls */
export async function detailsOrStatus(
  client: Pick<Client, 'details' | 'status'>,
  number: number,
  signal?: AbortSignal,
): Promise<LoadTest> {
  try {
    return await client.details(number, signal)
  } catch (error) {
    if (!isRefused(error)) throw error
    return client.status(number, signal).catch(() => Promise.reject(error))
  }
}

/** 4xx or 501, but for what passes. */
function isRefused(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  const { status = 0, passing } = error
  return status === 501 || (status >= 400 && status < 500 && !passing)
}
