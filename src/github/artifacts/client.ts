import { AsyncLocalStorage } from 'node:async_hooks'
import type { Log } from '../../log.js'
import { logLine } from '../../text/foreign-text.js'
import { NoArtifactServiceError, type ArtifactStore } from './store.js'
import { connect } from '../octokit.js'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The artifacts of this GitHub, whose client is loaded when it is first needed. GitHub's own client prints nine lines
 * for each file: they go to the debug log. What the step itself prints at the same time is not affected.
 */
export function artifactClient(env: Env, stdout: NodeJS.WriteStream, log: Log): () => Promise<ArtifactStore> {
  let loaded: Promise<ArtifactStore> | undefined
  return () => (loaded ??= isEnterpriseServer(env) ? loadEnterprise(env, log) : load(env, stdout))
}

/** Blocks of 8 MB that the client keeps in flight. Five, its default, take 40 MB more for a report of 1 GB. */
const blocksInFlight = '2'

/** Whether GitHub's client refuses to work here; a test compares this rule with the client's own. */
export function isEnterpriseServer({ GITHUB_SERVER_URL: url }: Env): boolean {
  const { hostname } = new URL(url || 'https://github.com')
  return !/^github\.com$|\.ghe\.com$|\.localhost$/i.test(hostname)
}

async function loadEnterprise(env: Env, log: Log): Promise<ArtifactStore> {
  const { enterpriseArtifacts } = await import('./enterprise-artifacts.js')
  return enterpriseArtifacts(env, connect, log)
}

/** @throws NoArtifactServiceError if the runner has none, as on one's own machine */
async function load(
  { ACTIONS_RESULTS_URL: url, ACTIONS_RUNTIME_TOKEN: token }: Env,
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
    uploadArtifact: (...args) => quietly(() => client.uploadArtifact(...args)),
    listArtifacts: (options) => quietly(() => client.listArtifacts(options)),
    downloadArtifact: ({ name, id }, options) => {
      if (id === undefined) throw new Error(`GitHub did not give an id for the artifact ${name}`)
      return quietly(() => client.downloadArtifact(id, { ...options, skipDecompress: true }))
    },
  }
}

/**
 * @returns a function that runs a call and turns its own lines into debug lines; commands, such as a warning, stay
 * commands
 */
export function debugLines(
  stdout: Pick<NodeJS.WriteStream, 'write'>,
): <T>(call: () => Promise<T>) => Promise<T> {
  const calls = new AsyncLocalStorage<true>()
  stdout.write = new Proxy(stdout.write, {
    apply(write, stream: typeof stdout, [chunk, ...rest]: [unknown, ...unknown[]]) {
      const isChatter = calls.getStore() === true && typeof chunk === 'string' && !chunk.startsWith('::')
      const told = isChatter ? `::debug::${escaped(chunk)}\n` : chunk
      const result: unknown = Reflect.apply(write, stream, [told, ...rest])
      return result
    },
  })
  return (call) => calls.run(true, call)
}

function escaped(line: string): string {
  return logLine(line, 1000).replaceAll('%', '%25')
}
