import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { oneLine } from '../../src/text/foreign-text.js'
import { startSandbox, type Sandbox } from './sandbox.js'

/* Every event that starts a workflow, as docs/events.md lists them. */

/** Branches as somebody may name them who wants to do harm: at most 255 bytes, as on GitHub. */
const names = {
  main: 'main',
  release: 'release/"$(touch${IFS}trapped)`touch${IFS}trapped`|](https%3a/evil.example)<img/src=x>',
  faster: `faster/'\u2028##{error]FORGED\u2029@team\u202e<script>${'x'.repeat(210)}`,
  merge: 'merge',
}
type Branch = keyof typeof names

/** One way for an event to start the step, and what follows from it. */
export interface EventRow {
  /** As the documents name it; with `pull-request` the input names pull request 7. */
  event: string
  payload: object
  ref: string
  /** The branch whose commit the event is about. */
  at: Branch
  /** The branch that is checked out, if it is another one. */
  found?: Branch
  comment?: string
  /** The branch whose commit is named. */
  tested: Branch
  comparedWith: Branch
  commented: boolean
}

/** One that is refused before anything is sent to the service. */
export interface Refusal extends Pick<EventRow, 'event' | 'payload' | 'ref' | 'at' | 'found'> {
  /** Why, in the name of the test. */
  because: string
  /** In the log. */
  says: string
}

/** What a step has said, and where. */
export interface Told {
  event?: string
  ref?: string
  commit?: string
  head?: string
  comparedWith?: string
  /** The commit that each comment on pull request 7 names. */
  comments: (string | undefined)[]
  /** Commits and states. */
  statuses: [string, string][]
}

/** A repository with its branches, earlier runs and pull request 7. */
export interface Events {
  sandbox: Sandbox
  commitOf(branch: Branch): string
  /** Everything as it was before the first event. */
  reset(): Promise<void>
  /** Checks out what a workflow would. */
  checkOut(row: Pick<EventRow, 'at' | 'found'>): void
  happening(
    row: Pick<EventRow, 'event' | 'payload' | 'ref' | 'at'>,
  ): Pick<GitHubOptions, 'eventName' | 'event' | 'ref' | 'sha'>
  told(runId: number): Told
  due(row: EventRow): Told
  close(): Promise<void>
}

const onMain = { ref: 'refs/heads/main', at: 'main' } as const
const onPull = {
  ref: 'refs/pull/7/merge',
  at: 'merge',
  tested: 'faster',
  comparedWith: 'release',
  commented: true,
} as const
const repository = 'sandbox/project'
const pullFrom = (full_name: string) => ({
  number: 7,
  head: { sha: '<faster>', ref: names.faster, repo: { full_name } },
  base: { sha: '<release>', ref: names.release },
})
const pull = { number: 7, pull_request: pullFrom(repository) }
const review = { action: 'submitted', pull_request: pull.pull_request }
const body = `/loadtest $(touch trapped) \`touch trapped\`\n::error::FORGED\n<img src=x onerror=alert(1)> @team`
const by = (login: string) => ({ sender: { login, type: 'User' } })
const comment = {
  ...{ action: 'created', issue: { number: 7, pull_request: {} }, comment: { body } },
  ...by('olga'),
}
const group = {
  action: 'checks_requested',
  merge_group: { base_ref: `refs/heads/${names.release}`, base_sha: '<release>' },
}
const queued = `refs/heads/gh-readonly-queue/${names.release}/pr-7-abc`
const followed = {
  workflow_run: {
    ...{ head_sha: '<faster>', head_repository: { full_name: repository }, pull_requests: [{ number: 7 }] },
  },
  ...by('olga'),
}
const dispatched = { inputs: { 'pull-request': '7' } }
const called = { action: 'load-test', client_payload: { 'pull-request': 7 } }
/** Of the default branch, which is checked out and compared with itself. */
const ofMain = { ...onMain, tested: 'main', comparedWith: 'main', commented: false } as const
/** An input names the pull request, whose head is checked out. */
const named = {
  ...onMain,
  found: 'faster',
  tested: 'faster',
  comparedWith: 'release',
  commented: true,
} as const
const pushTo = (branch: 'release' | 'faster') => ({
  event: '`push`',
  payload: { ref: `refs/heads/${names[branch]}`, after: `<${branch}>`, deleted: false },
  ...{ ref: `refs/heads/${names[branch]}`, at: branch },
  ...{ tested: branch, comparedWith: branch, commented: false },
})

