import type { Run } from '../outcome/outcome.js'
import { phaseOf } from '../service/state.js'

type Numbered = Pick<Run, 'number'>

/** For a run that nobody is waiting for any more. @param isSeen the service showed it at the last look */
export function goesOn(run: Pick<Run, 'number' | 'state' | 'url'>, isSeen = true): string[] {
  const isKnown = isSeen && phaseOf(run.state) !== 'unknown'
  return [isKnown ? stillRunning(run) : mayStillRun(run), ...collectLater(run)]
}

function stillRunning({ number, url }: Pick<Run, 'number' | 'url'>): string {
  return url === undefined
    ? `Load test ${number} is still running. Stop it on the service if you no longer need it.`
    : `Load test ${number} is still running at ${url} and can be stopped there if you no longer need it.`
}

/** For a run about which nothing could be found out. */
export function mayStillRun({ number, url }: Pick<Run, 'number' | 'url'>): string {
  const where = url === undefined ? 'on the service' : `at ${url}`
  return `Load test ${number} may still be running. If it is, and you no longer need it, stop it ${where}.`
}

export function collectLater({ number }: Numbered): string[] {
  return [
    `To follow and judge it later, run this step with mode: collect and run-number: ${number}; that starts nothing new.`,
  ]
}
