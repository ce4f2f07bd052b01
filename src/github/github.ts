import path from 'node:path'
import type { LabelRecord } from '../judgement/label-record.js'
import type { EarlierOutcomes } from '../baseline/baseline.js'
import { message, UserError } from '../errors.js'
import { defined } from '../text/fields.js'
import type { ActionInputs, Inputs } from '../inputs/inputs.js'
import { sameCommit, type ReportRun } from '../inputs/report-source.js'
import type { Log } from '../log.js'
import type { Check } from '../outcome/outcome.js'
import { findKey } from '../publish/comment/comment.js'
import type { BranchOutcomes } from '../actions/history/branch-outcomes.js'
import { findBaselineOutcomes } from './runs/baseline-runs.js'
import { artifactClient } from './artifacts/client.js'
import type { ArtifactStore } from './artifacts/store.js'
import { checkAccept, checkArtifacts, checkComment } from './checks.js'
import { readLabels, tryReadLabels } from './pull-request/label-reading.js'
import { connect } from './octokit.js'
import { findBranchOutcomes } from './runs/history-runs.js'
import { ownPlace } from './runs/own-place.js'
import type { RunSearch } from './runs/runs.js'
import { fetchReportArtifact, runOfCommit } from './artifacts/report-artifact.js'
import { runArtifacts } from './artifacts/run-artifacts.js'
import { startNotes } from './artifacts/start-notes.js'
import type { GivenArtifact } from '../world.js'
import type { JobFacts } from './job/job.js'
import { openPulls, pullRequestComment, type Octokit, type PullRequest } from './pull-request/pull-request.js'

/** All calls to GitHub, each with its module loaded when it is first needed. */
export interface GitHub {
  artifactStore(): Promise<ArtifactStore>
  /** The notes of started runs. @param temp a folder for them */
  notes(temp: string): ReturnType<typeof startNotes>
  /** The comment of this step, or undefined if there is nothing to comment on. */
  comment(): Promise<{ put(body: string): Promise<void>; key: string } | undefined>
  earlierOutcomes(runs: number, folder: string): Promise<EarlierOutcomes>
  branchOutcomes(runs: number, folder: string): Promise<BranchOutcomes>
  /** An artifact of a workflow run, of this one where none is named. */
  reportArtifact(name: string, run: ReportRun | undefined, folder: string): Promise<GivenArtifact>
  /** What is known about a label on the pull request that the step is for. */
  labelRecord(label: string): Promise<LabelRecord>
  /** The artifacts of this workflow run. */
  runArtifacts: ReturnType<typeof runArtifacts>
  /** For mode check: comment, label and artifacts, as far as reading shows. */
  checks(inputs: Pick<Inputs, 'accept' | 'comment'>): Promise<Check[]>
}

