import { randomUUID } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileCommandPairs } from './file-command.js'
import type { SecretMasker } from './secret-masker.js'
import type { StepLog } from './step-log.js'
import { systemErrorCode } from './system-error.js'

/** In bytes; a larger job summary is dropped entirely. */
const MAX_SUMMARY = 1024 * 1024

/** The effects of one stage of a step on the job, besides its output. */
export class StepEffects {
  readonly outputs = new Map<string, string>()
  /** Variables for the steps that follow, from GITHUB_ENV. */
  readonly env = new Map<string, string>()
  /** Folders put before PATH for the steps that follow, the latest last. */
  readonly paths: string[] = []
  /** Values that the step asked the runner to hide. */
  readonly masks: string[] = []
  summary = ''
  /** A command could not be executed, so the step fails whatever its exit code. */
  commandFailed = false

  /** @param state of the action, shared by its main and post step */
  constructor(readonly state: Map<string, string>) {}

  /** State ignores case: a later `RUN` replaces an earlier `run`, under the earlier one's name. */
  saveState(name: string, value: string): void {
    const known = [...this.state.keys()].find((key) => key.toLowerCase() === name.toLowerCase())
    this.state.set(known ?? name, value)
  }

  prependPath(folder: string): void {
    const at = this.paths.indexOf(folder)
    if (at >= 0) this.paths.splice(at, 1)
    this.paths.push(folder)
  }
}

/** The files of one stage, by their name in the github context (`output` is GITHUB_OUTPUT and so on). */
export type StepFiles = Readonly<Record<'output' | 'state' | 'env' | 'path' | 'step_summary', string>>

/** Creates the empty files that a stage of a step writes its commands to. */
export async function createStepFiles(temp: string): Promise<StepFiles> {
  const folder = join(temp, '_runner_file_commands')
  await mkdir(folder, { recursive: true })
  const id = randomUUID()
  const files = {
    output: join(folder, `set_output_${id}`),
    state: join(folder, `save_state_${id}`),
    env: join(folder, `set_env_${id}`),
    path: join(folder, `add_path_${id}`),
    step_summary: join(folder, `step_summary_${id}`),
  }
  await Promise.all(Object.values(files).map((file) => writeFile(file, '')))
  return files
}

/** Executes what the step wrote. A fault in one file is logged and fails the step; the other files still count. */
export async function readStepFiles(
  files: StepFiles,
  effects: StepEffects,
  log: StepLog,
  masker: SecretMasker,
): Promise<void> {
  const carryOut = async (name: keyof StepFiles, act: (text: string) => void): Promise<void> => {
    try {
      act(await readOrEmpty(files[name]))
    } catch (error) {
      log.error(`Unable to process file command '${name}' successfully.`)
      log.error(error instanceof Error ? error.message : String(error))
      effects.commandFailed = true
    }
  }

  await carryOut('path', (text) => {
    for (const line of text.split(/\r\n|\r|\n/)) if (line !== '') effects.prependPath(line)
  })
  await carryOut('env', (text) => {
    for (const { name, value } of fileCommandPairs(text)) {
      // It changes what Node runs, so no step may set it for others.
      if (name.toUpperCase() === 'NODE_OPTIONS') {
        log.error(`Can't store ${name} output parameter using '$GITHUB_ENV' command.`)
      } else {
        effects.env.set(name, value)
      }
    }
  })
  await readSummary(files.step_summary, effects, log, masker)
  await carryOut('state', (text) => {
    for (const { name, value } of fileCommandPairs(text)) effects.saveState(name, value)
  })
  await carryOut('output', (text) => {
    for (const { name, value } of fileCommandPairs(text)) {
      if (name === '') throw new Error('The name of an output cannot be empty.')
      effects.outputs.set(name, value)
      log.debug(`Set output ${name} = ${value}`)
    }
  })
}

async function readSummary(
  file: string,
  effects: StepEffects,
  log: StepLog,
  masker: SecretMasker,
): Promise<void> {
  const size = await sizeOrZero(file)
  if (size === 0) return
  if (size > MAX_SUMMARY) {
    const kib = (bytes: number): number => Math.floor(bytes / 1024)
    log.error(
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${kib(MAX_SUMMARY)}k, got ${kib(size)}k.`,
    )
    return
  }
  const lines = (await readOrEmpty(file)).split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  effects.summary = lines.map((line) => `${masker.mask(line)}\n`).join('')
}

async function sizeOrZero(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0
    throw error
  }
}

// A step may delete its file, which counts as an empty one.
async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return ''
    throw error
  }
}
