import { LostError, message } from '../errors.js'
import type { Part, Run } from '../outcome/outcome.js'
import { phaseOf } from '../service/state.js'
import { StartError } from './once.js'
import { collectLater, goesOn } from './run-advice.js'
import { reasonsAbout } from '../text/reason.js'

/** The end of a step that was broken off, with or without a known run. */
export function brokenOff(
  error: unknown,
  run: Run | undefined,
  signal: AbortSignal,
): Required<Pick<Part, 'verdict' | 'reasons' | 'advice'>> {
  return {
    ...(signal.aborted
      ? { verdict: 'cancelled', reasons: reasonsAbout('step', 'The job was cancelled.') }
      : { verdict: 'error', reasons: reasonsAbout('step', message(error)) }),
    advice: run ? adviceAbout(run, error) : adviceOf(error),
  }
}

function adviceAbout(run: Run, error: unknown): readonly string[] {
  return phaseOf(run.state) === 'finished' ? collectLater(run) : goesOn(run, !(error instanceof LostError))
}

function adviceOf(error: unknown): readonly string[] {
  return error instanceof StartError ? error.advice : []
}
