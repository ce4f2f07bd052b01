import type { LabelRecord } from './judgement/label-record.js'
import type { EarlierOutcomes } from './baseline/baseline.js'
import type { EarlierRuns } from './baseline/source.js'
import type { Inputs } from './inputs/inputs.js'
import type { ReportRun } from './inputs/report-source.js'
import type { BranchOutcomes } from './actions/history/branch-outcomes.js'
import type { StartNote } from './start/earlier-start.js'
import type { Log } from './log.js'
import type { Artifact, Check, Given, Run, Step } from './outcome/outcome.js'
import type { Client } from './service/client.js'
import type { Scope } from './service/operations.js'
import type { Clock } from './clock.js'

/** Where the service is, and who asks it. */
export type ServiceInputs = Pick<Inputs, 'baseUrl' | 'credentials' | 'mode' | 'project'>

/** What a step needs from the world around it. */
export interface World {
  connect(inputs: ServiceInputs, scopes: readonly Scope[]): Client
  clock: Clock
  log: Log
  /** A copy of plain data without the secrets that were sent to the service, however they are encoded. */
  redact<T>(value: T): T
  /** Aborted when the job is cancelled. */
  signal: AbortSignal
  /** Waits for a part of the step. @throws a fault that nothing else handles */
  unlessBroken<T>(work: Promise<T>): Promise<T>
  /** An empty folder for this step alone. */
  temp: string
  /** Absolute; names below it are shown without it. */
  workspace: string
  /** Where the step runs; the rest is filled in at the end. */
  step: Omit<Step, 'seconds'>
  /** What is doubtful about the commit that it names, as sentences. */
  doubts: string[]
  /** The repository's name, which the archive's top-level directory gets. */
  topLevel?: string
  /** GITHUB_RUN_ATTEMPT: 2 and more when the job is run again. */
  attempt: number
  /** What earlier attempts of this job recorded. @throws UserError if that cannot be read */
  earlierStarts(): Promise<StartNote[]>
  /** What was recorded when this run of the service was started, by whichever step of the repository. */
  startOf(run: number, inputs: ServiceInputs): Promise<StartNote | undefined>
  /** The outcomes of the latest successful runs on the base branch. */
  earlierOutcomes(wanted: EarlierRuns): Promise<EarlierOutcomes>
  /** The outcomes of the latest runs on the branch, whatever their verdict, at most that many. */
  branchOutcomes(runs: number): Promise<BranchOutcomes>
  /** An artifact of a workflow run, of this one where none is named. */
  reportArtifact(name: string, run: ReportRun | undefined): Promise<GivenArtifact>
  /**
   * What GitHub says about a label on the pull request that the step is for, or on each of a merge group. @throws
   * UserError if it cannot be read
   */
  labelRecords(label: string): Promise<LabelRecord[]>
  /** The artifacts of this workflow run, of all its attempts. */
  runArtifacts(): Promise<ListedArtifact[]>
  /** The file of one of them, as it is stored. */
  runArtifact(artifact: ListedArtifact): Promise<string>
  /** For mode check: whether comment, label, status and artifacts would work, as far as reading shows. */
  checkGitHub(inputs: Pick<Inputs, 'accept' | 'comment' | 'status'>): Promise<Check[]>
  /** The built worker that deflates large repositories, on all cores. */
  deflateWorker: URL
  /** The built worker that xpath gates are evaluated in. */
  xpathWorker: URL
  keep: Keep
}

/** An artifact on disk, as it is stored: a file, or the files that were attached, in a ZIP. */
export interface GivenArtifact {
  path: string
  given: Given
  /** Where it is one of this workflow run. */
  artifact?: Artifact
}

/** An artifact of this workflow run. */
export interface ListedArtifact {
  name: string
  /** Absent on an Enterprise Server, where a name is taken once. */
  id?: number
  /** Bytes as it is stored, if GitHub says so. */
  size?: number
}

/** Gets everything that must outlive the step, the moment it is known. */
export interface Keep {
  /** A start is about to be requested, while these load tests exist. What was kept about an earlier run is dropped. */
  starting(template: number, before: readonly number[], confirms?: number): void
  /**
   * The run exists. `note` is there for one that was just started; `expectedEnd` is ISO 8601, from the template's own
   * last run; `confirms` is the number of the run that this one is to confirm. GitHub learns about it while
   * the run is followed.
   */
  run(run: Run, more: { note?: StartNote; expectedEnd?: string; confirms?: number }): void
  archive(archive: { id?: string; sha512: string }): void
  /** The run has ended, and the list was read once more: no second one belongs to this step. */
  settled(): void
}
