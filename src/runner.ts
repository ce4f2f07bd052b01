import fs from 'node:fs'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import * as core from '@actions/core'
import { message } from './errors.js'
import { logLine } from './text/foreign-text.js'
import { formatDuration } from './text/duration.js'
import { type Redaction, secretParts, secrets } from './text/redaction.js'
import type { Log, LogTone } from './log.js'

const files = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY']
const addresses = ['GITHUB_API_URL', 'GITHUB_SERVER_URL', 'ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_URL']

/**
 * What would fail the step only after a run is paid for: files of the runner that cannot be written, and addresses that
 * cannot be used. What is not set has its default.
 *
 * @returns sentences
 */
export function runnerFaults(env: NodeJS.ProcessEnv): string[] {
  const unwritable = files.flatMap((name) => {
    const fault = env[name] && whyUnwritable(env[name])
    return fault ? [`${name} names a file that cannot be written: ${fault}. Repair the runner.`] : []
  })
  const isAddress = (text: string) => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)
  const unknown = addresses
    .filter((name) => env[name] && !isAddress(env[name]))
    .map(
      (name) =>
        `${name} must be an address that begins with http:// or https://. Remove the variable from the workflow, or repair the runner.`,
    )
  return [...unwritable, ...unknown, ...(unknown.length === 0 && !hasProxy(env) ? [noProxy] : [])]
}

const noProxy =
  'The proxy for GitHub has an address that cannot be used: write one such as http://proxy.example.com:3128 in HTTPS_PROXY and HTTP_PROXY, or remove them.'

function whyUnwritable(file: string): string | undefined {
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK)
    const before = fs.statSync(file)
    // A disk that is full takes nothing, and no more.
    fs.appendFileSync(file, '\n')
    if (before.isFile()) fs.truncateSync(file, before.size)
    return undefined
  } catch (error) {
    return message(error)
  }
}

/** Whether the proxy of each address, as GitHub's own client finds it, can be one. */
function hasProxy({ GITHUB_API_URL: api, ACTIONS_RESULTS_URL: results }: NodeJS.ProcessEnv): boolean {
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
 * @throws the fault of a disk without that room
 */
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
        fs.rmSync(probe, { force: true })
      }
    },
    release: () => fs.rmSync(kept, { force: true }),
  }
}

/** Fills a file with bytes that no file system can compress. */
function take(file: string): void {
  const some = randomBytes(64 * 1024)
  fs.writeFileSync(file, Buffer.concat(Array.from({ length: enough / some.length }, () => some)))
}

/** Characters of an address, an id, a state or a path. */
const longestOutput = 4000

/** Nothing is longer than this: half of an address would be of no use. */
export function isOutput(value: string | number | undefined): value is string | number {
  return value !== undefined && String(value).length <= longestOutput
}

/** Sets an output of the step unless it is unknown, or longer than any real one. */
export function setOutput(name: string, value: string | number | undefined): void {
  if (isOutput(value)) putOutput(name, value)
}

export function putOutput(name: string, value: string | number): void {
  whole('GITHUB_OUTPUT', () => core.setOutput(name, value))
}

export function saveState(name: string, value: unknown): void {
  whole('GITHUB_STATE', () => core.saveState(name, value))
}

/** Writes an output or the state of the step, which goes on even if the runner does not learn it. */
export function tellRunner(log: Log, write: () => void): void {
  try {
    write()
  } catch (error) {
    log.warning(`Outputs or state of the step could not be written: ${message(error)}`)
  }
}

export async function summarize(markdown: string): Promise<void> {
  await core.summary.addRaw(markdown, true).write()
}

export function annotate(
  kind: 'error' | 'warning' | 'notice',
  text: string,
  properties: core.AnnotationProperties,
): void {
  core[kind](text, properties)
}

/** The step fails when it ends. */
export function turnRed(): void {
  process.exitCode = core.ExitCode.Failure
}

/** Takes back what a full disk cuts off: the runner fails a step, even a green one, whose file ends within a value. */
function whole(variable: string, append: () => void): void {
  const file = process.env[variable] ?? ''
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size
  try {
    append()
  } catch (error) {
    if (size !== undefined) fs.truncateSync(file, size)
    throw error
  }
}

const longest = 2000

/** Colours of the terminal, which GitHub's log view draws. */
const colours: Record<LogTone, number> = { good: 32, bad: 31, caution: 33, quiet: 90 }

/** The job's log, through workflow commands. Each line is made harmless here, wherever it comes from. */
export function jobLog(secrets: Pick<Redaction, 'text'>): Log {
  const safe = (text: string) =>
    secrets
      .text(text)
      .split('\n')
      .map((line) => logLine(line, longest))
      .join('\n')
  /** Opens the group whose first line comes now: no group is empty. */
  let open = () => {}
  const say = (write: () => void) => {
    open()
    write()
  }
  const info = (line: string, tone?: LogTone) =>
    say(() =>
      core.info(
        safe(line)
          .split('\n')
          .map((one) => (tone === undefined ? one : `\u001b[${colours[tone]}m${one}\u001b[0m`))
          .join('\n'),
      ),
    )
  return {
    info,
    notice: (line) => say(() => core.notice(safe(line))),
    warning: (line) => say(() => core.warning(safe(line))),
    debug: (line) => core.debug(safe(line)),
    group: async (title, body) => {
      const group = { isOpen: false }
      const outside = open
      open = () => {
        if (!group.isOpen) core.startGroup(safe(title))
        group.isOpen = true
      }
      const began = performance.now()
      try {
        return await body()
      } finally {
        const took = performance.now() - began
        if (took >= 1000) info(`Took ${formatDuration(took)}`, 'quiet')
        if (group.isOpen) core.endGroup()
        open = outside
      }
    },
  }
}

/** A secret that is added is masked in the job's log from then on, in all its forms, and removed from what is published. */
export function stepSecrets(): Redaction {
  return {
    ...secrets,
    add(secret) {
      // The runner masks base64 by itself, but not every way to write a secret into an address or a form.
      const forms = secretParts(secret).flatMap((part) => [
        part,
        encodeURIComponent(part.toWellFormed()),
        new URLSearchParams([['', part]]).toString().slice(1),
      ])
      for (const form of new Set(forms)) if (form !== '') core.setSecret(form)
      secrets.add(secret)
    },
  }
}
