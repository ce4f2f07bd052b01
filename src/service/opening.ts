import type { Transform } from 'node:stream'
import { defined } from '../text/fields.js'
import { answerTimeout, decoderOf, position, slowAnswerTimeout } from './answer.js'
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
  close: () => void
}

/** The call that a download is. */
export function downloadOperation(calls: Operations, { kind, loadTest, number }: Download): Operation {
  if (kind === 'report') return calls.report(loadTest, number)
  if (kind === 'result') return calls.result(loadTest, number)
  return calls.reportXml(loadTest, number, kind)
}

/** Opens a download at a byte offset; with the document's method if the service refuses the usual one. One try. */
export async function openDownload(
  document: ServiceDocument,
  usual: Operation,
  from: number,
  signal?: AbortSignal,
): Promise<Opened> {
  const { connection } = document
  try {
    return await opened(connection, usual, from, signal)
  } catch (error) {
    const isOther = error instanceof ServiceError && error.status === 405
    const method = isOther && methodNotShown.includes(usual.name) ? await document.methodOf(usual) : undefined
    if (method === undefined || method === usual.method) throw error
    return opened(connection, { ...usual, method }, from, signal)
  }
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
  return { operation, body, close, ...position(answer, from), ...defined({ decoder: decoderOf(answer) }) }
}
