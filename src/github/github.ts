import path from 'node:path'
import type { EarlierRuns } from '../baseline/source.js'
import { type ActionInputs, areRefused, type Inputs, type ReportRun } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import { fits, flaw, hindrance, unknown, type Check } from '../outcome/outcome.js'
import { isOfItsCommit, type Measured } from '../outcome/code-origin.js'
import { defined } from '../text/fields.js'
import { line, oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import type { GitHubAccess, JobFacts } from './job/job.js'
import { artifactClient, attach } from './artifacts/artifacts.js'
import { reportArtifact, runArtifacts } from './runs/report-artifact.js'
import { StartNotes } from './artifacts/start-notes.js'
import type { ArtifactStore, StoredArtifact } from './artifacts/store.js'
import { connect, isForbidden, type Octokit, type PullRequest, withTodo } from './api/octokit.js'
import { chosenPull, onPull } from './pull-request/pull-reading.js'
import { labelRecords, tryReadLabels } from './pull-request/labels.js'
import { pullRequestComment } from './pull-request/pull-request.js'
import { branchOutcomes, earlierOutcomes } from './runs/earlier.js'
import { message, NoArtifactServiceError } from '../errors.js'

export { demandedJob, refusedJob } from './pull-request/pull-request.js'

export type Reporting = ReturnType<typeof reporting>

/** What a step reports with, wherever its places were found: the main step finds them for itself and the post step. */
export function reporting(token: string, env: NodeJS.ProcessEnv, log: Log) {
  let client: Promise<Octokit> | undefined
  const octokit = () => (client ??= connect(token))
  const artifactStore = artifactClient(env, process.stdout)
  return {
    octokit,
    artifactStore,
    attach: async (file: Parameters<typeof attach>[1], workflowRunUrl: string) =>
      attach(await artifactStore(), file, workflowRunUrl, log),
    notes: (place: Pick<StartNotes['place'], 'workflowRun' | 'page' | 'stepName'>, temp: string) =>
      new StartNotes({ ...place, store: artifactStore, octokit, token, temp, log }),
    comment: async (place: PullRequest & { key: string }) => pullRequestComment(await octokit(), place, log),
    status: commitStatuses(octokit, log),
  }
}

export type GitHub = ReturnType<typeof gitHub>

/**
 * All calls to GitHub, each with its module loaded when it is first needed.
 *
 * @param temp a folder for this step alone
 */
export function gitHub(inputs: ActionInputs, job: JobFacts, log: Log, temp: string) {
  const own = reporting(inputs.githubToken, job.occasion.env, log)
  const { octokit, artifactStore } = own
  const access: GitHubAccess = { inputs, job, octokit, artifactStore, log, temp }
  const stepName = withoutSecrets(stepKey(inputs, job))
  const { workflowRun: workflowRunId, owner: repositoryOwner, repo: repositoryName } = job
  const workflowRun = { workflowRunId, repositoryOwner, repositoryName }
  // Legs may differ in what the step does not see, such as variables.
  const notePlace = {
    workflowRun,
    stepName: 'place' in inputs ? `${stepName}/${inputs.place.index}` : stepName,
    ...defined({ page: job.step.workflowRunUrl }),
  }
  const notes = own.notes(notePlace, temp)
  const ofRun = { ...workflowRun, token: inputs.githubToken }
  const artifacts = runArtifacts(artifactStore, octokit, ofRun, job.attempt === '1')
  let chosen: ReturnType<typeof chosenPull> | undefined
  const pullToComment = async () =>
    'comment' in inputs ? (chosen ??= chosenPull(access, inputs.comment)) : undefined
  return {
    ...own,
    notePlace,
    notes,
    async commentPlace(): Promise<(PullRequest & { key: string }) | undefined> {
      if (inputs.mode === 'check' || !('comment' in inputs) || inputs.comment === 'never') return undefined
      if (!inputs.githubToken || !job.repo) return undefined
      const pull = await pullToComment()
      if (!pull) return undefined
      const { owner, repo, number } = pull
      return { owner, repo, number, key: inputs.commentKey ?? stepName }
    },
    /** Where the status of a measured commit is, if it is wished for: one that started this workflow, or another by its note. */
    statusPlace: (commit: string | undefined) => statusPlace(access, commit, notes.commits),
    /** What the phases of a step ask. */
    world: {
      earlierStarts: () => notes.read(),
      startOf: (run: number, { baseUrl, project }: Pick<Inputs, 'baseUrl' | 'project'>) =>
        notes.of({ service: baseUrl, ...project, run }),
      reportArtifact: (name: string, run: ReportRun | undefined) => reportArtifact(access, name, run),
      labelRecords: (label: string, commit: string | undefined) => labelRecords(access, label, commit),
      checkGitHub: (wished: Pick<Inputs, 'accept' | 'comment' | 'status'>) =>
        checks(access, wished, pullToComment),
      earlierOutcomes: async (wanted: EarlierRuns, measured?: Measured) =>
        earlierOutcomes(access, wanted, await pullToComment(), measured),
      branchOutcomes: (runs: number, read: Parameters<typeof branchOutcomes>[2]) =>
        branchOutcomes(access, runs, read),
      runArtifacts: () => artifacts.list(),
      runArtifact: (artifact: StoredArtifact) => artifacts.fetch(artifact, temp),
    },
  }
}

function statusPlace(
  { inputs, job, log }: GitHubAccess,
  commit: string | undefined,
  others: ReadonlySet<string>,
) {
  if (!('status' in inputs) || !inputs.status || inputs.mode === 'check' || !inputs.name) return undefined
  const { owner, repo, step } = job
  if (areRefused(inputs) && !knowsWhatToTest(inputs, step)) return undefined
  // An outcome, a note or a checkout may name any.
  if (commit === undefined || !(job.eventCommits.includes(commit) || others.has(commit))) {
    log.info(
      'No status is written: it is not known that the commit was measured for which GitHub started this workflow.',
    )
    return undefined
  }
  if (!repo || !inputs.githubToken) return undefined
  return { owner, repo, commit, name: inputs.name, ...defined({ page: step.workflowRunUrl }) }
}

/** Of a refused step, nothing was read that its inputs name. */
function knowsWhatToTest(
  { pullRequest }: Pick<Inputs, 'pullRequest'>,
  step: Pick<JobFacts['step'], 'pullRequest' | 'event'>,
): boolean {
  return step.pullRequest !== undefined || (pullRequest === undefined && isOfItsCommit(step.event))
}

/** GitHub accepts no more characters in the description of a status. */
const longestDescription = 140

/** One line that GitHub accepts, whatever its text. */
export function statusDescription(text: string): string {
  // A sign outside of the basic plane may count twice.
  const twice = [...line(text, longestDescription)].filter((sign) => sign.length > 1).length
  return line(text, longestDescription - twice)
}

/** Statuses of commits. One that cannot be written is a warning; the verdict stands. */
export function commitStatuses(octokit: () => Promise<Octokit>, log: Log) {
  let isRefused = false
  return (at: { owner: string; repo: string; commit: string; name: string; page?: string }) =>
    async (state: 'pending' | 'success' | 'failure' | 'error', description: string): Promise<void> => {
      if (isRefused) return
      const { owner, repo, commit, name, page } = at
      try {
        const { rest } = await octokit()
        await rest.repos.createCommitStatus({
          ...{ owner, repo, sha: commit, context: name, state },
          description: statusDescription(description),
          ...defined({ target_url: page }),
        })
      } catch (error) {
        isRefused = isForbidden(error)
        const where = `The status "${oneLine(name, 100)}" of commit ${oneLine(commit, 60)} could not be written`
        log.warning(
          `${where}: ${withTodo(error, `The job needs the permission statuses: write.${isRefused ? ' Add it, or remove the input status. Pull requests from forks seldom have it.' : ''}`)} The verdict is not affected.`,
        )
      }
    }
}

async function checks(
  access: GitHubAccess,
  { accept, comment, status }: Pick<Inputs, 'accept' | 'comment' | 'status'>,
  pull: () => Promise<PullRequest | undefined>,
): Promise<Check[]> {
  const { inputs, job, octokit, artifactStore } = access
  return [
    await checkComment({ comment, githubToken: inputs.githubToken }, octokit, pull),
    ...(await checkAccept(accept, job.step.pullRequest, () => onPull(access, tryReadLabels))),
    ...(status ? [checkStatus(inputs.name)] : []),
    await checkArtifacts(artifactStore),
  ]
}

/**
 * Whether the pull request comment could be written. GitHub shows what a token may write only when it writes, so
 * this only reads, and says what stays open.
 *
 * @param pull the pull request that would be commented on
 */
async function checkComment(
  { comment, githubToken }: Pick<Inputs, 'comment' | 'githubToken'>,
  octokit: () => Promise<Octokit>,
  pull: () => Promise<PullRequest | undefined>,
): Promise<Check> {
  if (comment === 'never') return fits('comment', 'comment: never, so none would be written.')
  if (!githubToken) return flaw('comment', 'github-token is empty: no comment would be written.')
  try {
    const place = await pull()
    if (!place) return fits('comment', 'There is no pull request for a run to comment on.')
    const { owner, repo, number } = place
    await (await octokit()).rest.issues.listComments({ owner, repo, issue_number: number, per_page: 1 })
    const readable = `The comments of pull request ${number} can be read. Only a run shows whether one can be written: the job needs the permission pull-requests: write.${seldomInForks}`
    return unknown('comment', readable)
  } catch (error) {
    const todo = 'Give the job the permission pull-requests: write, or set comment: never.'
    return flaw('comment', `The comments of the pull request cannot be read: ${withTodo(error, todo)}`)
  }
}

/** Whether the step could read who set the label of `accept`: no row if the input is empty. */
export async function checkAccept(
  label: string | undefined,
  pull: number | undefined,
  read: () => Promise<void>,
): Promise<Check[]> {
  if (label === undefined) return []
  if (pull === undefined) {
    const elsewhere =
      'This is not a run of a pull request: here the label counts if it is on the one whose merge is tested.'
    return [fits('accept', elsewhere)]
  }
  try {
    await read()
    return [fits('accept', `The labels of pull request ${pull} and the pushes to it can be read.`)]
  } catch (error) {
    return [flaw('accept', `No label could accept failed gates: ${message(error)}`)]
  }
}

/** What a status would need, which only writing one shows. */
export function checkStatus(name: string): Check {
  const sentence = `Only a run shows whether the status "${name}" can be written: the job needs the permission statuses: write.${seldomInForks}`
  return unknown('status', sentence)
}

const seldomInForks =
  ' A pull request from a fork seldom has it; one of Dependabot has it only if the job names it under permissions.'

/** Whether the artifact service of this workflow run answers. */
export async function checkArtifacts(
  store: () => Promise<Pick<ArtifactStore, 'listArtifacts'>>,
): Promise<Check> {
  try {
    await (await store()).listArtifacts()
    return fits('artifacts', 'The artifact service of this workflow run answers.')
  } catch (error) {
    if (error instanceof NoArtifactServiceError) {
      const sentence = 'This GitHub has no artifact service that the step knows: reports stay on the runner.'
      return flaw('artifacts', sentence)
    }
    return hindrance('artifacts', `The artifact service does not answer: ${message(error)}`)
  }
}

/** Distinguishes a step from others, also in the legs of a matrix over several templates or reports. */
function stepKey(inputs: ActionInputs, { stepName, occasion, temp }: JobFacts): string {
  if ('project' in inputs) {
    const { project } = inputs
    const template = inputs.mode === 'collect' ? { number: inputs.runNumber } : inputs.template
    const test = template && ('number' in template ? template.number : template.name)
    return [stepName, project.organization, project.project, test].join('/')
  }
  if (!('report' in inputs)) return [stepName, inputs.mode].join('/')
  const { report } = inputs
  if (report.kind === 'artifact') return [stepName, 'artifact', report.name].join('/')
  // The location of a runner's folders may differ from job to job.
  const folder = [occasion.workspace, temp].find((one) => report.path.startsWith(one + path.sep))
  return [stepName, 'report', report.path.slice(folder?.length ?? 0)].join('/')
}
