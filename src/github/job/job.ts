import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { CheckedOut } from '../../archive/git.js'
import type { ActionInputs, Occasion } from '../../inputs/inputs.js'
import { defined, type Fields, fieldsOf, isFields, parsedJson, textOf } from '../../text/fields.js'
import { branchName } from '../../text/attempt-name.js'
import { oneLine } from '../../text/foreign-text.js'
import type { Step } from '../../outcome/outcome.js'
import type { Log } from '../../log.js'
import type { ArtifactStore } from '../artifacts/store.js'
import type { Octokit } from '../api/octokit.js'

/** What the runner's variables and the event say about the job. */
export interface JobFacts {
  occasion: Occasion
  /** Its commit is that of the event, whatever is checked out. */
  step: Pick<
    Step,
    'repository' | 'commit' | 'event' | 'head' | 'ref' | 'sha' | 'pullRequest' | 'workflowRunUrl'
  >
  /** The commits that GitHub's own event is about. */
  eventCommits: readonly (string | undefined)[]
  /**
   * The code that is checked out in a folder; without one that of the event. `doubt`: it is not what readers expect.
   *
   * @param isPacked something else may be tested in place of the head of a fork
   */
  measured(folder: string | undefined, isPacked?: boolean): Pick<Step, 'commit' | 'head'> & { doubt?: string }
  owner: string
  repo: string
  workflowRun: number
  /** File name of the workflow. */
  workflow: string
  /** The file's path, where it is one of this repository. */
  workflowPath?: string
  attempt: string
  /** What distinguishes this step from others that comment on the same pull request: workflow, job and step. */
  stepName: string
  /** The branch that a pull request or a merge group wants to change. */
  base?: string
  /** What a merge queue wants to be tested: the branch of its last entry, and the commit that the first is put on. */
  mergeGroup?: { ref: string; base: string }
  /** The branch that the job runs for; absent if it is for a pull request or a merge group. */
  branch?: string
  /** As far as the event names it. */
  defaultBranch?: string
  /** What started the workflow, unless that takes write access. */
  cause?: Cause
  /** The commit that was pushed, for finding its pull request. */
  sha: string
  temp: string
  /** The facts of a job that is for a pull request which its event does not name: with its base, and its head's commit. */
  forPull(pull: { number: number; base?: string; head?: string }): JobFacts
}

/** What the runner's variables and the event say about commits. */
interface EventCommits {
  event: string
  /** `owner/name` */
  repository: string
  /** GITHUB_SHA: of a pull request the merge of head and base, of most other events the latest of a branch. */
  sha?: string
  /** The head of the pull request, or of the workflow run that this one follows. */
  head?: string
}

/** Something that anybody may do in a repository that is public. */
export interface Cause {
  event: string
  /** The event itself, or that of the workflow run that this one follows. */
  origin: string
  action?: string
  by?: { login: string; isBot: boolean }
  /** When it happened, where the event says so: of a workflow run that this one follows, when that began. */
  at?: string
  /** The pull request that the event is about, where its head is in a fork. */
  foreignPull?: number
  /** The pull request that the event is about is closed. */
  isClosed?: true
}

/** @param named the pull request that the job is for, where an input names it */
export function jobFacts(
  env: NodeJS.ProcessEnv,
  checkedOut: (folder: string) => CheckedOut | undefined,
  named?: Parameters<JobFacts['forPull']>[0],
): JobFacts {
  const event = readEvent(env.GITHUB_EVENT_PATH)
  const head = fieldsOf(fieldsOf(event.pull_request).head)
  const commits: EventCommits = {
    event: env.GITHUB_EVENT_NAME ?? '',
    repository: env.GITHUB_REPOSITORY ?? '',
    ...(named
      ? // The event is about another commit.
        defined({ head: named.head })
      : defined({
          sha: textOf(env.GITHUB_SHA),
          head: textOf(head.sha) ?? textOf(fieldsOf(event.workflow_run).head_sha),
        })),
  }
  const foreignHead = whyNothingPacked(env, event)
  return {
    occasion: {
      workspace: env.GITHUB_WORKSPACE ?? process.cwd(),
      env,
      whyNotPacked: (folder) => foreignHead ?? whyNotHead(commits, checkedOut(folder)),
      ...defined({ withoutSecrets: whyNoSecrets(env, repositoryName(head.repo)) }),
    },
    // With pull_request_target, the other one is of the base, which is not tested.
    eventCommits: commits.event === 'pull_request_target' ? [commits.head] : [commits.sha, commits.head],
    measured(folder, isPacked = true) {
      const code = measuredCode(commits, folder === undefined ? undefined : checkedOut(folder))
      const { head: tested, ...named } = code
      return foreignHead !== undefined && !isPacked && tested === commits.head ? named : code
    },
    step: stepOf(env, commits, named?.number ?? fieldsOf(event.pull_request).number),
    ...workflowOf(env),
    ...branchesOf(env, event, named),
    ...defined({ cause: causeOf(env, event), mergeGroup: mergeGroupOf(env, event) }),
    sha: env.GITHUB_SHA ?? '',
    temp: env.RUNNER_TEMP ?? tmpdir(),
    forPull: (pull) => jobFacts(env, checkedOut, pull),
  }
}

