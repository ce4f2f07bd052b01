import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '../../log.js'
import { ArchiveFaults, entryName } from '../../unpack/guard.js'
import { artifactsOfRun } from './api-artifacts.js'
import type { ArtifactStore, StoredArtifact, WorkflowRun } from './store.js'
import { patiently } from '../exchange.js'
import { FileContainers, noService, toFile } from './file-containers.js'
import type { Octokit } from '../pull-request/pull-request.js'

type Env = Readonly<Record<string, string | undefined>>

/** @throws NoArtifactServiceError */
export function enterpriseArtifacts(
  { ACTIONS_RUNTIME_URL: url, ACTIONS_RUNTIME_TOKEN: token, GITHUB_RUN_ID: run, ...env }: Env,
  octokit: (token: string) => Promise<Octokit>,
  log: Log,
): ArtifactStore {
  if (!url || !token || !run || !URL.canParse(url)) throw noService()
  const containers = new FileContainers({ url, token, workflowRun: Number(run) }, log)
  return new EnterpriseArtifacts(containers, octokit, Number(env.GITHUB_RETENTION_DAYS) || Infinity)
}

/**
 * Artifacts on a GitHub Enterprise Server. Those of this workflow run are files in a container of the older artifact
 * service, which lists them as soon as they are uploaded, but without ids; those of other runs, and of earlier
 * attempts, are ZIPs of GitHub's API.
 */
class EnterpriseArtifacts implements ArtifactStore {
  constructor(
    readonly containers: FileContainers,
    readonly octokit: (token: string) => Promise<Octokit>,
    readonly mostDays: number,
  ) {}

  uploadArtifact: ArtifactStore['uploadArtifact'] = async (name, files, root, { retentionDays = 0 }) => {
    const { containers, mostDays } = this
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
  }

  listArtifacts: ArtifactStore['listArtifacts'] = async ({ findBy } = {}) => {
    const isOwn = !findBy || findBy.workflowRunId === this.containers.runtime.workflowRun
    const own = isOwn ? (await this.containers.list()).map(({ name }) => ({ name })) : []
    const told = findBy ? await this.#artifactsOf(findBy) : []
    const names = own.map(({ name }) => name)
    return { artifacts: [...own, ...told.filter(({ name, expired }) => !expired && !names.includes(name))] }
  }

  downloadArtifact: ArtifactStore['downloadArtifact'] = async ({ name, id }, { path: folder, findBy }) => {
    if (id === undefined) return this.#fetchOwn(name, folder)
    if (!findBy) throw new Error(`no token to read the artifact ${name} with`)
    const { token, repositoryOwner: owner, repositoryName: repo } = findBy
    const { actions } = (await this.octokit(token)).rest
    const { headers } = await actions.downloadArtifact({
      ...{ owner, repo, artifact_id: id, archive_format: 'zip' },
      request: { redirect: 'manual' },
    })
    if (headers.location === undefined)
      throw new Error(`GitHub did not give an address for the artifact ${name}`)
    const zip = path.join(folder, 'artifact.zip')
    const url = new URL(headers.location)
    // The address is signed: it takes no token.
    await patiently({ method: 'GET', url }, (answer) => toFile(answer, zip), this.containers.log)
    return undefined
  }

  async #artifactsOf(workflow: WorkflowRun): Promise<StoredArtifact[]> {
    const { token, repositoryOwner: owner, repositoryName: repo, workflowRunId: run } = workflow
    return artifactsOfRun(await this.octokit(token), { owner, repo, run })
  }

  async #fetchOwn(name: string, folder: string): Promise<void> {
    const container = (await this.containers.list()).find((one) => one.name === name)
    for (const item of container ? await this.containers.items(container) : []) {
      const place = entryName(item.path, new ArchiveFaults('artifact archive'))
      await mkdir(path.join(folder, place.folder), { recursive: true })
      await this.containers.fetch(item, path.join(folder, place.path))
    }
  }
}
