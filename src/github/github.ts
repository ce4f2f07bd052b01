import type { BranchOutcomes } from '../actions/history/branch-outcomes.js'
import type { EarlierOutcomes } from '../baseline/baseline.js'
import type { EarlierRuns } from '../baseline/source.js'
import { areRefused, type ActionInputs, type Inputs } from '../inputs/inputs.js'
import type { ReportRun } from '../inputs/report-source.js'
import type { LabelRecord } from '../judgement/label-record.js'
import type { Log } from '../log.js'
import type { Check } from '../outcome/outcome.js'
import { defined } from '../text/fields.js'
import { asRed, findKey, isRedComment } from '../publish/comment/comment.js'
import type { GivenArtifact } from '../actions/judge/judge.js'
import type { GitHubAccess } from './access.js'
import { artifactClient } from './artifacts/client.js'
import { reportArtifact } from './artifacts/report-artifact.js'
import { runArtifacts } from './artifacts/run-artifacts.js'
import { StartNotes, type NotePlace } from './artifacts/start-notes.js'
import type { ArtifactStore } from './artifacts/store.js'
import { checkAccept, checkArtifacts, checkComment, checkStatus } from './checks.js'
import { commitStatuses, type CommitStatus, type StatusPlace } from './commit-status.js'
import type { JobFacts } from './job/job.js'
import { stepKey } from './job/step-key.js'
import { connect } from './octokit.js'
import { chosenPull, onPull } from './pull-request/chosen-pull.js'
import { tryReadLabels } from './pull-request/label-reading.js'
import { labelRecords } from './pull-request/merge-group.js'
import {
  pullRequestComment,
  type CommentPlace,
  type Octokit,
  type PullRequestComment,
} from './pull-request/pull-request.js'
import { branchOutcomes, earlierOutcomes } from './runs/earlier.js'

/** What a step reports with, wherever its places were found: the main step finds them for itself and the post step. */
export interface Reporting {
  octokit: () => Promise<Octokit>
  artifactStore: () => Promise<ArtifactStore>
  /** The notes of starts. @param temp a folder for them */
  notes(place: NotePlace, temp: string): StartNotes
  comment(place: CommentPlace): Promise<PullRequestComment & { key: string }>
  status(place: StatusPlace): CommitStatus
}

export function reporting(token: string, env: JobFacts['occasion']['env'], log: Log): Reporting {
  const octokit = () => connect(token)
  const artifactStore = artifactClient(env, process.stdout, log)
  return {
    octokit,
    artifactStore,
    notes: (place, temp) => new StartNotes({ ...place, store: artifactStore, octokit, token, temp, log }),
    async comment({ key, ...pull }) {
      const identity = { isOurs: (body: string) => findKey(body, key), isRed: isRedComment, asRed }
      return { ...pullRequestComment(await octokit(), pull, identity, log), key }
    },
    status: commitStatuses(octokit, log),
  }
}

/** All calls to GitHub, each with its module loaded when it is first needed. */
export interface GitHub extends Reporting {
  notePlace: NotePlace
  /** Where this step comments, or undefined if there is nothing to comment on. */
  commentPlace(): Promise<CommentPlace | undefined>
  /**
   * Where the status of the measured commit is; undefined if none is wished for.
   *
   * @param commit undefined if it is not known: then there is no status, and the log says so
   */
  statusPlace(commit: string | undefined): StatusPlace | undefined
  earlierOutcomes(wanted: EarlierRuns & { folder: string }): Promise<EarlierOutcomes>
  branchOutcomes(runs: number, folder: string): Promise<BranchOutcomes>
  /** An artifact of a workflow run, of this one where none is named. */
  reportArtifact(name: string, run: ReportRun | undefined, folder: string): Promise<GivenArtifact>
  /** What is known about a label on each pull request that the step is for, or whose merge the commit is. */
  labelRecords(label: string, commit: string | undefined): Promise<LabelRecord[]>
  /** The artifacts of this workflow run. */
  runArtifacts: ReturnType<typeof runArtifacts>
  /** For mode check: comment, label, status and artifacts, as far as reading shows. */
  checks(inputs: Pick<Inputs, 'accept' | 'comment' | 'status'>): Promise<Check[]>
}

export function gitHub(inputs: ActionInputs, job: JobFacts, log: Log): GitHub {
  const own = reporting(inputs.githubToken, job.occasion.env, log)
  const { octokit, artifactStore } = own
  const access: GitHubAccess = { inputs, job, octokit, artifactStore, log }
  const stepName = stepKey(inputs, job)
  const { workflowRun: workflowRunId, owner: repositoryOwner, repo: repositoryName } = job
  const workflowRun = { workflowRunId, repositoryOwner, repositoryName }
  let chosen: ReturnType<typeof chosenPull> | undefined
  const pullToComment = async () =>
    'comment' in inputs ? (chosen ??= chosenPull(access, inputs.comment)) : undefined
  return {
    ...own,
    notePlace: { workflowRun, stepName, ...defined({ page: job.step.workflowRunUrl }) },
    runArtifacts: runArtifacts(
      artifactStore,
      octokit,
      { ...workflowRun, token: inputs.githubToken },
      job.attempt === '1',
    ),
    async commentPlace() {
      if (inputs.mode === 'check' || !('comment' in inputs) || inputs.comment === 'never') return undefined
      if (!inputs.githubToken || !job.repo) return undefined
      const pull = await pullToComment()
      if (!pull) return undefined
      const { owner, repo, number } = pull
      return { owner, repo, number, key: inputs.commentKey ?? stepName }
    },
    statusPlace(commit) {
      if (!('status' in inputs) || !inputs.status || inputs.mode === 'check' || areRefused(inputs))
        return undefined
      const { owner, repo, step } = job
      // An outcome, a note or a checkout may name any.
      if (commit === undefined || !job.eventCommits.includes(commit)) {
        log.info(
          'No status is written: it is not known that the commit was measured for which GitHub started this workflow.',
        )
        return undefined
      }
      if (!repo || !inputs.githubToken) return undefined
      return { owner, repo, commit, name: inputs.name, ...defined({ page: step.workflowRunUrl }) }
    },
    reportArtifact: (name, run, folder) => reportArtifact(access, name, run, folder),
    labelRecords: (label, commit) => labelRecords(access, label, commit),
    async checks({ accept, comment, status }) {
      const { githubToken } = inputs
      const { occasion, step } = job
      const isReadOnly = occasion.withoutSecrets !== undefined
      return [
        await checkComment({ comment, githubToken }, octokit, pullToComment, isReadOnly),
        ...(await checkAccept(accept, step.pullRequest, () => onPull(access, tryReadLabels))),
        ...(status ? [checkStatus(inputs.name, isReadOnly)] : []),
        await checkArtifacts(artifactStore),
      ]
    },
    async earlierOutcomes(wanted) {
      return earlierOutcomes(access, wanted, await pullToComment())
    },
    branchOutcomes: (runs, folder) => branchOutcomes(access, runs, folder),
  }
}
