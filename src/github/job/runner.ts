import { accessSync, appendFileSync, constants, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import * as core from '@actions/core'
import { isOutput } from '../../publish/outputs.js'
import { message } from '../../errors.js'

type Env = Readonly<Record<string, string | undefined>>

const files = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY']
const addresses = ['GITHUB_API_URL', 'GITHUB_SERVER_URL', 'ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_URL']

/**
 * What would fail the step only after a run is paid for: files of the runner that cannot be written, and addresses that
 * cannot be used. What is not set has its default.
 *
 * @returns sentences
 */
export function runnerFaults(env: Env): string[] {
  const unwritable = files.flatMap((name) => {
    const file = env[name]
    const fault = file ? whyUnwritable(file) : undefined
    return fault === undefined
      ? []
      : [`${name} names a file that cannot be written: ${fault}. Repair the runner.`]
  })
  const unknown = addresses.flatMap((name) => {
    const address = env[name]
    return address && !isAddress(address)
      ? [
          `${name} must be an address that begins with http:// or https://. Remove the variable from the workflow, or repair the runner.`,
        ]
      : []
  })
  return [...unwritable, ...unknown, ...(unknown.length === 0 && !hasProxy(env) ? [noProxy] : [])]
}

const noProxy =
  'The proxy for GitHub has an address that cannot be used: write one such as http://proxy.example.com:3128 in HTTPS_PROXY and HTTP_PROXY, or remove them.'

function whyUnwritable(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    appendFileSync(file, '')
    return undefined
  } catch (error) {
    return message(error)
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)
}

/** Whether the proxy of each address, as GitHub's own client finds it, can be one. */
function hasProxy({ GITHUB_API_URL: api, ACTIONS_RESULTS_URL: results }: Env): boolean {
  const used = [api, results].map((address) => address || 'https://api.github.com')
  return used.every((address) => {
    try {
      const proxy = getProxyUrl(new URL(address))
      return proxy === undefined || (/^https?:$/.test(proxy.protocol) && proxy.hostname !== '')
    } catch {
      return false
    }
  })
}

/** Bytes: state, outputs, a summary of at most 1 MiB, and the files of an ordinary outcome. */
const enough = 4 * 1024 * 1024

/**
 * Room on the disk for what the step says at its end: it is said even if the disk has become full by then.
 *
 * @param folder that of the step
 * @throws the fault of a disk without that room
 */
export type SpareRoom = ReturnType<typeof spareRoom>

export function spareRoom(folder: string) {
  const kept = path.join(folder, 'spare-room')
  take(kept)
  return {
    /** @throws the fault of a disk on which a report would find no room either */
    check: () => {
      const probe = path.join(folder, 'more-room')
      try {
        take(probe)
      } finally {
        rmSync(probe, { force: true })
      }
    },
    release: () => rmSync(kept, { force: true }),
  }
}

/** Fills a file with bytes that no file system can compress. */
function take(file: string): void {
  const some = randomBytes(64 * 1024)
  writeFileSync(file, Buffer.concat(Array.from({ length: enough / some.length }, () => some)))
}

/** Sets an output of the step unless it is unknown, or longer than any real one. */
export function setOutput(name: string, value: string | number | undefined): void {
  if (isOutput(value)) core.setOutput(name, value)
}
