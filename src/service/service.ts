import { message } from '../errors.js'
import { defined, isFields } from '../text/fields.js'
import { codeArchives } from './code-archives.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { AnswerError } from './failure.js'
import { ServiceDocument } from './document.js'
import { readListJson } from './list-json.js'
import { readListPage, wholeList } from './list-page.js'
import type { CallMethod } from './open-api.js'
import { downloadOperation, openDownload, type Download, type Opened } from './opening.js'
import { operations, type Operation, type Operations, type Project } from './operations.js'
import { requestStart, type StartAnswer } from './start-answer.js'
import type { Body } from './transport.js'
import { readLoadTest, type LoadTest } from './wire.js'

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
  /** @param signal ends this call, as that of the job ends all */
  details(number: number, signal?: AbortSignal): Promise<LoadTest>
  /** One try: whoever waits for the end asks again anyway. @param signal ends this call */
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
  /** Opens a download at a byte offset. One try. @param signal ends this call */
  open(download: Download, from?: number, signal?: AbortSignal): Promise<Opened>
  /** Gets a new token with all scopes, so that no refusal of the next call is about an old one. */
  authenticate(): Promise<void>
  /** The OpenAPI document. `anonymously`: without a token, although a service may require one */
  openApi(anonymously?: boolean): Promise<unknown>
}

interface ClientOptions extends ConnectionOptions {
  project: Project
}

export function serviceClient(options: ClientOptions): Client {
  const calls = operations(options.project)
  const connection = new Connection(options)
  const document = new ServiceDocument(connection)
  return {
    ...loadTests(calls, connection),
    ...codeArchives(calls, connection, document),
    runCopy: (number, method) => requestStart(connection, calls.runCopy(number, method), number),
    startMethod: (number) => document.methodOf(calls.runCopy(number)),
    open: (download, from = 0, signal) =>
      openDownload(document, downloadOperation(calls, download), from, signal),
    authenticate: () => connection.authenticate(),
    openApi: (anonymously) => document.read(anonymously),
  }
}

/** The calls that read load tests. */
function loadTests(calls: Operations, connection: Connection): Pick<Client, 'list' | 'details' | 'status'> {
  const { baseUrl } = connection
  const { origin } = new URL(baseUrl)
  const read = async (operation: Operation, number: number, signal: AbortSignal | undefined) =>
    readLoadTest(operation, await connection.json(operation, defined({ signal })), origin, number)
  return {
    list: () =>
      wholeList(calls.list(), (operation) =>
        connection.patiently(async () => {
          const answer = await connection.authorized(operation)
          const keep = (record: unknown) => lean(operation, record, origin)
          const { rest, kept } = await readListJson(operation, answer, keep)
          const asked = { baseUrl, headers: answer.headers }
          return readListPage(operation, rest, asked, (record) => listedTest(operation, record, kept))
        }),
      ),
    details: (number, signal) =>
      connection.patiently(() => read(calls.details(number), number, signal), signal),
    status: (number, signal) => read(calls.status(number), number, signal),
  }
}

/** What a start needs of a load test in a list, which may be long; or why it cannot be read. */
function lean(operation: Operation, record: unknown, origin: string): LoadTest | Error {
  try {
    const { number, name, state, startTime, endTime, archiveId } = readLoadTest(operation, record, origin)
    return { number, ...defined({ name, state, startTime, endTime, archiveId }) }
  } catch (error) {
    return error instanceof Error ? error : new Error(message(error))
  }
}

/** @throws AnswerError if it cannot be read */
function listedTest(operation: Operation, record: unknown, kept: readonly (LoadTest | Error)[]): LoadTest {
  const at = isFields(record) ? Number(record.kept) : undefined
  const test = at === undefined ? readLoadTest(operation, record, '') : kept[at]
  if (test === undefined || test instanceof Error)
    throw test ?? new AnswerError(operation, 'is not a list of load tests')
  return test
}
