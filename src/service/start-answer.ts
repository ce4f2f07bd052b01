import type { ServiceError } from './failure.js'
import type { LoadTest } from './wire.js'

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

/** Gateways also answer these while the service behind them is working (RFC 9110; RFC 8470; RFC 6585). */
const saidByGateways = [408, 425, 429]

export function namelessAnswer(fault: ServiceError): NamelessAnswer {
  const { status, executed, unanswered } = fault.facts
  if (unanswered) return { is: 'unanswered', fault }
  if (status === undefined) return { is: executed === 'no' ? 'unsent' : 'unclear', fault }
  const isRefusal = (status >= 400 && status < 500 && !saidByGateways.includes(status)) || status === 501
  return { is: isRefusal ? 'refused' : 'unclear', fault }
}
