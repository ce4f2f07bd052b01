import { join } from 'node:path'
import { access } from 'node:fs/promises'
import { type ActionFile, ActionFileError, readActionFile } from './action-file.js'
import { takeLine } from './command-interpreter.js'
import { BadExpressionError, type Contexts, holds, holdsAsWritten, interpolate } from './expressions.js'
import type { JobState } from './job-state.js'
import { createStepFiles, readStepFiles, StepEffects } from './step-files.js'
import type { StepLog } from './step-log.js'
import { type ProcessEnd, runProcess } from './step-process.js'
import type { StepConclusion, StepResult } from './step-result.js'

/** A step of a job as written in a workflow file; its texts may contain expressions. */
export interface Step {
  /** Folder of the action.yml. */
  action: string
  /** `id:` of the step; without one its outputs cannot be read by later steps. */
  id?: string
  /** Shown in messages; default "Run <uses>". */
  name?: string
  /** How the workflow file names the action, for the log; default "./". */
  uses?: string
  inputs?: Readonly<Record<string, string>>
  env?: Readonly<Record<string, string>>
  /** Default success(). */
  if?: string
  timeoutMinutes?: number
  continueOnError?: boolean
  /**
   * A step of a composite action that is itself a step of one: its post step gets empty texts for what `with` gave
   * (actions/runner#2030), and here another GITHUB_ACTION, since nothing says that it keeps its own.
   */
  isNested?: boolean
}

/** A step of a running job: its main stage, and later its post stage. */
export interface PlacedStep {
  step: Step
  /** GITHUB_ACTION */
  actionName: string
  displayName: string
  /** Saved by one stage for the next. */
  state: Map<string, string>
}

export interface StageRun {
  placed: PlacedStep
  stage: 'main' | 'post'
  log: StepLog
  /** The job was cancelled, and this stage must end. */
  cancel: AbortSignal
  /** The job is over: whatever still runs is killed. */
  over: AbortSignal
  /** Called before the main step runs, if the action has a post step. */
  registerPost(): void
}

/** Whether the stage's condition is true now. Throws BadExpressionError. */
export async function stageMayRun(job: JobState, run: Pick<StageRun, 'placed' | 'stage'>): Promise<boolean> {
  const { step, actionName } = run.placed
  const github = { action: actionName }
  const env = interpolateAll(step.env ?? {}, job.contexts({}, github))
  const scope = { contexts: job.contexts(env, github), status: job.status }
  if (run.stage === 'main') return holds(step.if ?? '', scope)
  return holdsAsWritten((await readActionFile(step.action)).postIf, scope)
}

/** Runs one stage of a step to its end and returns its result, which includes the step's own faults. */
export async function runStage(job: JobState, run: StageRun): Promise<StepResult> {
  const effects = new StepEffects(run.placed.state)
  const end: { conclusion: StepConclusion; process?: ProcessEnd } = { conclusion: 'failure' }
  try {
    if (run.over.aborted) {
      end.conclusion = 'cancelled'
    } else if (await stageMayRun(job, run)) {
      end.process = await runAction(job, run, effects)
      end.conclusion = end.process.exitCode === 0 ? 'success' : 'failure'
    } else {
      end.conclusion = 'skipped'
    }
  } catch (error) {
    if (!(error instanceof ActionFileError || error instanceof BadExpressionError)) throw error
    run.log.error(error.message)
  }
  if (end.process?.cancelled === true) end.conclusion = concludeCancelled(run)
  if (effects.commandFailed && end.conclusion === 'success') end.conclusion = 'failure'
  return resultOf(run, effects, end.conclusion, end.process)
}

function concludeCancelled({ over, cancel, log, placed }: StageRun): StepConclusion {
  if (over.aborted) return 'cancelled'
  if (cancel.aborted) {
    log.error('The operation was canceled.')
    return 'cancelled'
  }
  log.error(`The action '${placed.displayName}' has timed out after ${placed.step.timeoutMinutes} minutes.`)
  return 'failure'
}

