import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Occasion } from '../inputs/inputs.js'
import { isFields, type Fields } from '../text/fields.js'
import type { Step } from '../outcome.js'

type Env = Readonly<Record<string, string | undefined>>

/** What the runner's variables and the event say of the job. */
export interface JobFacts {
  occasion: Occasion
  step: Pick<Step, 'repository' | 'commit' | 'pullRequest' | 'workflowRunUrl'>
  owner: string
  /** The repository's name without its owner. */
  repo: string
  workflowRun: number
  /** File name of the workflow. */
  workflow: string
  attempt: string
  /** What tells this step from others that comment on the same pull request: workflow, job and step. */
  stepName: string
  /** The branch that a pull request wants to change, then the default branch; as far as the event names them. */
  baseBranches: string[]
  /** The commit that was pushed, for finding its pull request. */
  sha: string
  temp: string
}

export function jobFacts(env: Env): JobFacts {
  const event = readEvent(env.GITHUB_EVENT_PATH)
  const pull = fields(event.pull_request)
  const head = fields(pull.head)
  const [owner = '', repo = ''] = (env.GITHUB_REPOSITORY ?? '').split('/')
  const number = typeof pull.number === 'number' ? pull.number : undefined
  // On a pull request GITHUB_SHA is the merge of head and base, which nobody has ever seen.
  const commit = text(head.sha) ?? env.GITHUB_SHA
  const withoutSecrets = whyNoSecrets(env, fields(head.repo))
  const branches = [text(fields(pull.base).ref), text(fields(event.repository).default_branch)]
  return {
    occasion: {
      workspace: env.GITHUB_WORKSPACE ?? process.cwd(),
      env,
      ...(withoutSecrets ? { withoutSecrets } : {}),
    },
    step: {
      ...(repo ? { repository: `${owner}/${repo}` } : {}),
      ...(commit ? { commit } : {}),
      ...(number === undefined ? {} : { pullRequest: number }),
      ...(repo && env.GITHUB_SERVER_URL && env.GITHUB_RUN_ID
        ? { workflowRunUrl: `${env.GITHUB_SERVER_URL}/${owner}/${repo}/actions/runs/${env.GITHUB_RUN_ID}` }
        : {}),
    },
    owner,
    repo,
    workflowRun: Number(env.GITHUB_RUN_ID ?? 0),
    workflow: workflowFile(env.GITHUB_WORKFLOW_REF ?? ''),
    attempt: env.GITHUB_RUN_ATTEMPT ?? '1',
    stepName: [env.GITHUB_WORKFLOW, env.GITHUB_JOB, env.GITHUB_ACTION].join('/'),
    baseBranches: [...new Set(branches.filter((branch) => branch !== undefined))],
    sha: env.GITHUB_SHA ?? '',
    temp: env.RUNNER_TEMP ?? tmpdir(),
  }
}

/** `load-test.yml` of `owner/repo/.github/workflows/load-test.yml@refs/heads/main`. */
function workflowFile(ref: string): string {
  const [path = ''] = ref.split('@', 1)
  return path.slice(path.lastIndexOf('/') + 1)
}

/** GitHub gives no secrets to workflows of forks and of Dependabot: then the missing input is not the user's mistake. */
function whyNoSecrets(env: Env, headRepo: Fields): string | undefined {
  if (env.GITHUB_ACTOR === 'dependabot[bot]') {
    return (
      'workflows that Dependabot starts get only the secrets that are stored for Dependabot. ' +
      'Add it there, or skip this job for Dependabot.'
    )
  }
  const from = text(headRepo.full_name)
  if (env.GITHUB_EVENT_NAME === 'pull_request' && from !== undefined && from !== env.GITHUB_REPOSITORY) {
    return (
      'GitHub gives no secrets to pull requests from forks. Skip this job for them, or start it by hand once a ' +
      'maintainer has looked at the change.'
    )
  }
  return undefined
}

function readEvent(path: string | undefined): Fields {
  if (!path) return {}
  try {
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return fields(event)
  } catch {
    // Without an event there is no pull request to speak of.
    return {}
  }
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
