import type { CodeArchive } from './code-archive.js'
import type { RunSettings } from './settings.js'

/** The states that a run passes through, in this order. */
export const timedStates = [
  'NEW',
  'SCHEDULED',
  'PROVISIONING',
  'STARTING',
  'RUNNING',
  'STOPPING',
  'DEPROVISIONING',
] as const
export type TimedState = (typeof timedStates)[number]

export const endStates = ['FINISHED', 'ABORTED', 'ERROR'] as const
export type EndState = (typeof endStates)[number]

/** Version lines of the load-test engine (interface section 1). */
export type ExecutionEnvironment = '6.x' | '9.x' | '10.x'

/**
 * Where the test suite comes from (interface section 1). If there are both, a setting of the service decides which
 * counts.
 */
export interface Source {
  codeArchive?: 'latest' | { id: string }
  git?: { url: string; branch: string }
  /** The load test itself says that its code archive counts, not its repository. */
  archiveEnabled?: boolean
}

/** The code archive that a load test builds from, unless it builds from its repository. */
export function wantedArchive(
  { codeArchive, git, archiveEnabled = false }: Source,
  archives: 'precedence' | 'explicit',
): Source['codeArchive'] {
  return archives === 'precedence' || !git || archiveEnabled ? codeArchive : undefined
}

export interface LoadTest {
  /** Unique in its project. */
  number: number
  name: string
  description: string
  executionEnvironment: ExecutionEnvironment
  source: Source
  /** Absent if it was never started: a template. */
  run?: Run
}

/** One execution. Its state is computed from the clock, so there are no timers. */
export interface Run {
  /** Number of the load test that was copied. */
  template: number
  /** Milliseconds since 1970. */
  createdAt: number
  /** The code archive it was built from. */
  archive?: CodeArchive
  /** When it will be built from the latest code archive, milliseconds since 1970; absent once it is built. */
  buildsAt?: number
  stages: Stage[]
  end: EndState
  /** Why it ended in ERROR. */
  message?: string
  settings: RunSettings
  /** The engine's work, if the engine runs; then the states come from here. */
  work?: Work
}

/** A run that is not simulated. */
export interface Work {
  state(): ExecutionState
  /** Its progress, for people. */
  readonly progress: string | undefined
  /** It has ended, and its report is being made. */
  readonly reporting: boolean
  /** Folder of the report, once it is complete. */
  readonly report: string | undefined
  /** Folder of the results, once the run has ended. */
  readonly results: string | undefined
  /** Resolves when all of it has ended. */
  readonly done: Promise<void>
}

/** A state and the moment it ends, in milliseconds after the creation of the run. */
export interface Stage {
  state: TimedState
  until: number
}

/** Times are UTC milliseconds, 0 when not started or not finished. */
export interface ExecutionState {
  startTime: number
  endTime: number
  state: string
  message?: string
}

/** The stages of a run, up to and including `last`. */
export function stagesOf(settings: RunSettings, last: TimedState = 'DEPROVISIONING'): Stage[] {
  let until = 0
  return timedStates.slice(0, timedStates.indexOf(last) + 1).map((state) => {
    until += milliseconds(settings, state)
    return { state, until }
  })
}

export function executionState({ run }: LoadTest, now: number): ExecutionState {
  if (!run) return { startTime: 0, endTime: 0, state: 'NEW' }
  if (run.work) return run.work.state()
  const elapsed = now - run.createdAt
  const launch = launchOf(run)
  const startTime = launch !== undefined && elapsed >= launch ? run.createdAt + launch : 0
  const stage = run.stages.find(({ until }) => elapsed < until)
  if (stage) return { startTime, endTime: 0, state: stage.state }
  const endTime = run.createdAt + (run.stages.at(-1)?.until ?? 0)
  return {
    startTime,
    endTime,
    state: run.end,
    ...(run.message === undefined ? {} : { message: run.message }),
  }
}

/** Whether report and results can be downloaded: the run was launched and has ended, and the delay is over. */
export function reportReady(loadTest: LoadTest, now: number): boolean {
  const { startTime, endTime } = executionState(loadTest, now)
  if (!loadTest.run || startTime === 0 || endTime === 0) return false
  const { work } = loadTest.run
  if (work && work.report === undefined) return false
  return now >= endTime + loadTest.run.settings.reportDelay * 1000
}

/** Milliseconds from the creation to the launch; undefined if the run is never launched. */
function launchOf(run: Run): number | undefined {
  const index = run.stages.findIndex(({ state }) => state === 'STARTING')
  return index < 0 ? undefined : (run.stages[index - 1]?.until ?? 0)
}

function milliseconds(settings: RunSettings, state: TimedState): number {
  return Math.round((state === 'RUNNING' ? settings.secondsRunning : settings.secondsPerState) * 1000)
}
