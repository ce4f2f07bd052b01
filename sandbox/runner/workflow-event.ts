import { execFileSync } from 'node:child_process'
import { matchesGlob } from 'node:path'
import type { Value } from './expressions.js'
import type { GitHubOptions } from './job-options.js'
import type { Triggers } from './workflow-file.js'

/** What happened in a repository on GitHub. */
export type WorkflowEvent =
  | { name: 'push'; branch: string }
  | {
      name: 'pull_request'
      number: number
      branch: string
      base: string
      fork?: string
      /** Who started it, such as dependabot[bot]. */
      actor?: string
      /** Default synchronize. */
      action?: string
      /** For the activities labeled and unlabeled. */
      label?: string
    }
  | {
      name: 'merge_group'
      base: string
      /** In the order of the queue. */
      pulls: readonly { number: number; branch: string }[]
      /** Whether all of them are one group; else the group is the last one. */
      isOneGroup?: boolean
    }
  | {
      name: 'issue_comment'
      /** Of the issue, or of the pull request from this branch. */
      number: number
      branch?: string
      body: string
      login: string
      /** Default created. */
      action?: string
    }
  | { name: 'schedule'; cron: string }
  | { name: 'workflow_dispatch'; inputs?: Readonly<Record<string, string>> }

/** The activities of a pull request that start a workflow by default. */
const usualTypes = ['opened', 'synchronize', 'reopened']
/** The activities of a comment, which start one by default. */
const commentTypes = ['created', 'edited', 'deleted']

/** A Git repository on this machine, standing in for one on GitHub. */
export interface Origin {
  folder: string
  /** owner/name */
  repository: string
  defaultBranch: string
}

/** What a workflow run knows about its event. */
export interface Happening {
  github: Pick<GitHubOptions, 'eventName' | 'event' | 'sha' | 'ref' | 'headRef' | 'baseRef' | 'repository'> &
    Partial<Pick<GitHubOptions, 'actor'>>
  /** The branch and the commit that the run is listed under. */
  branch: string
  commit: string
  /** Where the commit comes from: another repository for a fork, which gets no secrets. */
  headRepository: string
  inputs: Readonly<Record<string, string>>
  /** Branches that GitHub has made for it, with their commits. */
  refs?: Readonly<Record<string, string>>
}

