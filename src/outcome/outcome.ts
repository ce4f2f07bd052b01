import type { GateResult } from '../gates/result.js'
import type { History } from './history.js'
import type { LoadTestMode } from './kinds.js'
import type { Comparison } from '../gates/comparison.js'
import type { Suggestion } from '../gates/suggestion.js'
import type { Report, Scorecard } from '../report/report.js'
import type { Reason } from '../text/reason.js'

/** From best to worst: the worst verdict of several is that of all. */
export const verdicts = [
  'passed',
  'accepted',
  'started',
  'invalid',
  'failed',
  'load-test-failed',
  'timed-out',
  'cancelled',
  'error',
] as const
export type Verdict = (typeof verdicts)[number]

/** The legs of a matrix by their verdicts, otherwise in their order. */
export function worstFirst(legs: readonly Leg[]): Leg[] {
  return verdicts.toReversed().flatMap((verdict) => legs.filter((leg) => leg.verdict === verdict))
}

/** Whether a verdict says that the tested code is good enough. */
export function isGreen(verdict: Verdict): boolean {
  return verdict === 'passed' || verdict === 'accepted'
}

/**
 * All that one step knows when it ends: the content of the outcome file, and the only source of summary, comment,
 * digest, annotations and outputs. Plain JSON; its schema is docs/outcome.schema.json. What is unknown is absent.
 * `nothingYet` and `withPart` make one, which never changes.
 */
export type Outcome = LoadTestOutcome | CheckOutcome | HistoryOutcome | MergeOutcome

/** What a step of any kind knows. */
interface StepOutcome {
  /** Version of this format. */
  readonly format: 1
  readonly verdict: Verdict
  /** Why, most important first. */
  readonly reasons: readonly Reason[]
  /** What the reader can do next, as plain sentences. */
  readonly advice: readonly string[]
  /** What else to know beside the verdict, such as an overloaded load generator. */
  readonly notes: readonly string[]
  readonly step: Readonly<Step>
}

/** What is known of a load test that was started, followed or judged, or of a report that was given. */
export interface LoadTestOutcome extends StepOutcome {
  readonly kind: 'load-test'
  /** What was done with it; `judge` is a report that was given. */
  readonly mode: LoadTestMode
  readonly run?: Readonly<Run>
  readonly archive?: Readonly<CodeArchive>
  readonly report?: Readonly<ReportFile>
  readonly results?: Readonly<ReportFile>
  /** The page that summary and comment link to. */
  readonly digest?: Readonly<Artifact>
  readonly gates: readonly GateResult[]
  /** Far more failed than usual, whatever the gates say: no later run is compared with this one. */
  readonly tooManyErrors?: boolean
  readonly scorecard?: Scorecard
  readonly figures?: Report
  readonly comparison?: Comparison
  /** Gates that the runs support: after a run that passed without gates, or with three earlier runs and more. */
  readonly suggestion?: Suggestion
  /** The second run, if one was started to confirm the first; everything else here is about the first. */
  readonly confirmation?: Readonly<Confirmation>
  /** Who accepted the failed gates. */
  readonly acceptance?: Readonly<Acceptance>
  /** What was merged is slower and was accepted: from this run of the branch on, earlier ones are no baseline. */
  readonly isNewLevel?: true
}

/** What mode check found. */
export interface CheckOutcome extends StepOutcome {
  readonly kind: 'check'
  /** In the order of the checks. */
  readonly checks?: readonly Check[]
  /** Packed, and not uploaded. */
  readonly archive?: Readonly<CodeArchive>
}

/** What the action history found. */
export interface HistoryOutcome extends StepOutcome {
  readonly kind: 'history'
  readonly history?: Readonly<History>
  /** The page of the history, once it is written. */
  readonly historyPage?: Readonly<HistoryPage>
}

/** What the action merge read. */
export interface MergeOutcome extends StepOutcome {
  readonly kind: 'merge'
  /** Sorted by name. */
  readonly legs?: readonly Leg[]
  /** The page that summary and comment link to. */
  readonly digest?: Readonly<Artifact>
}

/** What a phase has found out. */
export type Part<T extends Outcome = LoadTestOutcome> = Partial<Omit<T, 'format' | 'kind'>>

/** What a step of any kind may find out. */
type AnyPart = Partial<Omit<StepOutcome, 'format'>>

/** Adds a part to the outcome the moment it is known, so that it is reported however the phase ends. */
export type Tell<T extends Outcome = LoadTestOutcome> = (part: Part<T> | AnyPart) => void

/** The kinds of outcome that are not about one load test. */
type OtherKind = Exclude<Outcome['kind'], 'load-test'>

/** The outcome of a step that has done nothing. */
export function nothingYet(mode: LoadTestMode, step: Step): LoadTestOutcome
export function nothingYet<K extends OtherKind>(kind: K, step: Step): Extract<Outcome, { kind: K }>
export function nothingYet(mode: LoadTestMode | OtherKind, step: Step): Outcome
export function nothingYet(mode: LoadTestMode | OtherKind, step: Step): Outcome {
  const nothing = { verdict: 'error', reasons: [], advice: [], notes: [], step } as const
  return frozen<Outcome>(
    mode === 'check' || mode === 'history' || mode === 'merge'
      ? { format: 1, kind: mode, ...nothing }
      : { format: 1, kind: 'load-test', mode, ...nothing, gates: [] },
  )
}

