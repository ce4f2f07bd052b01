import type { Log } from '../log.js'
import { line, oneLine } from '../text/foreign-text.js'
import { defined } from '../text/fields.js'
import { type Octokit, isForbidden, withTodo } from './api/octokit.js'

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
          `${where}: ${withTodo(error, `The job needs the permission statuses: write.${isRefused ? ' Add it, or remove the input status. Pull requests from forks never have it.' : ''}`)} The verdict is not affected.`,
        )
      }
    }
}
