import { AsyncLocalStorage } from 'node:async_hooks'
import type { ArtifactClient } from '@actions/artifact'
import { logLine } from '../text/foreign-text.js'

/**
 * GitHub's artifact client, loaded when it is first asked for. It writes nine lines for each file: they go to the debug
 * log, and what the step says itself at the same time stays where it is.
 */
export function artifactClient(stdout: NodeJS.WriteStream): () => Promise<ArtifactClient> {
  let loaded: Promise<ArtifactClient> | undefined
  return () => (loaded ??= load(stdout))
}

/** Blocks of 8 MB that the client keeps in flight. Five, its default, take 40 MB more for a report of 1 GB. */
const blocksInFlight = '2'

async function load(stdout: NodeJS.WriteStream): Promise<ArtifactClient> {
  process.env.ACTIONS_ARTIFACT_UPLOAD_CONCURRENCY ??= blocksInFlight
  const { DefaultArtifactClient } = await import('@actions/artifact')
  const client = new DefaultArtifactClient()
  const quietly = debugLines(stdout)
  return {
    uploadArtifact: (...args) => quietly(() => client.uploadArtifact(...args)),
    listArtifacts: (...args) => quietly(() => client.listArtifacts(...args)),
    getArtifact: (...args) => quietly(() => client.getArtifact(...args)),
    downloadArtifact: (...args) => quietly(() => client.downloadArtifact(...args)),
    deleteArtifact: (...args) => quietly(() => client.deleteArtifact(...args)),
  }
}

/** @returns what runs a call whose own lines become debug lines; commands, such as a warning, stay what they are */
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
