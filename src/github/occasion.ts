import { readFileSync } from 'node:fs'
import type { Occasion } from '../inputs.js'
import type { Step } from '../outcome.js'

type Env = Readonly<Record<string, string | undefined>>

/** What the runner's variables and the event say of the job. */
export interface JobFacts {
  occasion: Occasion
  step: Pick<Step, 'repository' | 'commit' | 'pullRequest' | 'workflowRunUrl'>
  /** The repository's name without its owner. */
  topLevel?: string
  temp: string
}

export function jobFacts(env: Env): JobFacts {
  const event = readEvent(env.GITHUB_EVENT_PATH)
  const pull = object(event.pull_request)
  const head = object(pull.head)
  const repository = env.GITHUB_REPOSITORY
  const number = typeof pull.number === 'number' ? pull.number : undefined
  // On a pull request GITHUB_SHA is the merge of head and base, which nobody has ever seen.
  const commit = typeof head.sha === 'string' ? head.sha : env.GITHUB_SHA
  const withoutSecrets = whyNoSecrets(env, object(head.repo), repository)
  return {
    occasion: {
      workspace: env.GITHUB_WORKSPACE ?? process.cwd(),
      env,
      ...(withoutSecrets ? { withoutSecrets } : {}),
    },
    step: {
      ...(repository ? { repository } : {}),
      ...(commit ? { commit } : {}),
      ...(number === undefined ? {} : { pullRequest: number }),
      ...(repository && env.GITHUB_SERVER_URL && env.GITHUB_RUN_ID
        ? { workflowRunUrl: `${env.GITHUB_SERVER_URL}/${repository}/actions/runs/${env.GITHUB_RUN_ID}` }
        : {}),
    },
    ...(repository?.includes('/') ? { topLevel: repository.slice(repository.indexOf('/') + 1) } : {}),
    temp: env.RUNNER_TEMP ?? env.TMPDIR ?? '/tmp',
  }
}

/** GitHub gives no secrets to workflows of forks and of Dependabot: then the missing input is not the user's mistake. */
function whyNoSecrets(env: Env, headRepo: Fields, repository?: string): string | undefined {
  if (env.GITHUB_ACTOR === 'dependabot[bot]') {
    return 'workflows that Dependabot starts get only the secrets that are stored for Dependabot. Add it there, or skip this job for Dependabot.'
  }
  const from = headRepo.full_name
  if (env.GITHUB_EVENT_NAME === 'pull_request' && typeof from === 'string' && from !== repository) {
    return 'GitHub gives no secrets to pull requests from forks. Skip this job for them, or start it by hand once a maintainer has looked at the change.'
  }
  return undefined
}

type Fields = Record<string, unknown>

function readEvent(path: string | undefined): Fields {
  if (!path) return {}
  try {
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return object(event)
  } catch {
    // Without an event there is no pull request to speak of.
    return {}
  }
}

function object(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
