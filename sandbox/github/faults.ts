import type { FastifyReply } from 'fastify'

export type FaultKind =
  'secondary-rate-limit' | 'throttle' | 'server-error' | 'odd-answer' | 'cut' | 'cut-after' | 'silence'

export interface Fault {
  kind: FaultKind
  /** Which requests fail, matched against texts such as `POST /repos/octo-org/shop/issues/7/comments`. */
  on?: RegExp
  /** How many of them fail; default 1. */
  times?: number
  /** How many succeed first; default 0. */
  after?: number
  /** Status of a server error, default 502, and of a secondary rate limit, default 403. */
  status?: number
  /** Whether the request is carried out before a server error. */
  carriedOut?: boolean
  /**
   * Seconds in `retry-after` of a secondary rate limit, default 60, and of a throttled request, default 1. Null = a
   * secondary rate limit does not say it.
   */
  retryAfter?: number | null
  /** The JSON of an odd answer, whose status is 200. */
  body?: unknown
}

/** Clients of the artifact service read `msg`, clients of the REST API `message`. */
export const serverError = { message: 'Server Error', code: 'internal', msg: 'internal server error' }

/** The planned faults that have not all happened yet. */
export class Faults {
  readonly #pending: { fault: Fault; before: number; left: number }[] = []

  add(fault: Fault): void {
    this.#pending.push({ fault, before: fault.after ?? 0, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#pending.length = 0
  }

  /** The fault for this request, if any; it is then used up once. */
  take(request: string): Fault | undefined {
    const met = this.#pending.find(({ fault, left }) => left > 0 && (fault.on?.test(request) ?? true))
    if (!met) return undefined
    if (met.before > 0) {
      met.before--
      return undefined
    }
    met.left--
    return met.fault
  }
}

/**
 * Answers like GitHub when it fails; `cut` closes the connection without an answer, and `silence` leaves it open. After
 * `cut-after`, the request must have been carried out.
 */
export function answerFault(fault: Fault, reply: FastifyReply): void {
  switch (fault.kind) {
    case 'cut':
    case 'cut-after':
      reply.hijack()
      reply.raw.destroy()
      return
    case 'silence':
      reply.hijack()
      return
    case 'odd-answer':
      void reply.send(fault.body)
      return
    case 'server-error':
      void reply.code(fault.status ?? 502).send(serverError)
      return
    case 'throttle':
      void reply
        .code(429)
        .header('retry-after', fault.retryAfter ?? 1)
        .send({ message: 'Too many requests.' })
      return
    case 'secondary-rate-limit':
      if (fault.retryAfter !== null) void reply.header('retry-after', fault.retryAfter ?? 60)
      void reply.code(fault.status ?? 403).send({
        message:
          'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. For more on scraping GitHub and how it may affect your rights, please review our Terms of Service (https://docs.github.com/en/site-policy/github-terms/github-terms-of-service)',
        documentation_url:
          'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
        status: '403',
      })
  }
}