export const rows: readonly EventRow[] = [
  { event: '`pull_request`', payload: pull, ...onPull },
  { event: '`issue_comment`, `pull-request`', payload: comment, ...named },
  pushTo('faster'),
  {
    ...{ event: '`merge_group`', payload: group, ref: queued, at: 'merge' },
    ...{ tested: 'merge', comparedWith: 'release', commented: false },
  },
  { event: '`pull_request_review`', payload: { ...review, ...by('olga') }, ...onPull },
  {
    ...{ event: '`pull_request_target`', payload: pull, ...onPull },
    ...{ ref: `refs/heads/${names.release}`, at: 'release', found: 'faster' },
  },
  { ...pushTo('faster'), comment: 'always', comparedWith: 'release', commented: true },
  { event: '`schedule`', payload: { schedule: '17 2 * * *' }, ...ofMain },
  { event: '`workflow_dispatch`', payload: { ref: 'refs/heads/main' }, ...ofMain },
  {
    event: '`workflow_dispatch`, `pull-request`',
    payload: { ref: 'refs/heads/main', ...dispatched },
    ...named,
  },
  { event: '`repository_dispatch`', payload: called, ...ofMain },
  { event: '`repository_dispatch`, `pull-request`', payload: called, ...named },
  { event: '`issue_comment`', payload: comment, ...ofMain, found: 'faster', tested: 'faster' },
  { event: '`workflow_run`', payload: followed, ...ofMain, found: 'faster', tested: 'faster' },
  { event: '`workflow_run`, `pull-request`', payload: followed, ...named },
]

const ofComment = { event: '`issue_comment`, `pull-request`', ...onMain, found: 'faster' } as const
const ofTarget = {
  event: '`pull_request_target`',
  payload: pull,
  ref: `refs/heads/${names.release}`,
  at: 'release',
} as const

export const refusals: readonly Refusal[] = [
  {
    ...{ ...ofComment, payload: { ...comment, ...by('mallory') } },
    ...{ because: 'a stranger wrote it', says: 'mallory asked for it, with the role read' },
  },
  {
    ...{ ...ofTarget, payload: { ...pull, pull_request: pullFrom('mallory/project') }, found: 'faster' },
    ...{ because: 'its head is in a fork', says: 'for the head of mallory/project' },
  },
]

/** What the input pull-request is in a workflow for this event. */
export function numberFor(event: string): string {
  if (!event.includes('`pull-request`')) return ''
  const place = {
    issue_comment: 'issue.number',
    workflow_dispatch: 'inputs.pull-request',
    repository_dispatch: 'client_payload.pull-request',
    workflow_run: 'workflow_run.pull_requests[0].number',
  }[nameOf(event)]
  if (place === undefined) throw new Error(`${event} names no pull request.`)
  return `\${{ github.event.${place} }}`
}

/** Such as `push`. */
export function nameOf(event: string): string {
  return /`(\w+)`/.exec(event)?.[1] ?? ''
}

/** What the step is called with, apart from what connects it to the service. */
export function inputsOf({ event, comment }: Pick<EventRow, 'event' | 'comment'>): Record<string, string> {
  return {
    ...{ baseline: 'artifact', gates: 'requests p95 <= baseline + 20 %', status: 'true' },
    ...{ 'pull-request': numberFor(event), comment: comment ?? 'auto' },
  }
}

export const permissions = {
  ...({ actions: 'read', contents: 'read', 'pull-requests': 'write', statuses: 'write' } as const),
}

