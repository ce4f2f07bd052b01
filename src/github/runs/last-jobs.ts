import type { Octokit } from '../pull-request/pull-request.js'
import { statusOf } from '../status-of.js'

/** Whether what was attached at a time is of the last attempt of a run. @param leg the leg of a matrix that it is of */
type IsOfLastAttempt = (at: string | Date | null | undefined, leg?: string) => boolean

/**
 * The jobs of a run's last attempt include those that did not run again, with their own times: what an earlier attempt
 * attached counts if it is from the time of one of them, of one that is named after its leg where there is one.
 */
export async function lastJobs(
  octokit: Octokit,
  { owner, repo, run }: { owner: string; repo: string; run: number },
): Promise<IsOfLastAttempt> {
  const { listJobsForWorkflowRun } = octokit.rest.actions
  const at = { owner, repo, run_id: run, filter: 'latest', per_page: 100 } as const
  const jobs = await octokit.paginate(listJobsForWorkflowRun, at).catch((error: unknown) => {
    // Where GitHub does not list them, nobody knows better.
    if (statusOf(error) === 404) return []
    throw error
  })
  return (time, leg) => {
    const attached = new Date(time ?? NaN).getTime()
    if (Number.isNaN(attached) || jobs.length === 0) return true
    const named = jobs.filter(({ name }) => leg !== undefined && partsOf(name).includes(leg))
    return (named.length > 0 ? named : jobs).some(
      ({ started_at: from, completed_at: to }) =>
        attached >= Date.parse(from) - rounding && (to === null || attached <= Date.parse(to) + rounding),
    )
  }
}

/** Milliseconds: GitHub's times are whole seconds. */
const rounding = 1000

/** `load-test (search, 17)` may be the job of the leg `search`. */
function partsOf(name: string): string[] {
  return [...name.split(/[(),/]/), ...name.split(' ')].map((part) => part.trim())
}
