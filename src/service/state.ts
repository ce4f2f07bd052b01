/**
 * The states of a load test, as the service's user manual and API explorer name them. The interface itself
 * shows none, so there may be unknown ones: they count as not ended, unless the end time is set.
 */
export type Phase = 'preparing' | 'running' | 'ending' | 'unknown' | 'finished' | 'aborted' | 'error'

const phases = new Map<string | undefined, Phase>([
  ['NEW', 'preparing'],
  ['SCHEDULED', 'preparing'],
  ['STARTING', 'preparing'],
  ['PROVISIONING', 'preparing'],
  ['RUNNING', 'running'],
  ['STOPPING', 'ending'],
  ['DEPROVISIONING', 'ending'],
  ['FINISHED', 'finished'],
  ['ABORTED', 'aborted'],
  ['ERROR', 'error'],
])

export function phaseOf(state: string | undefined): Phase {
  return phases.get(state) ?? 'unknown'
}

/**
 * Whether its test suite has been built: the load runs, or has run, or never will. Before that it may still have to be
 * fetched; an unknown state says nothing about it.
 */
export function isBuilt(test: {
  state?: string
  startTime?: number | string
  endTime?: number | string
}): boolean {
  const phase = phaseOf(test.state)
  const isTimed = test.state === undefined && test.startTime !== undefined
  return isTimed || phase === 'running' || phase === 'ending' || hasEnded(test)
}

/**
 * Whether it ran to its end. Where the service does not say in which state it ended, both its times have to show that it
 * ran; a report then says how it went.
 */
export function hasFinished(run: { state: string; startTime?: string; endTime?: string }): boolean {
  const isUntold = run.state === 'unknown' && run.startTime !== undefined && run.endTime !== undefined
  return isUntold || phaseOf(run.state) === 'finished'
}

/** True for FINISHED, ABORTED and ERROR, and for an unknown state of a load test whose end time is set. */
export function hasEnded({ state, endTime }: { state?: string; endTime?: number | string }): boolean {
  const phase = phaseOf(state)
  if (phase === 'unknown') return endTime !== undefined
  return phase === 'finished' || phase === 'aborted' || phase === 'error'
}
