import type { Run } from '../outcome.js'

type Numbered = Pick<Run, 'number'>

/** For a run that nobody waits for any more. */
export function goesOn(run: Pick<Run, 'number' | 'url'>): string[] {
  return [
    `Load test ${run.number} goes on at ${run.url} and can be stopped there if you no longer need it.`,
    ...collectLater(run),
  ]
}

export function collectLater({ number }: Numbered): string[] {
  return [
    `To follow and judge it later, run this step with mode: collect and run-number: ${number}; nothing is started then.`,
  ]
}
