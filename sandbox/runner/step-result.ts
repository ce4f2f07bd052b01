import type { Annotation } from './step-log.js'

export type StepConclusion = 'success' | 'failure' | 'cancelled' | 'skipped'

/** The result of one stage of a step. */
export interface StepResult {
  /** The step's id, or the name that the runner gave it, such as `__self`. */
  id: string
  stage: 'main' | 'post'
  /** As the job sees it: with `continueOnError`, a failure is a success. */
  conclusion: StepConclusion
  /** Before `continueOnError`. */
  outcome: StepConclusion
  /** Null when the process was ended by a signal or never started. */
  exitCode: number | null
  /** What ended the process. */
  signal: NodeJS.Signals | null
  /** What the runner sent it, in order. */
  signals: NodeJS.Signals[]
  outputs: Record<string, string>
  /** The action's state after this stage. */
  state: Record<string, string>
  /** Variables that this stage set for the steps that follow. */
  env: Record<string, string>
  /** Folders that this stage put before PATH. */
  paths: string[]
  /** As people see it: commands executed, secrets hidden. */
  log: string
  /** At most ten of each kind. */
  annotations: Annotation[]
  /** Job summary in Markdown, secrets hidden; empty if there is none or it was too large. */
  summary: string
  /** Values that the step asked the runner to hide. */
  masks: string[]
  /** What the process wrote, with nothing hidden. */
  rawStdout: string
  rawStderr: string
}