export function gitHub(inputs: ActionInputs, job: JobFacts, log: Log): GitHub {
  const { owner, repo } = job
  const octokit = () => connect(inputs.githubToken)
  const artifactStore = artifactClient(job.occasion.env, process.stdout, log)
  // Distinguishes this step from other steps, jobs and templates.
  const stepKey = keyOf(inputs, job)
  const ownRun = {
    step: job.step,
    isOfOtherRun:
      inputs.mode === 'judge' && inputs.report.kind === 'artifact' && inputs.report.run !== undefined,
    ...defined({ workflowPath: job.workflowPath, base: job.base }),
  }
  const workflowRun = {
    token: inputs.githubToken,
    workflowRunId: job.workflowRun,
    repositoryOwner: owner,
    repositoryName: repo,
  }
  return {
    artifactStore,
    notes: (temp) => startNotes({ store: artifactStore, octokit, workflowRun, stepName: stepKey, temp, log }),
    runArtifacts: runArtifacts(artifactStore, workflowRun, job.attempt === '1'),
    async comment() {
      if (inputs.mode === 'check' || inputs.mode === 'history' || inputs.comment === 'never') return undefined
      if (!inputs.githubToken || !repo) return undefined
      const number = await pullRequest(inputs.comment)
      if (number === undefined) return undefined
      const key = inputs.commentKey || stepKey
      const comment = pullRequestComment(
        await octokit(),
        { owner, repo, number },
        { isOurs: (body) => findKey(body, key) },
        log,
      )
      return { ...comment, key }
    },
    async reportArtifact(name, wanted = job.workflowRun, folder) {
      const token = inputs.githubToken
      const store = await artifactStore()
      const of = {
        ...{ owner, repo, name, token, log, workflow: job.workflow, currentRun: job.workflowRun },
        ...{ artifact: inputs.outcomeArtifact, folder: `${folder}-outcomes` },
      }
      const commit = job.step.commit ?? ''
      const run = wanted === sameCommit ? await runOfCommit(octokit, store, { ...of, commit }) : wanted
      const url = (job.step.workflowRunUrl ?? '').replace(/\d+$/, String(run))
      const isOwn = run === job.workflowRun
      const search = { owner, repo, name, run, isOwn, url, token, folder }
      return fetchReportArtifact(octokit, store, search)
    },
    labelRecord: (label) => onPull((client, pull) => readLabels(client, pull, label)),
    async checks({ accept, comment }) {
      const pull = async () => {
        const number = await pullRequest(comment)
        return number === undefined ? undefined : { owner, repo, number }
      }
      return [
        await checkComment(
          { comment, githubToken: inputs.githubToken },
          octokit,
          pull,
          job.occasion.withoutSecrets !== undefined,
        ),
        ...(await checkAccept(accept, job.step.pullRequest, () => onPull(tryReadLabels))),
        await checkArtifacts(artifactStore),
      ]
    },
    async earlierOutcomes(count, folder) {
      if (!inputs.githubToken)
        throw new UserError('baseline: artifact needs github-token, with the permission actions: read.')
      try {
        const search = await runSearch(count, folder)
        const client = await octokit()
        const found = await findBaselineOutcomes(client, await artifactStore(), search)
        return { ...found, own: await ownPlace(client, search, ownRun, found.outcomes.length > 0) }
      } catch (error) {
        throw new UserError(
          `The earlier runs for baseline: artifact could not be read: ${message(error)}. ` +
            'The job needs the permission actions: read.',
          { cause: error },
        )
      }
    },
    async branchOutcomes(count, folder) {
      if (!inputs.githubToken)
        throw new UserError('The history needs github-token, with the permission actions: read.')
      const { branch, sha: commit } = job
      const url = job.step.workflowRunUrl ?? ''
      const own = branch === undefined ? undefined : { branch, url, commit }
      try {
        const search = { ...(await runSearch(count, folder)), ...defined({ own }) }
        return await findBranchOutcomes(await octokit(), await artifactStore(), search)
      } catch (error) {
        throw new UserError(
          `The runs of the history could not be read: ${message(error)}. ` +
            'The job needs the permission actions: read.',
          { cause: error },
        )
      }
    },
  }

  /** What finds the earlier runs of this workflow. */
  async function runSearch(count: number, folder: string): Promise<RunSearch> {
    const branches = job.baseBranches.length > 0 ? job.baseBranches : [await defaultBranch()]
    return {
      owner,
      repo,
      workflow: job.workflow,
      branches,
      artifact: inputs.outcomeArtifact,
      count,
      currentRun: job.workflowRun,
      token: inputs.githubToken,
      folder,
      log,
    }
  }

  /** Asks about the pull request that started the workflow. */
  async function onPull<T>(ask: (client: Octokit, pull: PullRequest) => Promise<T>): Promise<T> {
    const number = job.step.pullRequest
    if (number === undefined) throw new UserError('this workflow was not started by a pull request.')
    if (!inputs.githubToken) throw new UserError('github-token is empty. Remove it, or name a token.')
    return ask(await octokit(), { owner, repo, number })
  }

  /** The pull request to comment on, if any. */
  async function pullRequest(comment: Inputs['comment']): Promise<number | undefined> {
    return job.step.pullRequest ?? (comment === 'always' ? await openPullRequest() : undefined)
  }

  async function defaultBranch(): Promise<string> {
    const { data } = await (await octokit()).rest.repos.get({ owner, repo })
    return data.default_branch
  }

  async function openPullRequest(): Promise<number | undefined> {
    try {
      const numbers = await openPulls(await octokit(), { owner, repo, commit: job.sha })
      const [only, ...more] = numbers
      if (only !== undefined && more.length === 0) return only
      log.info(
        only === undefined
          ? 'comment: always: the commit is the head of no open pull request'
          : `comment: always: the commit is the head of several open pull requests, so none gets the comment: ${numbers.join(', ')}`,
      )
    } catch (error) {
      log.warning(
        `comment: always: the commit's pull request could not be looked up: ${message(error)}. The job needs the permission pull-requests: write.`,
      )
    }
    return undefined
  }
}

/** Steps, jobs and matrix legs over several templates or reports have a comment each. */
function keyOf(inputs: ActionInputs, { stepName, occasion, temp }: JobFacts): string {
  switch (inputs.mode) {
    case 'merge':
    case 'history':
      return [stepName, inputs.mode].join('/')
    case 'judge': {
      const { report } = inputs
      if (report.kind === 'artifact') return [stepName, 'artifact', report.name].join('/')
      // The location of a runner's folders may differ from job to job.
      const folder = [occasion.workspace, temp].find((one) => report.path.startsWith(one + path.sep))
      return [stepName, 'report', report.path.slice(folder?.length ?? 0)].join('/')
    }
    default: {
      const { project } = inputs
      const test = inputs.mode === 'collect' ? inputs.runNumber : Object.values(inputs.template ?? {})[0]
      return [stepName, project.organization, project.project, test].join('/')
    }
  }
}
