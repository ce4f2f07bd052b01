import type { ChangePoint, Series } from '../comparison/change-points.js'
import type { GateOutcome, GateResult, GatesVerdict } from '../gates/result.js'
import type { Comparison } from '../comparison/comparison.js'
import type { Suggestion } from '../gates/suggested-gates.js'
import type { Report, Scorecard } from '../report/report.js'
import type { Reason } from '../text/reason.js'
import { withoutSecrets } from '../text/redaction.js'

/** The modes of the action at the root of the repository, which is about a load test. */
export const modes = ['run', 'start', 'collect', 'check'] as const
export type Mode = (typeof modes)[number]

/** The actions in folders of these names. They use no service: there is no load test to start or to follow. */
export const ownActions = ['judge', 'merge', 'history'] as const
export type OwnAction = (typeof ownActions)[number]

/** Whether a step of that mode starts a load test. */
export function startsRun(mode: Mode | OwnAction): mode is 'run' | 'start' {
  return mode === 'run' || mode === 'start'
}

export type ActionName = 'load-test' | OwnAction

/** @param name of the file in dist/ that the runner started, without its extension: each action has its own */
export function actionOf(name: string): ActionName {
  return ownActions.find((one) => one === name) ?? 'load-test'
}

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

/** Of a run that was judged to its end. With any other, such as load-test-failed, it is nobody's baseline. */
export const judgedVerdicts: readonly string[] = [
  'passed',
  'accepted',
  'invalid',
  'failed',
] satisfies Verdict[]