async function runAction(job: JobState, run: StageRun, effects: StepEffects): Promise<ProcessEnd> {
  const { log, stage } = run
  const { step, actionName, state } = run.placed
  const action = await readActionFile(step.action)
  const script = await scriptOf(action, stage)
  if (stage === 'main' && action.post !== undefined) run.registerPost()

  const files = await createStepFiles(job.folders.temp)
  const isEmptied = stage === 'post' && step.isNested === true
  const github = { action: isEmptied ? '__post' : actionName, ...files }
  const stepEnv = interpolateAll(step.env ?? {}, job.contexts({}, github))
  const contexts = job.contexts(stepEnv, github)
  const inputs = inputsOf(step, action, contexts, log)
  if (stage === 'post' && step.isNested)
    for (const name of Object.keys(step.inputs ?? {})) inputs.set(name, '')
  const shownEnv = { ...Object.fromEntries(job.env), ...stepEnv }
  const env = job.processEnv({ ...shownEnv, ...stateVariables(state), ...inputVariables(inputs) }, github)
  logHeader(run, inputs, shownEnv)

  const around = { log, masker: job.masker, effects, workspace: job.workspace }
  const timeout = new AbortController()
  const timer =
    step.timeoutMinutes === undefined
      ? undefined
      : setTimeout(() => timeout.abort(), step.timeoutMinutes * 60_000)
  try {
    return await runProcess({
      node: job.node,
      script,
      folder: job.workspace,
      env,
      timings: job.timings,
      cancel: AbortSignal.any([run.cancel, timeout.signal]),
      kill: run.over,
      onLine: (line) => takeLine(line, around),
    })
  } finally {
    clearTimeout(timer)
    // A runner whose time is up no longer reads anything.
    if (!run.over.aborted) await readStepFiles(files, effects, log, job.masker)
  }
}

async function scriptOf(action: ActionFile, stage: 'main' | 'post'): Promise<string> {
  const script = join(action.folder, (stage === 'main' ? action.main : action.post) ?? '')
  try {
    await access(script)
  } catch {
    throw new ActionFileError(
      `The action's file for its ${stage} step does not exist: ${script}. Build it first.`,
    )
  }
  return script
}

// Defaults may only use what is known about the whole job.
const DEFAULT_CONTEXTS = ['github', 'job', 'matrix', 'runner', 'strategy'] as const

function inputsOf(step: Step, action: ActionFile, contexts: Contexts, log: StepLog): Map<string, string> {
  const given = Object.entries(step.inputs ?? {})
  const inputs = new Map(given.map(([name, value]) => [name, interpolate(value, { contexts })]))
  const declared = new Set([...action.inputs.keys()].map((name) => name.toLowerCase()))
  const known = new Set([...inputs.keys()].map((name) => name.toLowerCase()))
  const ofJob: Contexts = Object.fromEntries(DEFAULT_CONTEXTS.map((name) => [name, contexts[name] ?? {}]))
  for (const [name, input] of action.inputs) {
    if (!known.has(name.toLowerCase())) inputs.set(name, interpolate(input, { contexts: ofJob }))
  }
  const unexpected = given.map(([name]) => name).filter((name) => !declared.has(name.toLowerCase()))
  if (unexpected.length > 0) {
    const quoted = (names: Iterable<string>): string => [...names].map((name) => `'${name}'`).join(', ')
    log.warning(
      `Unexpected input(s) ${quoted(unexpected)}, valid inputs are [${quoted(action.inputs.keys())}]`,
    )
  }
  return inputs
}

function interpolateAll(
  values: Readonly<Record<string, string>>,
  contexts: Contexts,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, interpolate(value, { contexts })]),
  )
}

function inputVariables(inputs: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(
    [...inputs].map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  )
}

function stateVariables(state: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...state].map(([name, value]) => [`STATE_${name}`, value]))
}

function logHeader(
  run: StageRun,
  inputs: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string>>,
): void {
  const { log, placed } = run
  if (run.stage === 'post') {
    log.write('Post job cleanup.')
    return
  }
  log.write(`##[group]Run ${placed.step.uses ?? './'}`)
  if (inputs.size > 0) log.write('with:')
  for (const [name, value] of inputs) if (value !== '') log.write(`  ${name}: ${value}`)
  if (Object.keys(env).length > 0) log.write('env:')
  for (const [name, value] of Object.entries(env)) log.write(`  ${name}: ${value}`)
  log.write('##[endgroup]')
}

function resultOf(
  run: StageRun,
  effects: StepEffects,
  outcome: StepConclusion,
  process: ProcessEnd | undefined,
): StepResult {
  const forgiven = outcome === 'failure' && run.placed.step.continueOnError === true
  return {
    id: run.placed.actionName,
    stage: run.stage,
    conclusion: forgiven ? 'success' : outcome,
    outcome,
    exitCode: process?.exitCode ?? null,
    signal: process?.signal ?? null,
    signals: process?.signals ?? [],
    outputs: Object.fromEntries(effects.outputs),
    state: Object.fromEntries(effects.state),
    env: Object.fromEntries(effects.env),
    paths: [...effects.paths],
    log: run.log.text,
    annotations: [...run.log.annotations],
    summary: effects.summary,
    masks: [...effects.masks],
    rawStdout: process?.rawStdout ?? '',
    rawStderr: process?.rawStderr ?? '',
  }
}
