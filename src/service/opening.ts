import type { Transform } from 'node:stream'
import { defined } from '../text/fields.js'
import { answerTimeout, decoderOf, position, retryAfter, slowAnswerTimeout } from './answer.js'
import type { Connection } from './connection.js'
import type { ServiceDocument } from './document.js'
import { ServiceError } from './failure.js'
import { methodNotShown, type Operation, type Operations } from './operations.js'
import type { Answer } from './transport.js'

export interface Download {
  kind: 'report' | 'result' | 'test-report' | 'scorecard'
  loadTest: number
  /** The number of the report or the result. */
  number: number
}

export interface Opened {
  operation: Operation
  body: Answer['body']
  /** Where in the file the body begins: the byte asked for, or 0 where the service has no ranges. */
  from: number
  /** Bytes of the whole file, where the service says so. */
  total?: number
  /** For the encoding that the answer names; the bytes are as they were sent, so that they can be continued. */
  decoder?: () => Transform
  /** What the service asks to wait before the next try, if this is not an archive. */
  retryAfterSeconds?: number
  close: () => void
}

/** The call that a download is. */
export function downloadOperation(calls: Operations, { kind, loadTest, number }: Download): Operation {
  if (kind === 'report') return calls.report(loadTest, number)
  if (kind === 'result') return calls.result(loadTest, number)
  return calls.reportXml(loadTest, number, kind)
}

/** Statuses that a service may have for a method that it does not offer. */
const wrongMethod: readonly number[] = [400, 404, 405, 501]
const isAboutMethod = (error: unknown) =>
  error instanceof ServiceError && (error.status === 405 || error.status === 501)

/**
 * Opens a download at a byte offset: by the document's method, or else by GET, then POST. One try. What has not arrived
 * yet is refused as well: of two refusals, the one that is not about the method counts.
 */
export async function openDownload(
  document: ServiceDocument,
  usual: Operation,
  from: number,
  signal?: AbortSignal,
): Promise<Opened> {
  const { connection } = document
  const isOpen = methodNotShown.includes(usual.name)
  const worked = document.worked.get(usual.name)
  const method = isOpen ? (worked ?? (await document.knownMethodOf(usual)) ?? 'GET') : usual.method
  const first: Operation = { ...usual, method }
  const by = async (operation: Operation) => {
    const answer = await opened(connection, operation, from, signal)
    document.worked.set(usual.name, operation.method)
    return answer
  }
  try {
    return await by(first)
  } catch (error) {
    signal?.throwIfAborted()
    if (!isOpen || worked !== undefined) throw error
    const otherwise = await otherMethod(document, first, error)
    return by({ ...usual, method: otherwise }).catch((other: unknown) => {
      throw isAboutMethod(error) && other instanceof ServiceError && !isAboutMethod(other) ? other : error
    })
  }
}

/**
 * What to try after a refusal. A document that nobody has needed yet is read now; it holds, unless the service itself
 * says otherwise.
 *
 * @throws the refusal if no other method would help
 */
async function otherMethod(
  document: ServiceDocument,
  refused: Operation,
  error: unknown,
): Promise<Operation['method']> {
  const mayBeForMethod = error instanceof ServiceError && wrongMethod.includes(error.status ?? 0)
  if (!mayBeForMethod) throw error
  const said = await document.methodOf(refused).catch(() => undefined)
  if (said === refused.method && !isAboutMethod(error)) throw error
  if (said !== undefined && said !== refused.method) return said
  return refused.method === 'GET' ? 'POST' : 'GET'
}

async function opened(
  connection: Connection,
  operation: Operation,
  from: number,
  signal?: AbortSignal,
): Promise<Opened> {
  const answer = await connection.authorized(operation, {
    timeout: slowAnswerTimeout,
    idle: answerTimeout,
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...defined({ range: from > 0 ? `bytes=${from}-` : undefined }),
    },
    ...defined({ signal }),
  })
  const { body, close } = answer
  return {
    operation,
    body,
    close,
    ...retryAfter(answer.headers['retry-after']),
    ...position(answer, from),
    ...defined({ decoder: decoderOf(answer) }),
  }
}