export async function openEvents(): Promise<Events> {
  const sandbox = await startSandbox()
  const { github, workspace } = sandbox
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: workspace,
      encoding: 'utf8',
    }).trim()
  await sandbox.run({}, { job: { github: { runId: 1 } } })
  const left = readFileSync(github.store.artifact('load-test-outcome.json')?.path ?? '', 'utf8')
  const commits: Record<Branch, string> = { ...branchesIn(git), main: sandbox.commit }
  const commitOf = (branch: Branch) => commits[branch]
  const about = (payload: object): GitHubOptions['event'] => {
    const put = JSON.stringify({ ...payload, repository: { default_branch: 'main', full_name: repository } })
    return JSON.parse(
      put.replaceAll('"<faster>"', `"${commits.faster}"`).replaceAll('"<release>"', `"${commits.release}"`),
    ) as GitHubOptions['event']
  }
  /** An earlier run that measured the code of its branch. */
  const ranOn = async (branch: Branch, id: number) => {
    const commit = commitOf(branch)
    const outcome = JSON.parse(left) as LoadTestOutcome
    const step = { ...outcome.step, ref: `refs/heads/${names[branch]}`, sha: commit, head: commit, commit }
    github.seed.run({ id, branch: names[branch], commit })
    await github.seed.artifact({
      ...{ runId: id, name: 'load-test-outcome.json', mimeType: 'application/json' },
      bytes: JSON.stringify({ ...outcome, step }),
    })
  }
  return {
    sandbox,
    commitOf,
    async reset() {
      const { store } = github
      for (const list of [store.runs, store.artifacts, store.statuses, sandbox.service.books.requests])
        list.length = 0
      for (const map of [store.pulls, store.comments]) map.clear()
      github.settings.everyPullExists = false
      github.permit(permissions)
      github.seed.role('olga', 'write')
      for (const [index, branch] of (['main', 'release', 'faster'] as const).entries())
        await ranOn(branch, index + 1)
      github.seed.pull({
        number: 7,
        head: { branch: names.faster, commit: commits.faster, repository },
        base: { branch: names.release, commit: commits.release },
      })
    },
    checkOut: ({ at, found = at }) => void git('checkout', '-q', '--detach', commitOf(found)),
    happening: ({ event, payload, ref, at }) => ({
      ...{ eventName: nameOf(event), event: about(payload), ref, sha: commitOf(at) },
    }),
    told: (runId) => {
      const file = github.store.artifact('load-test-outcome.json', runId)?.path ?? ''
      const { step, comparison } = JSON.parse(readFileSync(file, 'utf8')) as LoadTestOutcome
      const { event, ref, commit, head } = step
      return JSON.parse(
        JSON.stringify({
          ...{ event, ref, commit, head, comparedWith: comparison?.baseline.name },
          comments: github.store
            .commentsOf(7)
            .map(({ body: text }) => /Updated for \[<code>(\w+)</.exec(text)?.[1]),
          statuses: github.store.statuses.map(({ commit: on, state }) => [on, state]),
        }),
      ) as Told
    },
    due: ({ event, ref, tested, at, found = at, comparedWith, commented }) => {
      const commit = commitOf(tested)
      // GitHub's own event is about the commit that it names, whatever is checked out.
      const isOther =
        tested !== at && !commented && ['repository_dispatch', 'issue_comment'].includes(nameOf(event))
      return {
        ...{ event: nameOf(event), ref, commit, head: commitOf(found) },
        comparedWith: `the latest run of ${oneLine(names[comparedWith], 60)}`,
        comments: commented ? [commit.slice(0, 7)] : [],
        statuses: isOther
          ? []
          : [
              [commit, 'pending'],
              [commit, 'success'],
            ],
      }
    },
    close: () => sandbox.close(),
  }
}

/** Makes the branches and what GitHub makes of them. @returns their commits */
function branchesIn(git: (...args: string[]) => string): Omit<Record<Branch, string>, 'main'> {
  const commitOn = (branch: 'release' | 'faster') => {
    git('checkout', '-q', '-b', names[branch], 'main')
    git('commit', '-q', '--allow-empty', '-m', branch)
    return git('rev-parse', 'HEAD')
  }
  const commits = { release: commitOn('release'), faster: commitOn('faster') }
  git('checkout', '-q', '-b', 'merge', commits.release)
  git('merge', '-q', '--no-ff', '-m', 'merge', commits.faster)
  const merge = git('rev-parse', 'HEAD')
  git('update-ref', 'refs/pull/7/head', commits.faster)
  for (const ref of ['refs/pull/7/merge', queued]) git('update-ref', ref, merge)
  git('update-ref', 'refs/tags/v1', commits.release)
  return { ...commits, merge }
}
