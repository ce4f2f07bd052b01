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
export function isBuilt(test: { state?: string; endTime?: number | string }): boolean {
  const phase = phaseOf(test.state)
  return phase === 'running' || phase === 'ending' || hasEnded(test)
}

/** True for FINISHED, ABORTED and ERROR, and for an unknown state of a load test whose end time is set. */
export function hasEnded({ state, endTime }: { state?: string; endTime?: number | string }): boolean {
  const phase = phaseOf(state)
  if (phase === 'unknown') return endTime !== undefined
  return phase === 'finished' || phase === 'aborted' || phase === 'error'
}
