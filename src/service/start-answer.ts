import { message } from '../errors.js'
import { readJson, slowAnswerTimeout } from './answer.js'
import type { Connection } from './connection.js'
import { ServiceError } from './failure.js'
import type { Operation } from './operations.js'
import { meaningOf } from './status.js'
import { readLoadTest, type LoadTest } from './wire.js'

/**
 * The result of one request of runCopy. Only that exchange says anything about a start: if a token, a list or a
 * document is not available, the fault of that call is thrown.
 */
export type StartAnswer = { is: 'named'; copy: LoadTest } | NamelessAnswer

/** An answer that does not identify the copy; the list shows what it leaves open. */
export type NamelessAnswer =
  /** 2xx without a load test: the service says that it started one. */
  | { is: 'unnamed'; fault: Error }
  /** The service was not reached: no connection, no such host, no TLS. */
  | { is: 'unsent'; fault: ServiceError }
  /** 4xx or 501: read and refused, as far as a status can be trusted. */
  | { is: 'refused'; fault: ServiceError }
  /** 3xx, 408, 425, 429, 5xx or a broken connection: it may have been executed, may still be, or never will be. */
  | { is: 'unclear'; fault: ServiceError }
  /** Our own time-out: it may still be under way, and be executed at any time. */
  | { is: 'unanswered'; fault: ServiceError }

/** Sends one request of runCopy. @throws only if it was not sent, for example without a token */
export async function requestStart(connection: Connection, operation: Operation): Promise<StartAnswer> {
  const answer = await connection.once(operation, { timeout: slowAnswerTimeout })
  if (answer instanceof ServiceError) return namelessAnswer(answer)
  try {
    const { origin } = new URL(connection.baseUrl)
    const copy = readLoadTest(operation, await readJson(operation, answer), origin)
    return { is: 'named', copy }
  } catch (fault) {
    return { is: 'unnamed', fault: fault instanceof Error ? fault : new Error(message(fault)) }
  }
}

/** What a start that failed leaves open. */
export function namelessAnswer(fault: ServiceError): NamelessAnswer {
  const { status, executed, unanswered } = fault.facts
  if (unanswered) return { is: 'unanswered', fault }
  if (status === undefined) return { is: executed === 'no' ? 'unsent' : 'unclear', fault }
  return { is: meaningOf(status).refusesStart ? 'refused' : 'unclear', fault }
}
