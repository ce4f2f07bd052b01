import { copyFile, link, mkdtemp, rm, stat, mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { AsyncLocalStorage } from 'node:async_hooks'
import { message, NoArtifactServiceError, isDiskFull } from '../../errors.js'
import { collecting } from '../../garbage.js'
import type { Log } from '../../log.js'
import { attached, type Artifact } from '../../outcome/outcome.js'
import { artifactsOfRun, type ArtifactStore } from './store.js'
import { within } from '../../clock.js'
import { logLine, oneLine } from '../../text/foreign-text.js'
import { connect, statusOf, type Octokit } from '../api/octokit.js'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import pRetry from 'p-retry'
import { ArchiveFaults, entryName } from '../../unpack/guard.js'
import { fieldsOf, isFields, parsedJson, type Fields } from '../../text/fields.js'

/** A matrix has at most 256 legs. */
const mostOfAName = 256
/** Milliseconds for a file of any size; beyond that, one more for each this many bytes. */
const patience = 300_000
const slowest = 500

/**
 * Attaches one file unchanged. If the artifact service does not accept single files, it is zipped without
 * compression. A name that is taken, by other legs of a matrix or an earlier attempt, gets a suffix from `distinction`,
 * the first that is free; without it the file is not attached then.
 *
 * @param attachment `ending` is such as `.tar.gz`: the artifact's name gets it, so that a browser knows what it downloads
 */
export async function attach(
  store: Pick<ArtifactStore, 'uploadArtifact'>,
  attachment: {
    path: string
    name: string
    ending: string
    distinction?: (nth: number) => string
    retentionDays: number
  },
  workflowRunUrl: string,
  log: Log,
): Promise<Artifact> {
  const { path: file, name, ending, distinction, retentionDays } = attachment
  const bare = name.endsWith(ending) ? name.slice(0, -ending.length) : name
  const folder = await mkdtemp(path.join(path.dirname(file), 'artifact-'))
  const limit = patience + (await stat(file)).size / slowest
  const retention = retentionDays > 0 ? { retentionDays } : {}
  const upload = async (stem: string): Promise<Artifact> => {
    // The artifact service names a single file's artifact after the file.
    const named = path.join(folder, `${stem}${ending}`)
    await link(file, named).catch(() => copyFile(file, named))
    const send = async (called: string, how: { skipArchive: true } | { compressionLevel: 0 }) => {
      const sent = store.uploadArtifact(called, [named], folder, { ...retention, ...how })
      return attached((await within(limit, sent)).id, called, workflowRunUrl)
    }
    try {
      return await send(path.basename(named), { skipArchive: true })
    } catch (error) {
      const isUnsupported = /\((400|404|501)\)|not supported|invalid_argument/i.test(message(error))
      if (isTaken(error) || !isUnsupported) throw error
      log.info('The artifact service does not accept single files; attaching a ZIP instead.')
      return send(stem, { compressionLevel: 0 })
    }
  }
  try {
    for (let taken = 0; ; taken++) {
      const stem = taken === 0 ? bare : `${bare}-${distinction?.(taken)}`
      try {
        const artifact = await upload(stem)
        if (taken > 0)
          log.warning(
            `This workflow run already has an artifact named ${bare}${ending}, from another job, matrix leg or attempt: ` +
              `this one is named ${stem}${ending}. Give each step its own name, for example name: load-test-\${{ matrix.name }}.`,
          )
        return artifact
      } catch (error) {
        if (!isTaken(error) || !distinction || taken === mostOfAName) throw error
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether an artifact with this name exists, or is being attached. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && /\b409\b|already exists/i.test(error.message)
}

/**
 * The artifacts of this GitHub, whose client is loaded when it is first needed. GitHub's own client prints nine lines
 * for each file: they go to the debug log. What the step itself prints at the same time is not affected.
 */
export function artifactClient(
  env: NodeJS.ProcessEnv,
  stdout: NodeJS.WriteStream,
): () => Promise<ArtifactStore> {
  let loaded: Promise<ArtifactStore> | undefined
  return () => (loaded ??= load(env, stdout))
}

/** Blocks of 8 MB that the client keeps in flight. */
const blocksInFlight = '2'

/** Whether GitHub's client refuses to work here; a test compares this rule with the client's own. */
export function isEnterpriseServer({ GITHUB_SERVER_URL: url }: NodeJS.ProcessEnv): boolean {
  const { hostname } = new URL(url || 'https://github.com')
  return !/^github\.com$|\.ghe\.com$|\.localhost$/i.test(hostname)
}

/** @throws NoArtifactServiceError if the runner has none, as on one's own machine */
async function load(env: NodeJS.ProcessEnv, stdout: NodeJS.WriteStream): Promise<ArtifactStore> {
  if (isEnterpriseServer(env)) return enterpriseArtifacts(env, connect)
  const { ACTIONS_RESULTS_URL: url, ACTIONS_RUNTIME_TOKEN: token } = env
  if (!url && !token) {
    throw new NoArtifactServiceError('this runner has no artifact service: ACTIONS_RESULTS_URL is not set')
  }
  process.env.ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY ??= blocksInFlight
  const { DefaultArtifactClient } = await import('@actions/artifact')
  const client = new DefaultArtifactClient()
  const quietly = debugLines(stdout)
  return {
    uploadArtifact: (...args) => collecting(() => quietly(() => client.uploadArtifact(...args))),
    listArtifacts: (options) => quietly(() => client.listArtifacts(options)),
    downloadArtifact: ({ name, id }, options) => {
      if (id === undefined) throw new Error(`GitHub did not give an id for the artifact ${name}`)
      return quietly(() => client.downloadArtifact(id, { ...options, skipDecompress: true }))
    },
  }
}

/** Of a page instead of an answer, GitHub's client has only that, or the fault of its parser. */
const notAnswered = /^\s*<.*|Error "\w*Error: .*|Unexpected (?:token|end of JSON)\b.*/s

/** @throws the fault of a call, in words */
function inWords(error: unknown): never {
  if (error instanceof Error)
    error.message = error.message.replace(
      notAnswered,
      'the answer was not JSON, but may be the page of a proxy, or of a fault of GitHub',
    )
  throw error
}

/** @returns what runs a call and turns its own lines into debug lines; commands, such as a warning, stay commands */
export function debugLines(
  stdout: Pick<NodeJS.WriteStream, 'write'>,
): <T>(call: () => Promise<T>) => Promise<T> {
  const calls = new AsyncLocalStorage<true>()
  stdout.write = new Proxy(stdout.write, {
    apply(write, stream: typeof stdout, [chunk, ...rest]: [unknown, ...unknown[]]) {
      const isChatter = calls.getStore() === true && typeof chunk === 'string' && !chunk.startsWith('::')
      const told = isChatter ? `::debug::${logLine(chunk, 1000).replaceAll('%', '%25')}\n` : chunk
      const result: unknown = Reflect.apply(write, stream, [told, ...rest])
      return result
    },
  })
  return (call) => calls.run(true, call).catch(inWords)
}

/** Milliseconds for one call, with its body: 8 MB that are sent, or a file that is fetched. */
const callLimit = 10 * 60_000
/** Bytes that are in memory at a time. */
const chunkSize = 8 * 1024 * 1024
const apiVersion = '6.0-preview'

/**
 * Artifacts on a GitHub Enterprise Server. Those of this workflow run are files in a container of the older artifact
 * service, which lists them as soon as they are uploaded, but without ids; those of other runs, and of earlier
 * attempts, are ZIPs of GitHub's API.
 *
 * @throws NoArtifactServiceError
 */
export function enterpriseArtifacts(
  { ACTIONS_RUNTIME_URL: url, ACTIONS_RUNTIME_TOKEN: token, GITHUB_RUN_ID: run, ...env }: NodeJS.ProcessEnv,
  octokit: typeof connect,
): ArtifactStore {
  if (!url || !token || !run || !URL.canParse(url)) throw noService()
  const containers = new FileContainers(
    new URL(url.endsWith('/') ? url : `${url}/`),
    Number(run),
    (baseUrl) => octokit(token, { baseUrl, limit: callLimit }),
  )
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
      const isOwn = !findBy || findBy.workflowRunId === Number(run)
      const own = isOwn ? (await containers.list()).map(({ name }) => ({ name })) : []
      if (!findBy) return { artifacts: own }
      const { repositoryOwner: owner, repositoryName: repo, workflowRunId } = findBy
      const told = await artifactsOfRun(await octokit(findBy.token), { owner, repo, run: workflowRunId })
      const names = own.map(({ name }) => name)
      return { artifacts: [...own, ...told.filter(({ name, expired }) => !expired && !names.includes(name))] }
    },
    async downloadArtifact({ name, id }, { path: folder, findBy }) {
      if (id === undefined) return containers.fetchAll(name, folder)
      if (!findBy) throw new Error(`no token to read the artifact ${name} with`)
      const { repositoryOwner: owner, repositoryName: repo } = findBy
      const client = await octokit(findBy.token, { limit: callLimit })
      const stored = { owner, repo, artifact_id: id, archive_format: 'zip' } as const
      const { url } = client.rest.actions.downloadArtifact.endpoint(stored)
      return fetchFile(client, { url }, path.join(folder, 'artifact.zip'))
    },
  }
}

/**
 * The artifact service before version 4 of the artifacts, which a GitHub Enterprise Server has: all artifacts of a
 * workflow run are files in one container, and an upload to an existing name adds to it or overwrites it.
 */
class FileContainers {
  readonly #artifacts: string

  /** @param runtime ACTIONS_RUNTIME_URL, to whose origin alone the token is sent */
  constructor(
    readonly runtime: URL,
    workflowRun: number,
    readonly client: (baseUrl: string) => Promise<Octokit>,
  ) {
    this.#artifacts = `_apis/pipelines/workflows/${workflowRun}/artifacts?api-version=${apiVersion}`
  }

  async list(): Promise<{ name: string; url: URL }[]> {
    return recordsOf(await this.#callService('GET')).flatMap(({ name, fileContainerResourceUrl }) =>
      typeof name === 'string' ? [{ name, url: this.#own(fileContainerResourceUrl) }] : [],
    )
  }

  /** @param days 0 = as long as the server keeps artifacts by itself */
  async create(name: string, days: number): Promise<{ name: string; url: URL }> {
    const asked = { Type: 'actions_storage', Name: name, ...(days > 0 ? { RetentionDays: days } : {}) }
    const answer = await this.#callService('POST', asked)
    return { name, url: this.#own(fieldsOf(answer).fileContainerResourceUrl) }
  }

  /** @returns how many bytes it has */
  async put({ name, url }: { name: string; url: URL }, file: string, itemPath: string): Promise<number> {
    const disk = await open(file)
    try {
      const { size } = await disk.stat()
      const buffer = Buffer.alloc(Math.min(chunkSize, size))
      for (let start = 0; start < size;) {
        const { bytesRead } = await disk.read(buffer, 0, buffer.length, start)
        if (bytesRead === 0) throw new Error(`${oneLine(file)} became shorter while it was attached`)
        const headers = {
          'content-type': 'application/octet-stream',
          'content-range': `bytes ${start}-${start + bytesRead - 1}/${size}`,
        }
        const data = buffer.subarray(0, bytesRead)
        await this.#call({ method: 'PUT', url: itemAt(url, `${name}/${itemPath}`), headers, data })
        start += bytesRead
      }
      return size
    } finally {
      await disk.close()
    }
  }

  /** Says how many bytes all files have; until then the artifact is incomplete. */
  async finish(name: string, bytes: number): Promise<void> {
    const url = new URL(this.#artifacts, this.runtime)
    url.searchParams.set('artifactName', name)
    await this.#call({ method: 'PATCH', url: url.href, data: { Size: bytes } })
  }

  async fetchAll(name: string, folder: string): Promise<void> {
    const container = (await this.list()).find((one) => one.name === name)
    if (!container) return
    const items = recordsOf(await this.#call({ method: 'GET', url: itemAt(container.url, name) }))
    for (const { path: given, itemType, contentLocation } of items) {
      const file = String(given).replaceAll('\\', '/')
      if (itemType !== 'file' || !file.startsWith(`${name}/`)) continue
      const place = entryName(file.slice(name.length + 1), new ArchiveFaults('artifact archive'))
      await mkdir(path.join(folder, place.folder), { recursive: true })
      const accept = `application/octet-stream;api-version=${apiVersion}`
      const call = { url: this.#own(contentLocation).href, headers: { accept } }
      await fetchFile(await this.client(this.runtime.origin), call, path.join(folder, place.path))
    }
  }

  async #call(call: {
    method: string
    url: string
    headers?: Record<string, string>
    data?: object
  }): Promise<unknown> {
    const client = await this.client(this.runtime.origin)
    const headers = { accept: `application/json;api-version=${apiVersion}`, ...call.headers }
    const { data }: { data: unknown } = await client.request({ ...call, headers })
    return typeof data === 'string' ? parsedJson(data) : data
  }

  /** Sent to the address that a server without this service does not have. @throws NoArtifactServiceError */
  async #callService(method: 'GET' | 'POST', data?: object): Promise<unknown> {
    try {
      const { href: url } = new URL(this.#artifacts, this.runtime)
      return await this.#call({ method, url, ...(data && { data }) })
    } catch (error) {
      throw [404, 405, 410, 501].includes(statusOf(error) ?? 0) ? noService(error) : error
    }
  }

  /** An address that the server named, which gets the token. @throws Error if it is not on this server */
  #own(address: unknown): URL {
    const { origin } = this.runtime
    const named =
      typeof address === 'string' && URL.canParse(address, this.runtime)
        ? new URL(address, this.runtime)
        : undefined
    if (named?.origin === origin) return named
    throw new Error(
      `the artifact service names an address outside of ${origin}, to which no token is sent: ${oneLine(String(address), 120)}`,
    )
  }
}

/** The address of something in a container. */
function itemAt(container: URL, itemPath: string): string {
  const at = new URL(container)
  at.searchParams.set('itemPath', itemPath)
  return at.href
}

/** A connection may break within a file. A redirect takes no token to another origin, and must not lead from https to http. */
async function fetchFile(
  client: Octokit,
  call: { url: string; headers?: Record<string, string> },
  target: string,
): Promise<void> {
  const once = async () => {
    const request = { parseSuccessResponseBody: false }
    const answer: { data: unknown; url: string } = await client.request({ method: 'GET', ...call, request })
    if (call.url.startsWith('https:') && !answer.url.startsWith('https:')) {
      throw new Error('GitHub leads from https to an address without, which is not read')
    }
    if (!(answer.data instanceof ReadableStream)) throw new Error('GitHub answered without a file')
    await pipeline(Readable.fromWeb(answer.data), createWriteStream(target))
  }
  await pRetry(once, {
    ...{ retries: 2, minTimeout: 1000 },
    shouldRetry: ({ error }) =>
      statusOf(error) === undefined && isFields(error) && 'code' in error && !isDiskFull(error),
  })
}

function noService(cause?: unknown): NoArtifactServiceError {
  const none =
    'this GitHub has none of the artifact services that the step knows, neither that of github.com nor the older one of GitHub Enterprise Server'
  return new NoArtifactServiceError(none, { cause })
}

/** The records of a list as the service gives it; a server written in Go has null for an empty one. */
function recordsOf(answer: unknown): Fields[] {
  const value = isFields(answer) && 'value' in answer ? (answer.value ?? []) : undefined
  if (!Array.isArray(value)) throw new Error('the artifact service answered without a list')
  return value.filter(isFields)
}
