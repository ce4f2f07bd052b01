import { mkdtemp, readdir } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../errors.js'
import type { ListedArtifact } from '../../actions/merge/leg-artifacts.js'
import { defined } from '../../text/fields.js'
import type { ArtifactStore, WorkflowRun } from './store.js'
import { within } from '../deadline.js'
import { onceAccepted } from '../octokit.js'
import type { Octokit } from '../pull-request/pull-request.js'
import { lastJobs } from '../runs/last-jobs.js'
import { withTodo } from '../status-of.js'

/** Milliseconds. */
const listLimit = 60_000
const fetchLimit = 120_000

/**
 * The artifacts of this workflow run. In its first attempt the artifact service has them all, without a permission; in
 * a later one it may not have those of earlier attempts, which GitHub's API lists.
 */
export function runArtifacts(
  store: () => Promise<Pick<ArtifactStore, 'downloadArtifact' | 'listArtifacts'>>,
  octokit: () => Promise<Octokit>,
  run: WorkflowRun,
  isFirstAttempt: boolean,
) {
  const from = isFirstAttempt ? {} : { findBy: run }
  return {
    /** @throws UserError */
    async list(): Promise<ListedArtifact[]> {
      try {
        if (!isFirstAttempt && run.token === '') throw new Error('github-token is empty')
        const all = await store()
        const { artifacts } = await onceAccepted(() => within(listLimit, all.listArtifacts(from)))
        const { repositoryOwner: owner, repositoryName: repo, workflowRunId } = run
        const isOfLast =
          isFirstAttempt || (await lastJobs(await octokit(), { owner, repo, run: workflowRunId }))
        return artifacts.map(({ name, id, size, createdAt }) => ({
          ...{ name, ...defined({ id, size }) },
          ...(isOfLast === true ? {} : { isLast: (leg: string) => isOfLast(createdAt, leg) }),
        }))
      } catch (error) {
        throw new UserError(
          `The artifacts of this workflow run could not be read: ${withTodo(error, 'When jobs run again, reading those of the attempt before needs the permission actions: read.')}`,
          { cause: error },
        )
      }
    },
    /** @returns its path, as it is stored */
    async fetch(artifact: ListedArtifact, folder: string): Promise<string> {
      const own = await mkdtemp(path.join(folder, 'outcome-'))
      const all = await store()
      await onceAccepted(() => within(fetchLimit, all.downloadArtifact(artifact, { path: own, ...from })))
      const [file] = await readdir(own)
      if (file === undefined) throw new Error('it contains no file')
      return path.join(own, file)
    },
  }
}
