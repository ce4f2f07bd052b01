/**
 * The states of a load test, as the service's user manual and API explorer name them. The interface itself
 * shows none, so there may be unknown ones: they count as not ended, unless the end time is set.
 */
export type Phase = 'preparing' | 'running' | 'ending' | 'unknown' | 'finished' | 'aborted' | 'error'

const phases: Record<string, Phase> = {
  NEW: 'preparing',
  SCHEDULED: 'preparing',
  STARTING: 'preparing',
  PROVISIONING: 'preparing',
  RUNNING: 'running',
  STOPPING: 'ending',
  DEPROVISIONING: 'ending',
  FINISHED: 'finished',
  ABORTED: 'aborted',
  ERROR: 'error',
}

export function phaseOf(state: string | undefined): Phase {
  return (state !== undefined && Object.hasOwn(phases, state) && phases[state]) || 'unknown'
}

/** True for FINISHED, ABORTED and ERROR, and for an unknown state of a load test whose end time is set. */
export function hasEnded({ state, endTime }: { state?: string; endTime?: number | string }): boolean {
  const phase = phaseOf(state)
  if (phase === 'unknown') return endTime !== undefined
  return phase === 'finished' || phase === 'aborted' || phase === 'error'
}