function stepOf(env: NodeJS.ProcessEnv, commits: EventCommits, number: unknown): JobFacts['step'] {
  const { GITHUB_SERVER_URL: server, GITHUB_RUN_ID: run } = env
  const { owner, repo } = repositoryOf(env)
  return defined({
    repository: repo ? `${owner}/${repo}` : undefined,
    event: textOf(env.GITHUB_EVENT_NAME),
    ref: textOf(env.GITHUB_REF),
    sha: textOf(env.GITHUB_SHA),
    commit: measuredCode(commits, undefined).commit,
    pullRequest: typeof number === 'number' ? number : undefined,
    workflowRunUrl: repo && server && run ? `${server}/${owner}/${repo}/actions/runs/${run}` : undefined,
  })
}

function repositoryOf({ GITHUB_REPOSITORY = '' }: NodeJS.ProcessEnv): { owner: string; repo: string } {
  const [owner = '', repo = ''] = GITHUB_REPOSITORY.split('/')
  return { owner, repo }
}

function workflowOf(env: NodeJS.ProcessEnv) {
  const { owner, repo } = repositoryOf(env)
  // `owner/repo/.github/workflows/load-test.yml@refs/heads/main`
  const [file = ''] = (env.GITHUB_WORKFLOW_REF ?? '').split('@', 1)
  const own = `${owner}/${repo}/`
  return {
    owner,
    repo,
    workflowRun: Number(env.GITHUB_RUN_ID ?? 0),
    workflow: file.slice(file.lastIndexOf('/') + 1),
    ...defined({ workflowPath: file.startsWith(own) ? file.slice(own.length) : undefined }),
    attempt: env.GITHUB_RUN_ATTEMPT ?? '1',
    stepName: [env.GITHUB_WORKFLOW, env.GITHUB_JOB, env.GITHUB_ACTION].join('/'),
  }
}

function branchesOf(
  env: NodeJS.ProcessEnv,
  event: Fields,
  named: (object & { base?: string }) | undefined,
): Pick<JobFacts, 'base' | 'branch' | 'defaultBranch'> {
  const target = textOf(fieldsOf(event.merge_group).base_ref)
  const base = named
    ? named.base
    : (textOf(fieldsOf(fieldsOf(event.pull_request).base).ref) ?? (target && branchName(target)))
  const { GITHUB_EVENT_NAME: name = '', GITHUB_REF: ref = '' } = env
  const isForBranch = !named && !name.startsWith('pull_request') && name !== 'merge_group'
  const branch = isForBranch && ref.startsWith('refs/heads/') ? branchName(ref) : undefined
  return defined({ base, branch, defaultBranch: textOf(fieldsOf(event.repository).default_branch) })
}

function mergeGroupOf(env: NodeJS.ProcessEnv, event: Fields): JobFacts['mergeGroup'] {
  if (env.GITHUB_EVENT_NAME !== 'merge_group') return undefined
  const { head_ref: ref, base_sha: base } = fieldsOf(event.merge_group)
  return { ref: textOf(ref) ?? '', base: textOf(base) ?? '' }
}

/** Only who may write in the repository causes these. */
const byWriters = new Set(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'merge_group'])

function causeOf(env: NodeJS.ProcessEnv, event: Fields): Cause | undefined {
  const { GITHUB_EVENT_NAME: name = '' } = env
  if (byWriters.has(name)) return undefined
  const [run, comment, review] = [event.workflow_run, event.comment, event.review].map(fieldsOf)
  const at = textOf(run?.created_at) ?? textOf(comment?.created_at) ?? textOf(review?.submitted_at)
  const origin = textOf(run?.event) ?? name
  const { head, number, state } = fieldsOf(event.pull_request)
  const isForeign = isFields(head) && isElsewhere(repositoryName(head.repo), env)
  const foreignPull = isForeign && typeof number === 'number' ? number : undefined
  const isClosed = state === 'closed' ? (true as const) : undefined
  const known = { action: textOf(event.action), by: actorOf(event.sender), at, foreignPull, isClosed }
  return { event: name, origin, ...defined(known) }
}

/** `owner/name`; a fork that was deleted has none. */
function repositoryName(repository: unknown): string | undefined {
  return textOf(fieldsOf(repository).full_name)
}

function isElsewhere(name: string | undefined, { GITHUB_REPOSITORY: own }: NodeJS.ProcessEnv): boolean {
  return name?.toLowerCase() !== own?.toLowerCase()
}

