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
import { StartNotes } from './artifacts/start-notes.js'
import type { ArtifactStore } from './artifacts/store.js'
import { checkAccept, checkArtifacts, checkComment, checkStatus } from './checks.js'
import { commitStatuses, type CommitStatus } from './commit-status.js'
import type { JobFacts } from './job/job.js'
import { stepKey } from './job/step-key.js'
import { connect } from './octokit.js'
import { chosenPull, onPull } from './pull-request/chosen-pull.js'
import { tryReadLabels } from './pull-request/label-reading.js'
import { labelRecords } from './pull-request/merge-group.js'
import { pullRequestComment, type PullRequestComment } from './pull-request/pull-request.js'
import { branchOutcomes, earlierOutcomes } from './runs/earlier.js'

/** All calls to GitHub, each with its module loaded when it is first needed. */
export interface GitHub {
  artifactStore(): Promise<ArtifactStore>
  /** The notes of started runs. @param temp a folder for them */
  notes(temp: string): StartNotes
  /** The comment of this step, or undefined if there is nothing to comment on. */
  comment(): Promise<(PullRequestComment & { key: string }) | undefined>
  /**
   * The status of the measured commit; undefined if none is wished for.
   *
   * @param commit undefined if it is not known: then there is no status, and the log says so
   */
  status(commit: string | undefined): CommitStatus | undefined
  earlierOutcomes(wanted: EarlierRuns & { folder: string }): Promise<EarlierOutcomes>
  branchOutcomes(runs: number, folder: string): Promise<BranchOutcomes>
  /** An artifact of a workflow run, of this one where none is named. */
  reportArtifact(name: string, run: ReportRun | undefined, folder: string): Promise<GivenArtifact>
  /** What is known about a label on each pull request that the step is for. */
  labelRecords(label: string): Promise<LabelRecord[]>
  /** The artifacts of this workflow run. */
  runArtifacts: ReturnType<typeof runArtifacts>
  /** For mode check: comment, label, status and artifacts, as far as reading shows. */
  checks(inputs: Pick<Inputs, 'accept' | 'comment' | 'status'>): Promise<Check[]>
}

export function gitHub(inputs: ActionInputs, job: JobFacts, log: Log): GitHub {
  const octokit = () => connect(inputs.githubToken)
  const artifactStore = artifactClient(job.occasion.env, process.stdout, log)
  const access: GitHubAccess = { inputs, job, octokit, artifactStore, log }
  const stepName = stepKey(inputs, job)
  const statusAt = commitStatuses(octokit, log)
  const workflowRun = {
    token: inputs.githubToken,
    workflowRunId: job.workflowRun,
    repositoryOwner: job.owner,
    repositoryName: job.repo,
  }
  let chosen: ReturnType<typeof chosenPull> | undefined
  const pullToComment = async () =>
    'comment' in inputs ? (chosen ??= chosenPull(access, inputs.comment)) : undefined
  return {
    artifactStore,
    notes: (temp) => new StartNotes({ store: artifactStore, octokit, workflowRun, stepName, temp, log }),
    runArtifacts: runArtifacts(artifactStore, octokit, workflowRun, job.attempt === '1'),
    async comment() {
      if (inputs.mode === 'check' || !('comment' in inputs) || inputs.comment === 'never') return undefined
      if (!inputs.githubToken || !job.repo) return undefined
      const pull = await pullToComment()
      if (!pull) return undefined
      const key = inputs.commentKey || stepName
      const identity = { isOurs: (body: string) => findKey(body, key), isRed: isRedComment, asRed }
      return { ...pullRequestComment(await octokit(), pull, identity, log), key }
    },
    status(commit) {
      if (!('status' in inputs) || inputs.mode === 'check' || areRefused(inputs)) return undefined
      const { owner, repo, step } = job
      // An outcome, a note or a checkout may name any.
      if (commit === undefined || !job.eventCommits.includes(commit)) {
        log.info(
          'No status is written: it is not known that the commit was measured for which GitHub started this workflow.',
        )
        return undefined
      }
      if (!repo || !inputs.githubToken) return undefined
      return statusAt({ owner, repo, commit, name: inputs.status, ...defined({ page: step.workflowRunUrl }) })
    },
    reportArtifact: (name, run, folder) => reportArtifact(access, name, run, folder),
    labelRecords: (label) => labelRecords(access, label),
    async checks({ accept, comment, status }) {
      const { githubToken } = inputs
      const { occasion, step } = job
      const isReadOnly = occasion.withoutSecrets !== undefined
      return [
        await checkComment({ comment, githubToken }, octokit, pullToComment, isReadOnly),
        ...(await checkAccept(accept, step.pullRequest, () => onPull(access, tryReadLabels))),
        ...checkStatus(status, isReadOnly),
        await checkArtifacts(artifactStore),
      ]
    },
    async earlierOutcomes(wanted) {
      return earlierOutcomes(access, wanted, await pullToComment())
    },
    branchOutcomes: (runs, folder) => branchOutcomes(access, runs, folder),
  }
}
