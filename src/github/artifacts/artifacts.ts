import { copyFile, link, mkdtemp, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { AsyncLocalStorage } from 'node:async_hooks'
import { message, NoArtifactServiceError } from '../../errors.js'
import { collecting } from '../../garbage.js'
import type { Log } from '../../log.js'
import { type Artifact, attached } from '../../outcome/outcome.js'
import type { ArtifactStore } from './store.js'
import { within } from '../../clock.js'
import { logLine } from '../../text/foreign-text.js'
import { connect } from '../api/octokit.js'

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
  const loadEnterprise = async () =>
    (await import('./enterprise-artifacts.js')).enterpriseArtifacts(env, connect)
  return () => (loaded ??= isEnterpriseServer(env) ? loadEnterprise() : load(env, stdout))
}

/** Blocks of 8 MB that the client keeps in flight. */
const blocksInFlight = '2'

/** Whether GitHub's client refuses to work here; a test compares this rule with the client's own. */
export function isEnterpriseServer({ GITHUB_SERVER_URL: url }: NodeJS.ProcessEnv): boolean {
  const { hostname } = new URL(url || 'https://github.com')
  return !/^github\.com$|\.ghe\.com$|\.localhost$/i.test(hostname)
}

/** @throws NoArtifactServiceError if the runner has none, as on one's own machine */
async function load(
  { ACTIONS_RESULTS_URL: url, ACTIONS_RUNTIME_TOKEN: token }: NodeJS.ProcessEnv,
  stdout: NodeJS.WriteStream,
): Promise<ArtifactStore> {
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
  return (call) => calls.run(true, call)
}