/** Puts the outcome together: reasons and sentences are appended, everything else replaces what was known. */
export function withPart<T extends Outcome>(outcome: T, part: Part<T> | AnyPart): T {
  const joined = (name: 'advice' | 'notes') => [...outcome[name], ...(part[name] ?? [])]
  return frozen({
    ...outcome,
    ...part,
    reasons: [...outcome.reasons, ...(part.reasons ?? [])],
    advice: joined('advice'),
    notes: joined('notes'),
  })
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}

/** Where the step ran. */
export interface Step {
  actionVersion: string
  repository?: string
  /** The commit that was tested, as far as the step can tell: what is checked out, else that of the event. */
  commit?: string
  /** What started the workflow, such as `push`. */
  event?: string
  /** The branch, tag or pull request that the workflow run is for, such as `refs/heads/main`. */
  ref?: string
  /** The commit that the workflow run is for; of a pull request its merge with the base. */
  sha?: string
  /** What was checked out where the tests are: HEAD. */
  head?: string
  pullRequest?: number
  workflowRunUrl?: string
  startedAt: string
  /** Seconds the step took. */
  seconds: number
  /** Its place in the matrix of its job, as far as the runner says. */
  leg?: MatrixPlace
}

/** One of the legs of a job's matrix; a job without one is its only leg. */
export interface MatrixPlace {
  /** The job's id in the workflow file. */
  job: string
  /** Counts from 0. */
  index: number
  total: number
}

/** One leg of a matrix, as the action merge has read it. */
export interface Leg {
  /** What its `name` has after that of the merging step, such as `search`. */
  name: string
  /** `error` where there is no outcome. */
  verdict: Verdict
  /** Why there is no outcome, as a sentence. */
  fault?: string
  /** The artifact that holds its outcome. */
  artifact?: Artifact
  outcome?: LoadTestOutcome
}

/** One thing that mode check has checked. */
export interface Check {
  /** Such as `scope LOADTEST_LIST`; not unique. */
  subject: string
  /** `not-tried`: only a run would try it; as far as was seen, nothing is wrong. */
  result: 'fits' | 'does-not-fit' | 'unknown' | 'not-tried'
  /** What was found and, if there is a problem, what to do. */
  sentence: string
  /** It would keep a run from being started, followed or reported. Only with `does-not-fit`. */
  endsRun?: true
}

/** The load test that was started or collected. */
export interface Run {
  number: number
  /** Its page on the service, where one is known. */
  url?: string
  name?: string
  template?: { number: number; name?: string }
  state: string
  /** ISO 8601. */
  startTime?: string
  endTime?: string
  durationSeconds?: number
  /** What it was built from, in the words of the service. */
  revision?: string
}

/** The result of a second run, which is started if only gates that compare failed in the first. */
export interface Confirmation {
  /**
   * `confirmed`: a gate failed in both runs. `not-confirmed`: none did. `open`: the second run was not judged, so that
   * the verdict of the first stands.
   */
  result: 'confirmed' | 'not-confirmed' | 'open'
  /** The second run alone, as in its own outcome. */
  verdict: Verdict
  reasons: readonly Reason[]
  run?: Run
  report?: ReportFile
  results?: ReportFile
  gates: readonly GateResult[]
  figures?: Report
}

/**
 * Somebody accepted the failed gates with a label on the pull request. The gates whose result is failed are those
 * that were accepted. Times are ISO 8601, as GitHub gave them.
 */
export interface Acceptance {
  label: string
  /** The login of who set the label. */
  by: string
  /** What they may do in the repository: a role, such as `write` or `maintain`. */
  role: string
  /** When the label was set. */
  at: string
  /** The head commit of the pull request that it is for. */
  commit: string
  /** When that commit was pushed. */
  pushedAt: string
}

/** The run that was started last. */
export function latestRun({
  run,
  confirmation,
}: Pick<LoadTestOutcome, 'run' | 'confirmation'>): Run | undefined {
  return confirmation?.run ?? run
}

export interface CodeArchive {
  id?: string
  sha512: string
  bytes: number
  files: number
  name: string
}

/** A downloaded archive, or a report that was given, and the artifact it became. */
export interface ReportFile {
  /** The service's number of it; absent of what the action judge was given. */
  number?: number
  /** What the action judge was given. */
  given?: Given
  /** As the service lists it, where it does. */
  label?: string
  path: string
  /** By its first bytes: `.tar.gz`, `.zip` or `.tar`. */
  ending: string
  bytes: number
  artifact?: Artifact
}

/** A report that did not come from the service. */
export interface Given {
  /** A path in the workspace, such as `results/20261121-1200`, or an artifact's name. */
  name: string
  /** The workflow run of the artifact, if it is another one. */
  url?: string
  /** The commit that this other run was for. */
  commit?: string
}

/** The page on the runner, and the artifact that it became. */
interface HistoryPage {
  path: string
  artifact?: Artifact
}

/** An artifact of the workflow run. */
export interface Artifact {
  /** Absent on an Enterprise Server, which assigns it when the workflow run has ended. */
  id?: number
  url: string
  name: string
}
