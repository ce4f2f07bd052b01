import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Log } from '../../log.js'
import { ArchiveFaults, entryName } from '../../unpack/guard.js'
import {
  artifactsOfRun,
  type ArtifactStore,
  NoArtifactServiceError,
  type StoredArtifact,
  type WorkflowRun,
} from './store.js'
import { jsonOf, patiently, RefusedError, type RepeatableCall } from '../api/exchange.js'
import type { Octokit } from '../api/octokit.js'
import { isFields } from '../../text/fields.js'
import { oneLine } from '../../text/foreign-text.js'

/** @throws NoArtifactServiceError */
export function enterpriseArtifacts(
  { ACTIONS_RUNTIME_URL: url, ACTIONS_RUNTIME_TOKEN: token, GITHUB_RUN_ID: run, ...env }: NodeJS.ProcessEnv,
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

/** Where the files of an artifact are stored, or will be. */
interface Container {
  name: string
  url: URL
}

/** A file of a container. */
export interface Item {
  /** Below the artifact's name. */
  path: string
  url: URL
}

/** Bytes that are in memory at a time. */
const chunkSize = 8 * 1024 * 1024
const apiVersion = '6.0-preview'
const accept = `application/json;api-version=${apiVersion}`

/**
 * The artifact service before version 4 of the artifacts, which a GitHub Enterprise Server has: all artifacts of a
 * workflow run are files in one container, and an upload to an existing name adds to it or overwrites it.
 */
export class FileContainers {
  readonly #base: URL
  readonly #artifacts: URL

  /** @param runtime ACTIONS_RUNTIME_URL, and the token, which is sent to its origin only */
  constructor(
    readonly runtime: { url: string; token: string; workflowRun: number },
    readonly log: Log,
  ) {
    const { url, workflowRun } = runtime
    this.#base = new URL(url.endsWith('/') ? url : `${url}/`)
    this.#artifacts = new URL(`_apis/pipelines/workflows/${workflowRun}/artifacts`, this.#base)
    this.#artifacts.searchParams.set('api-version', apiVersion)
  }

  async list(): Promise<Container[]> {
    const records = recordsOf(await this.#callService({ method: 'GET' }))
    return records.flatMap(({ name, fileContainerResourceUrl }) =>
      typeof name === 'string' ? [{ name, url: this.#own(fileContainerResourceUrl) }] : [],
    )
  }

  /** @param days 0 = as long as the server keeps artifacts by itself */
  async create(name: string, days: number): Promise<Container> {
    const asked = { Type: 'actions_storage', Name: name, ...(days > 0 ? { RetentionDays: days } : {}) }
    const answer = await this.#callService({ method: 'POST', ...json(asked) })
    return { name, url: this.#own(isFields(answer) ? answer.fileContainerResourceUrl : undefined) }
  }

  /** @returns how many bytes it has */
  async put(container: Container, file: string, itemPath: string): Promise<number> {
    const url = within(container, `${container.name}/${itemPath}`)
    const disk = await open(file)
    try {
      const { size } = await disk.stat()
      const buffer = Buffer.alloc(Math.min(chunkSize, size))
      for (let start = 0; start < size;) {
        const { bytesRead } = await disk.read(buffer, 0, buffer.length, start)
        if (bytesRead === 0) throw new Error(`${oneLine(file)} became shorter while it was attached`)
        const body = buffer.subarray(0, bytesRead)
        const headers = {
          'content-type': 'application/octet-stream',
          'content-length': bytesRead,
          'content-range': `bytes ${start}-${start + bytesRead - 1}/${size}`,
          // For servers that check it.
          'x-actions-results-md5': createHash('md5').update(body).digest('base64'),
        }
        await this.#call({ method: 'PUT', url, headers, body }, jsonOf)
        start += bytesRead
      }
      return size
    } finally {
      await disk.close()
    }
  }

  /** Says how many bytes all files have; until then the artifact is incomplete. */
  async finish(name: string, bytes: number): Promise<void> {
    const url = new URL(this.#artifacts)
    url.searchParams.set('artifactName', name)
    await this.#call({ method: 'PATCH', url, ...json({ Size: bytes }) }, jsonOf)
  }

  async items(container: Container): Promise<Item[]> {
    const { name } = container
    const answer = await this.#call({ method: 'GET', url: within(container, name) }, jsonOf)
    return recordsOf(answer).flatMap((item) => {
      const path = String(item.path).replaceAll('\\', '/')
      const isOurs = item.itemType === 'file' && path.startsWith(`${name}/`)
      return isOurs ? [{ path: path.slice(name.length + 1), url: this.#own(item.contentLocation) }] : []
    })
  }

  async fetch({ url }: Item, target: string): Promise<void> {
    const headers = {
      accept: `application/octet-stream;api-version=${apiVersion}`,
      'accept-encoding': 'gzip',
    }
    await this.#call({ method: 'GET', url, headers }, (answer) => toFile(answer, target))
  }

  async #call<T>(call: RepeatableCall, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    const { token } = this.runtime
    return patiently({ ...call, token, headers: { accept, ...call.headers } }, read, this.log)
  }

  /** Sent to the address that a server without this service does not have. @throws NoArtifactServiceError */
  async #callService(call: Pick<RepeatableCall, 'method' | 'headers' | 'body'>): Promise<unknown> {
    try {
      return await this.#call({ ...call, url: this.#artifacts }, jsonOf)
    } catch (error) {
      const isUnknown = error instanceof RefusedError && [404, 405, 410, 501].includes(error.status)
      throw isUnknown ? noService(error) : error
    }
  }

  /** An address that the server named, which gets the token. @throws Error if it is not on this server */
  #own(address: unknown): URL {
    const { origin } = this.#base
    const named =
      typeof address === 'string' && URL.canParse(address, this.#base)
        ? new URL(address, this.#base)
        : undefined
    if (named?.origin === origin) return named
    throw new Error(
      `the artifact service names an address outside of ${origin}, to which no token is sent: ${oneLine(String(address), 120)}`,
    )
  }
}

/** The address of something in a container. */
function within({ url }: Container, itemPath: string): URL {
  const at = new URL(url)
  at.searchParams.set('itemPath', itemPath)
  return at
}

/** @throws Error if less arrives than was announced */
async function toFile(answer: IncomingMessage, target: string): Promise<void> {
  const unpacking = answer.headers['content-encoding'] === 'gzip' ? [createGunzip()] : []
  await pipeline([answer, ...unpacking, createWriteStream(target)])
}

function noService(cause?: unknown): NoArtifactServiceError {
  return new NoArtifactServiceError(
    'this GitHub has none of the artifact services that the step knows, neither that of github.com nor the older one of GitHub Enterprise Server',
    { cause },
  )
}

function json(body: object): Pick<RepeatableCall, 'headers' | 'body'> {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** The records of a list as the service gives it; a server written in Go has null for an empty one. */
function recordsOf(answer: unknown) {
  const value = isFields(answer) && 'value' in answer ? (answer.value ?? []) : undefined
  if (!Array.isArray(value)) throw new Error('the artifact service answered without a list')
  return value.filter(isFields)
}
