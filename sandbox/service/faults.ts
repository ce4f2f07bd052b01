/** The operations that faults can be planned for; the books use the same names. */
export type OperationName =
  | ('token' | 'list' | 'details' | 'status' | 'runCopy' | 'report' | 'result')
  | ('upload' | 'delete' | 'openapi')

/** One way for the service to misbehave, on some calls of one operation. */
export interface FaultRule {
  /** `*` = any operation. */
  operation: OperationName | '*'
  /** Calls that succeed first; default 0. */
  skip?: number
  /** Calls that fail then; default 1. */
  times?: number | 'always'
  fault: Fault
}

export type Fault =
  /** Answers late. */
  | { kind: 'latency'; milliseconds: number }
  /** Breaks the connection without doing anything. */
  | { kind: 'drop-before' }
  /** Executes the request, then breaks the connection without an answer. */
  | { kind: 'drop-after' }
  /** Breaks the connection after this many bytes of the answer's body; default: half of them. */
  | { kind: 'half'; bytes?: number }
  /** Answers with this status; `executed`: executes the request first. Retry-After in seconds or as a date. */
  | { kind: 'status'; status: number; retryAfter?: number | string; executed?: boolean }
  /** An HTML page instead of the answer; default 502. */
  | { kind: 'html'; status?: number; executed?: boolean }
  /** Executes the request and answers 2xx, but with this body; default: truncated JSON. */
  | { kind: 'wrong-json'; body?: string }
  /** Executes a start this many seconds later, whatever the answer: until then its copy does not exist. */
  | { kind: 'late'; seconds: number }
  /** Redirects the client and does nothing. Default 302. */
  | { kind: 'redirect'; to: string; status?: number }
  /** All tokens so far expire or are revoked: 401 until there is a new one. */
  | { kind: 'expire-tokens' }
  | { kind: 'revoke-tokens' }
  /** Reports this state instead of the true one, as not ended or as ended. */
  | { kind: 'state'; state: string; ended?: boolean }
  /** Keeps reporting the state that the load test had when the rule first applied. */
  | { kind: 'stuck' }
  /** The load test is gone: 404. */
  | { kind: 'vanish' }
  /** The report or result is not available yet: 404, and the details do not list it. */
  | { kind: 'report-late' }
  /** The archive of a download is cut off; the transfer itself is complete. Default: half of it is there. */
  | { kind: 'cut-archive'; bytes?: number }
  /** The archive of a download has 64 wrong bytes, by default in its middle. */
  | { kind: 'corrupt-archive'; at?: number }
  /** Reads this many bytes of an upload, then breaks the connection. */
  | { kind: 'upload-breaks'; bytes: number }
  /** Another job starts a copy right before or after this call; default: of the same template, else of 1. */
  | { kind: 'foreign-start'; when: 'before' | 'after'; template?: number }
  /** Another job uploads a code archive right before or after this call. */
  | { kind: 'foreign-upload'; when: 'before' | 'after' }
  /** The service's clock jumps and stays there. */
  | { kind: 'clock-jump'; seconds: number }
  /** Something happens at this moment that has nothing to do with the service; never over HTTP. */
  | { kind: 'meanwhile'; happens: () => void }

/** A fault that happens, and the rule that it comes from, if any. */
export interface Strike {
  fault: Fault
  rule?: FaultRule
}

/** The planned faults, and which of them happen now. The rules are those of the settings. */
export class FaultPlan {
  readonly #calls = new WeakMap<FaultRule, number>()

  constructor(private readonly holder: { faults: FaultRule[] }) {}

  add(...rules: FaultRule[]): void {
    this.holder.faults = [...this.holder.faults, ...rules.map((rule) => ({ ...rule }))]
  }

  /** The faults of this call; a call counts once for each rule of its operation. */
  strike(operation: string): Strike[] {
    return this.holder.faults.flatMap((rule) => {
      if (rule.operation !== operation && rule.operation !== '*') return []
      const call = this.#calls.get(rule) ?? 0
      this.#calls.set(rule, call + 1)
      const { skip = 0, times = 1 } = rule
      const last = times === 'always' ? Infinity : skip + times
      return call >= skip && call < last ? [{ fault: rule.fault, rule }] : []
    })
  }
}

type Kind = Fault['kind']
type OfKind<K extends Kind> = Extract<Fault, { kind: K }>

/** The first fault of this kind among those that happen. */
export function faultOf<K extends Kind>(strikes: readonly Strike[], kind: K): OfKind<K> | undefined {
  return strikes.map(({ fault }) => fault).find((fault): fault is OfKind<K> => fault.kind === kind)
}