/** The event in GitHub's form; undefined if it does not start the workflow. */
export function happeningOf(on: Triggers, event: WorkflowEvent, origin: Origin): Happening | undefined {
  const { folder, repository, defaultBranch } = origin
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trimEnd()
  const about = (fullName: string) => ({ full_name: fullName, default_branch: defaultBranch })
  const shared = { eventName: event.name, headRef: '', baseRef: '', repository }
  const onBranch = (branch: string, more: Record<string, Value> = {}, inputs = {}): Happening => {
    const commit = git('rev-parse', branch)
    const ref = `refs/heads/${branch}`
    const payload = { ref, repository: about(repository), ...more }
    const github = { ...shared, event: payload, sha: commit, ref }
    return { github, branch, commit, headRepository: repository, inputs }
  }
  switch (event.name) {
    case 'push': {
      const wanted = on.push?.branches ?? ['**']
      const starts = on.push !== undefined && wanted.some((glob) => matchesGlob(event.branch, glob))
      return starts ? onBranch(event.branch, { after: git('rev-parse', event.branch) }) : undefined
    }
    case 'merge_group': {
      if (on.merge_group === undefined) return undefined
      const group = mergeGroup(event, git)
      const { ref, head } = group
      const payload = {
        action: 'checks_requested',
        merge_group: {
          ...{ head_ref: ref, head_sha: head },
          ...{ base_ref: `refs/heads/${event.base}`, base_sha: group.base },
        },
        repository: about(repository),
      }
      return {
        github: { ...shared, event: payload, sha: head, ref },
        ...{ branch: ref.replace('refs/heads/', ''), commit: head, headRepository: repository, inputs: {} },
        refs: group.refs,
      }
    }
    case 'schedule':
      return on.schedule?.some(({ cron }) => cron === event.cron) === true
        ? onBranch(defaultBranch, { schedule: event.cron })
        : undefined
    case 'workflow_dispatch': {
      if (on.workflow_dispatch === undefined) return undefined
      const presets = Object.entries(on.workflow_dispatch.inputs ?? {}).map(([name, input]) => {
        return [name, input.default ?? ''] as const
      })
      const inputs = { ...Object.fromEntries(presets), ...event.inputs }
      return onBranch(defaultBranch, { inputs }, inputs)
    }
    case 'issue_comment': {
      if (on.issue_comment === undefined) return undefined
      const { action = 'created', body, branch, login, number } = event
      const { types = commentTypes } = on.issue_comment
      if (!types.includes(action)) return undefined
      if (branch !== undefined) git('update-ref', `refs/pull/${number}/head`, git('rev-parse', branch))
      const user = { login, type: login.endsWith('[bot]') ? 'Bot' : 'User' }
      return onBranch(defaultBranch, {
        action,
        issue: { number, state: 'open', ...(branch === undefined ? {} : { pull_request: {} }) },
        comment: { body, user },
        sender: user,
      })
    }
    case 'pull_request': {
      if (on.pull_request === undefined) return undefined
      const { action = 'synchronize', label, actor } = event
      const { types = usualTypes } = on.pull_request
      if (!types.includes(action)) return undefined
      const bases = on.pull_request.branches ?? ['**']
      if (!bases.some((glob) => matchesGlob(event.base, glob))) return undefined
      const changed = git('diff', '--name-only', `${event.base}...${event.branch}`).split('\n')
      const paths = on.pull_request.paths ?? ['**']
      if (!changed.some((file) => paths.some((glob) => file !== '' && matchesGlob(file, glob))))
        return undefined
      const commit = git('rev-parse', event.branch)
      const base = git('rev-parse', event.base)
      const ref = `refs/pull/${event.number}/merge`
      // What is checked out is the merge of head and base, which GitHub makes for each pull request.
      const merge = mergeOf(base, commit, git)
      git('update-ref', ref, merge)
      const from = event.fork ?? repository
      const payload = {
        ...(label === undefined ? {} : { label: { name: label } }),
        ...{ action, number: event.number, repository: about(repository) },
        pull_request: {
          number: event.number,
          head: { ref: event.branch, sha: commit, repo: about(from) },
          base: { ref: event.base, sha: base, repo: about(repository) },
        },
      }
      const names = { headRef: event.branch, baseRef: event.base, ...(actor === undefined ? {} : { actor }) }
      return {
        github: { ...shared, ...names, event: payload, sha: merge, ref },
        ...{ branch: event.branch, commit, headRepository: from, inputs: {} },
      }
    }
  }
}

type Git = (...args: string[]) => string

/** The branches of a merge queue, each entry put on the one before it, and the group that is to be tested. */
function mergeGroup(
  { base, pulls, isOneGroup = false }: Extract<WorkflowEvent, { name: 'merge_group' }>,
  git: Git,
): { ref: string; head: string; base: string; refs: Record<string, string> } {
  const refs: Record<string, string> = {}
  const first = git('rev-parse', base)
  let [ref, head, below] = ['', first, first]
  for (const { number, branch } of pulls) {
    below = head
    head = mergeOf(below, git('rev-parse', branch), git)
    ref = `refs/heads/gh-readonly-queue/${base}/pr-${number}-${below}`
    git('update-ref', ref, head)
    refs[ref] = head
  }
  return { ref, head, base: isOneGroup ? first : below, refs }
}

function mergeOf(base: string, commit: string, git: Git): string {
  const tree = git('merge-tree', '--write-tree', base, commit)
  const author = ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@github.com']
  return git(...author, 'commit-tree', tree, '-p', base, '-p', commit, '-m', `Merge ${commit}`)
}