/** The legs of a matrix: first those that the code made fail, then by their verdicts, otherwise in their order. */
export function worstFirst(legs: readonly Leg[]): Leg[] {
  const order = new Set<Verdict>(['failed', ...verdicts.toReversed()])
  return [...order].flatMap((verdict) => legs.filter((leg) => leg.verdict === verdict))
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

interface StepOutcome {
  /** Version of this format. */
  readonly format: 1
  readonly verdict: Verdict
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
  readonly mode: Exclude<Mode, 'check'> | 'judge'
  readonly run?: Readonly<Run>
  readonly archive?: Readonly<CodeArchive>
  readonly report?: Readonly<ReportFile>
  readonly results?: Readonly<ReportFile>
  /** The page that summary and comment link to. */
  readonly digest?: Readonly<Artifact>
  readonly gates: readonly GateResult[]
  /** Far more failed than usual: no later run is compared with this one. */
  readonly tooManyErrors?: boolean
  readonly scorecard?: Scorecard
  readonly figures?: Report
  readonly comparison?: Comparison
  /** Gates that the runs support: after a run that passed without gates, or with three earlier runs and more. */
  readonly suggestion?: Suggestion
  /**
   * The second run, as in its own outcome, if one was started because only gates that compare failed in the first;
   * figures and comparison here are of the first. `confirmed`: a gate failed in both runs. `not-confirmed`: none did.
   * `open`: the second run was not judged, so that the verdict of the first stands.
   */
  readonly confirmation?: Readonly<
    Pick<LoadTestOutcome, 'verdict' | 'reasons' | 'run' | 'report' | 'results' | 'gates' | 'figures'>
  > & { readonly result: 'confirmed' | 'not-confirmed' | 'open' }
  readonly acceptance?: Readonly<Acceptance>
  /** What was merged here was accepted: from this run of the branch on, earlier ones are no baseline. */
  readonly isNewLevel?: true
}

export interface CheckOutcome extends StepOutcome {
  readonly kind: 'check'
  readonly checks?: readonly Check[]
  /** Packed, and not uploaded. */
  readonly archive?: Readonly<CodeArchive>
}

export interface HistoryOutcome extends StepOutcome {
  readonly kind: 'history'
  readonly history?: Readonly<History>
  /** The page of the history on the runner, once it is written, and the artifact that it became. */
  readonly historyPage?: { readonly path: string; readonly artifact?: Artifact }
}

export interface MergeOutcome extends StepOutcome {
  readonly kind: 'merge'
  /** Sorted by name. */
  readonly legs?: readonly Leg[]
  /** The page that summary and comment link to. */
  readonly digest?: Readonly<Artifact>
}

/** What a phase has found out. */
export type Part<T extends Outcome = LoadTestOutcome> = Partial<Omit<T, 'format' | 'kind'>>

/** Adds a part to the outcome the moment it is known, so that it is reported however the phase ends. */
export type Tell<T extends Outcome = LoadTestOutcome> = (
  part: Part<T> | Partial<Omit<StepOutcome, 'format'>>,
) => void

type OtherKind = Exclude<Outcome['kind'], 'load-test'>

/** The outcome of a step that has done nothing. */
export function nothingYet(mode: LoadTestOutcome['mode'], step: Step): LoadTestOutcome
export function nothingYet<K extends OtherKind>(kind: K, step: Step): Extract<Outcome, { kind: K }>
export function nothingYet(mode: LoadTestOutcome['mode'] | OtherKind, step: Step): Outcome
export function nothingYet(mode: LoadTestOutcome['mode'] | OtherKind, step: Step): Outcome {
  const nothing = { format: 1, verdict: 'error', reasons: [], advice: [], notes: [], step } as const
  return Object.freeze<Outcome>(
    mode === 'check' || mode === 'history' || mode === 'merge'
      ? { kind: mode, ...nothing }
      : { kind: 'load-test', mode, ...nothing, gates: [] },
  )
}

/** Puts the outcome together: reasons and sentences are appended, everything else replaces what was known. */
export function withPart<T extends Outcome>(outcome: T, part: Parameters<Tell<T>>[0]): T {
  const joined = (name: 'advice' | 'notes') => [...outcome[name], ...(part[name] ?? [])]
  const reasons = [...outcome.reasons, ...(part.reasons ?? [])]
  const joint: T = { ...outcome, ...part, reasons, advice: joined('advice'), notes: joined('notes') }
  return Object.freeze(joint)
}

export interface Step {
  actionVersion: string
  repository?: string
  /** The commit that was tested, as far as the step can tell: what is checked out, of a pull request's merge its head; else that of the event. */
  commit?: string
  /** What started the workflow, such as `push`. */
  event?: string
  /** The branch, tag or pull request that the workflow run is for, such as `refs/heads/main`. */
  ref?: string
  /** The commit that the workflow run is for: GITHUB_SHA. */
  sha?: string
  /** What was checked out where the tests are: HEAD. */
  head?: string
  pullRequest?: number
  workflowRunUrl?: string
  /** The address of the load-testing service. */
  service?: string
  startedAt: string
  seconds: number
  /**
   * Its place in the matrix of its job, by the job's id in the workflow file, counted from 0, as far as the runner says.
   * A job without a matrix is its only leg.
   */
  leg?: { job: string; index: number; total: number }
  /** The input `name`, where it is given. */
  name?: string
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

const found =
  (result: Check['result'], more: Pick<Check, 'endsRun'> = {}) =>
  (subject: string, sentence: string): Check => ({ subject, result, sentence, ...more })

export const fits = found('fits')
/** A run could not be started, followed or reported. */
export const hindrance = found('does-not-fit', { endsRun: true })
/** There is a problem, but a run would get to its end. */
export const flaw = found('does-not-fit')
export const unknown = found('unknown')
export const notTried = found('not-tried')

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
  pushedAt: string
}

/** The run that was started last. */
export function latestRun({ run, confirmation }: Pick<LoadTestOutcome, 'run' | 'confirmation'>) {
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
  /** What the action judge was given, which did not come from the service. */
  given?: {
    /** For people: its path from the workspace, such as `results/20261121-1200`, or the artifact. */
    name: string
    /** The workflow run of the artifact, if it is another one. */
    url?: string
    /** The commit that this other run measured. */
    commit?: string
  }
  /** As the service lists it, where it does. */
  label?: string
  path: string
  /** By its first bytes: `.tar.gz`, `.zip` or `.tar`. */
  ending: string
  bytes: number
  artifact?: Artifact
}

/** An artifact on disk, as it is stored: a file, or the files that were attached, in a ZIP. */
export interface GivenArtifact {
  path: string
  given: NonNullable<ReportFile['given']>
  /** Where it is one of this workflow run. */
  artifact?: Artifact
}

/** An artifact of the workflow run. */
export interface Artifact {
  /** Absent on an Enterprise Server, which assigns it when the workflow run has ended. */
  id?: number
  url: string
  name: string
}

/** If no id is known, the link leads to the page of the workflow run, which lists the artifacts. */
export function attached(id: number | undefined, given: string, workflowRunUrl: string): Artifact {
  const name = withoutSecrets(given)
  return id === undefined
    ? { url: `${workflowRunUrl}#artifacts`, name }
    : { id, url: `${workflowRunUrl}/artifacts/${id}`, name }
}

/** The figures of a branch's runs, the oldest run first. */
export interface History {
  branch: string
  runs: HistoryRun[]
  /** The key figures, then each timer by the metric that represents it. */
  series: Series[]
  /** In the order of the runs. */
  changePoints: ChangePoint[]
  /** What the gates would have come to, where there are any. */
  trial?: Trial
}

export interface HistoryRun {
  /** Its workflow run. */
  url: string
  /** The page of its digest, an artifact of that workflow run. */
  digest?: string
  commit: string
  verdict: string
  /** ISO 8601. */
  startTime?: string
  /** The login of who accepted the failed gates. */
  acceptedBy?: string
}

/** What gates would have come to in past runs, the oldest run first. */
export interface Trial {
  /** By its errors and all gates that fail a step, but for xpath gates. */
  verdicts: GatesVerdict[]
  /** In the order that they were written. */
  gates: TriedGate[]
}

export interface TriedGate extends Pick<GateResult, 'gate' | 'name' | 'file' | 'line'> {
  /** In each run. */
  results: TrialResult[]
  /**
   * How often it fails once all response times of a run are raised by some percent, of the runs in which it passed.
   * Absent for a gate that is not about times.
   */
  slowdowns?: { percent: number; found: number; runs: number }[]
}

/** The worst of a gate's results in a run. A gate that warns is `not-measured`, too, where it has no figure. */
export interface TrialResult {
  result: GateOutcome
  /** A sentence where it failed, warned or was not measured. */
  reason?: string
}
