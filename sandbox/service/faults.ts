/** The operations that faults can be planned for, by these names also in the books. */
export const operationNames = [
  'token',
  'list',
  'details',
  'status',
  'runCopy',
  'stop',
  'report',
  'result',
  'testReport',
  'scorecard',
  'upload',
  'archives',
  'delete',
  'openapi',
] as const
export type OperationName = (typeof operationNames)[number]

/** One way for the service to misbehave, on some calls of one operation. */
export interface FaultRule {
  /** `*` = any operation. */
  operation: OperationName | '*'
  /** Calls to let pass first; default 0. */
  skip?: number
  /** Calls to spoil then; default 1. */
  times?: number | 'always'
  fault: Fault
}

export type Fault =
  /** Answers late. */
  | { kind: 'latency'; milliseconds: number }
  /** Breaks the connection without doing what was asked. */
  | { kind: 'drop-before' }
  /** Does what was asked, then breaks the connection without an answer. */
  | { kind: 'drop-after' }
  /** Breaks the connection after so many bytes of the answer's body; default: half of them. */
  | { kind: 'half'; bytes?: number }
  /** Answers with a status instead; `executed`: does what was asked first. Retry-After in seconds or as a date. */
  | { kind: 'status'; status: number; retryAfter?: number | string; executed?: boolean }
  /** An HTML page instead of the answer; default 502. */
  | { kind: 'html'; status?: number; executed?: boolean }
  /** What was asked is done and answered with 2xx, but with this body; default: JSON that breaks off. */
  | { kind: 'wrong-json'; body?: string }
  /** A start is executed so many seconds later, whatever is answered: until then its copy is nowhere. */
  | { kind: 'late'; seconds: number }
  /** Sends the client elsewhere; nothing is done. Default 302. */
  | { kind: 'redirect'; to: string; status?: number }
  /** The hour of every token so far is over, or every token so far is revoked: 401 until there is a new one. */
  | { kind: 'expire-tokens' }
  | { kind: 'revoke-tokens' }
  /** Tells this state, whatever the true one is, as not ended or as ended. */
  | { kind: 'state'; state: string; ended?: boolean }
  /** Tells the state that the load test had when the rule first struck. */
  | { kind: 'stuck' }
  /** The load test is gone: 404. */
  | { kind: 'vanish' }
  /** The report or result is not available yet: 404, and the details do not list it. */
  | { kind: 'report-late' }
  /** The archive of a download lacks its end; the transfer itself is whole. Default: half of it is there. */
  | { kind: 'cut-archive'; bytes?: number }
  /** The archive of a download has 64 wrong bytes, by default in its middle. */
  | { kind: 'corrupt-archive'; at?: number }
  /** Reads so many bytes of an upload, then breaks the connection. */
  | { kind: 'upload-breaks'; bytes: number }
  /** Another job starts a copy right before or after this call; default: of the same template, else of 1. */
  | { kind: 'foreign-start'; when: 'before' | 'after'; template?: number }
  /** Another job uploads a code archive right before or after this call. */
  | { kind: 'foreign-upload'; when: 'before' | 'after' }
  /** The service's clock jumps, for good. */
  | { kind: 'clock-jump'; seconds: number }

/** A fault that strikes, and the rule it comes from where there is one. */
export interface Strike {
  fault: Fault
  rule?: FaultRule
}

/** The faults that are planned, and which of them strike now. The rules are those of the settings. */
export class FaultPlan {
  readonly #calls = new WeakMap<FaultRule, number>()

  constructor(private readonly holder: { faults: FaultRule[] }) {}

  get rules(): readonly FaultRule[] {
    return this.holder.faults
  }

  set(rules: readonly FaultRule[]): void {
    this.holder.faults = rules.map((rule) => ({ ...rule }))
  }

  add(...rules: FaultRule[]): void {
    this.holder.faults = [...this.holder.faults, ...rules.map((rule) => ({ ...rule }))]
  }

  /** The faults of this call; each call counts once for each rule of its operation. */
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

/** The first fault of this kind among those that strike. */
export function faultOf<K extends Kind>(strikes: readonly Strike[], kind: K): OfKind<K> | undefined {
  return strikes.map(({ fault }) => fault).find((fault): fault is OfKind<K> => fault.kind === kind)
}