/** Who did something, as GitHub names them; undefined if the account no longer exists. */
export function actorOf(actor: unknown): Cause['by'] {
  const { login: given, type } = fieldsOf(actor)
  const login = textOf(given)
  return login === undefined ? undefined : { login, isBot: type === 'Bot' || login.endsWith('[bot]') }
}

/** Events for which GitHub gives a fork no secrets. */
const secretless = ['pull_request', 'pull_request_review', 'pull_request_review_comment']

/** GitHub gives no secrets to workflows of forks and of Dependabot: then a missing secret is not the user's mistake. */
function whyNoSecrets(env: NodeJS.ProcessEnv, from: string | undefined): string | undefined {
  if (env.GITHUB_ACTOR === 'dependabot[bot]') {
    return (
      'workflows that Dependabot starts get only the secrets that are stored for Dependabot. ' +
      'Add it there, or skip this job for Dependabot.'
    )
  }
  const isForeign = from !== undefined && isElsewhere(from, env)
  if (isForeign && secretless.includes(env.GITHUB_EVENT_NAME ?? '')) {
    return (
      'GitHub gives no secrets to pull requests from forks. Skip this job for them, or start it by hand once a ' +
      'maintainer has looked at the change.'
    )
  }
  return undefined
}

/** With these events, a job about anybody's code gets secrets, and the service would build and run that code. */
function whyNothingPacked(env: NodeJS.ProcessEnv, event: Fields): string | undefined {
  const name = env.GITHUB_EVENT_NAME
  if (name !== 'pull_request_target' && name !== 'workflow_run') return undefined
  const head =
    name === 'workflow_run'
      ? fieldsOf(event.workflow_run).head_repository
      : fieldsOf(fieldsOf(event.pull_request).head).repo
  const from = repositoryName(head)
  if (!isElsewhere(from, env)) return undefined
  return (
    `Nothing is packed on ${name} for the head of ${from === undefined ? 'a deleted fork' : oneLine(from, 140)}: the service would build and run the code of a fork with the rights of your project. ` +
    'Use the event pull_request, and skip forks; or set source: none, or name a ZIP that you trust in source.'
  )
}

/**
 * The commit that is named is the one that is checked out. The merge of a pull request counts as its head, since no
 * reader has seen that merge. Where nothing is checked out, or another repository, the event's commit is named.
 */
function measuredCode(
  { event, repository, sha, head }: EventCommits,
  found: CheckedOut | undefined,
): ReturnType<JobFacts['measured']> {
  const named = event.startsWith('pull_request') ? (head ?? sha) : sha
  // It may come from the repository of a fork.
  if (found && found.commit === head) return { commit: head, head }
  if (!found || isOther(found, repository)) return defined({ commit: named })
  const { commit } = found
  // With this event it is the merge of a pull request, and not its base.
  const isMerge = event.startsWith('pull_request') && event !== 'pull_request_target'
  if (commit === sha) return { commit: isMerge ? (head ?? commit) : commit, head: commit }
  const doubt =
    named === undefined
      ? undefined
      : `What is tested is commit ${short(commit)}, which is checked out, and not ${short(named)}, for which GitHub started this workflow. No later run is compared with this one.`
  return { commit, head: commit, ...defined({ doubt }) }
}

/**
 * With this event a job runs for a pull request, but checks out the branch that the pull request wants to change.
 *
 * @returns why it must not be packed, as sentences
 */
function whyNotHead(
  { event, repository, head }: EventCommits,
  found: CheckedOut | undefined,
): string | undefined {
  if (event !== 'pull_request_target' || (found && isOther(found, repository))) return undefined
  if (found && found.commit === head) return undefined
  const what = found ? `what is checked out is ${short(found.commit)}` : 'it is not known what is checked out'
  return (
    `Nothing is packed on pull_request_target unless the head of the pull request is checked out, and ${what}: the result would be shown for a change that was not tested. ` +
    'Use the event pull_request, or check out the head: ref: ${{ github.event.pull_request.head.sha }}.'
  )
}

/** A suite may have a separate repository. */
function isOther({ repository }: CheckedOut, own: string): boolean {
  return repository !== undefined && repository.toLowerCase() !== own.toLowerCase()
}

function short(commit: string): string {
  return oneLine(commit, 60).slice(0, 7)
}

function readEvent(path: string | undefined): Fields {
  try {
    return path ? fieldsOf(parsedJson(readFileSync(path, 'utf8'))) : {}
  } catch {
    // Without an event, no pull request is known.
    return {}
  }
}

/** What a call to GitHub may need: the wishes of the step, its job, and the clients, each loaded when first needed. */
export interface GitHubAccess {
  inputs: ActionInputs
  job: JobFacts
  octokit: () => Promise<Octokit>
  artifactStore: () => Promise<ArtifactStore>
  log: Log
  /** A folder for this step alone. */
  temp: string
}
