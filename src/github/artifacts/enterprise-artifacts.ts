import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '../../log.js'
import { ArchiveFaults } from '../../unpack/faults.js'
import { entryName } from '../../unpack/entry-name.js'
import { artifactsOfRun } from './api-artifacts.js'
import type { ArtifactStore, StoredArtifact, WorkflowRun } from './store.js'
import { patiently } from '../exchange.js'
import { fileContainers, noService, toFile, type Runtime } from './file-containers.js'
import type { Octokit } from '../pull-request/pull-request.js'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Artifacts on a GitHub Enterprise Server. Those of this workflow run are files in a container of the older artifact
 * service, which lists them as soon as they are uploaded, but without ids; those of other runs, and of earlier
 * attempts, are ZIPs of GitHub's API.
 *
 * @throws NoArtifactServiceError
 */
export function enterpriseArtifacts(
  { ACTIONS_RUNTIME_URL: url, ACTIONS_RUNTIME_TOKEN: token, GITHUB_RUN_ID: run, ...env }: Env,
  octokit: (token: string) => Promise<Octokit>,
  log: Log,
): ArtifactStore {
  if (!url || !token || !run || !URL.canParse(url)) throw noService()
  const runtime: Runtime = { url, token, workflowRun: Number(run) }
  const containers = fileContainers(runtime, log)
  const mostDays = Number(env.GITHUB_RETENTION_DAYS) || Infinity

  return {
    async uploadArtifact(name, files, root, { retentionDays = 0 }) {
      const listed = await containers.list()
      // Uploading to it would overwrite what another job attached.
      if (listed.some((one) => one.name === name)) throw new Error(`An artifact named ${name} already exists`)
      const container = await containers.create(name, Math.min(retentionDays, mostDays))
      let bytes = 0
      for (const file of files) {
        bytes += await containers.put(container, file, path.relative(root, file).replaceAll('\\', '/'))
      }
      await containers.finish(name, bytes)
      return {}
    },

    async listArtifacts({ findBy } = {}) {
      const isOwn = !findBy || findBy.workflowRunId === runtime.workflowRun
      const own: StoredArtifact[] = isOwn ? await containers.list() : []
      const told = findBy ? await artifactsOfWorkflow(findBy) : []
      const names = own.map(({ name }) => name)
      return {
        artifacts: [
          ...own.map(({ name }) => ({ name })),
          ...told.filter(({ name, expired }) => !expired && !names.includes(name)),
        ],
      }
    },

    async downloadArtifact({ name, id }, { path: folder, findBy }) {
      if (id === undefined) return fetchOwn(name, folder)
      if (!findBy) throw new Error(`no token to read the artifact ${name} with`)
      const { token: reader, repositoryOwner: owner, repositoryName: repo } = findBy
      const { headers } = await (
        await octokit(reader)
      ).rest.actions.downloadArtifact({
        ...{ owner, repo, artifact_id: id, archive_format: 'zip' },
        request: { redirect: 'manual' },
      })
      if (headers.location === undefined)
        throw new Error(`GitHub did not give an address for the artifact ${name}`)
      const zip = path.join(folder, 'artifact.zip')
      // The address is signed: it takes no token.
      await patiently({ method: 'GET', url: new URL(headers.location) }, (answer) => toFile(answer, zip), log)
    },
  }

  async function artifactsOfWorkflow(workflow: WorkflowRun): Promise<StoredArtifact[]> {
    const { token: reader, repositoryOwner: owner, repositoryName: repo, workflowRunId } = workflow
    return artifactsOfRun(await octokit(reader), { owner, repo, run: workflowRunId })
  }

  async function fetchOwn(name: string, folder: string): Promise<void> {
    const container = (await containers.list()).find((one) => one.name === name)
    for (const item of container ? await containers.items(container) : []) {
      const place = entryName(item.path, new ArchiveFaults('artifact'))
      await mkdir(path.join(folder, place.folder), { recursive: true })
      await containers.fetch(item, path.join(folder, place.path))
    }
  }
}
