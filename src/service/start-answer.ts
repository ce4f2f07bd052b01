import { message } from '../errors.js'
import { readJson, slowAnswerTimeout } from './answer.js'
import type { Connection } from './connection.js'
import { ServiceError } from './failure.js'
import type { Operation } from './operations.js'
import { meaningOf } from './status.js'
import { numberInAddress, readCopy, type LoadTest } from './wire.js'

/**
 * The result of one request of runCopy. Only that exchange says anything about a start: if a token, a list or a
 * document is not available, the fault of that call is thrown.
 */
export type StartAnswer =
  /** `unproven`: the field may be about anything else. */
  { is: 'named'; copy: LoadTest; unproven?: true } | NamelessAnswer

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

/**
 * Sends one request of runCopy. The number of the copy is looked for wherever clients of such interfaces know it: in the
 * record, in its address or in the header Location, and where the answer has only one number. A redirect is not followed:
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
