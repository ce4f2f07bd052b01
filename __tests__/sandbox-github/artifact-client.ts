import type { DefaultArtifactClient } from '@actions/artifact'
import type { jest as jestObject } from '@jest/globals'
import type { Github, StepOptions } from '../../sandbox/github/github.js'

type Jest = typeof jestObject

/** The real client, in the environment of a step, without its log lines on the terminal. */
export interface StepClient {
  client: DefaultArtifactClient
  /** What the client wrote to the job's log. */
  log: string[]
  /** Makes the process look like another step. */
  become(step: StepOptions): Promise<void>
  restore(): void
}

export async function stepClient(github: Github, jest: Jest, step: StepOptions = {}): Promise<StepClient> {
  const envBefore = { ...process.env }
  const log: string[] = []
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    log.push(String(line))
    return true
  })
  Object.assign(process.env, await github.env(step))
  // The client reads the API's address when loaded.
  const { DefaultArtifactClient: Client } = await import('@actions/artifact')
  return {
    client: new Client(),
    log,
    become: async (other) => {
      Object.assign(process.env, await github.env(other))
    },
    restore: () => {
      spy.mockRestore()
      process.env = envBefore
    },
  }
}

/** Bytes that do not compress and differ from block to block; the same on every call. */
export function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 0x2545f491
  for (let at = 0; at + 4 <= length; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes.writeInt32LE(state, at)
  }
  return bytes
}
