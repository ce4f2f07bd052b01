import { message } from '../../errors.js'
import type { Check } from '../../outcome/outcome.js'

export function fits(subject: string, sentence: string): Check {
  return { subject, result: 'fits', sentence }
}

/** A run could not be started, followed or reported. */
export function hindrance(subject: string, sentence: string): Check {
  return { subject, result: 'does-not-fit', sentence, endsRun: true }
}

/** There is a problem, but a run would get to its end. */
export function flaw(subject: string, sentence: string): Check {
  return { subject, result: 'does-not-fit', sentence }
}

export function unknown(subject: string, sentence: string): Check {
  return { subject, result: 'unknown', sentence }
}

/** Only a run would try it. */
export function notTried(subject: string, sentence: string): Check {
  return { subject, result: 'not-tried', sentence }
}

/** A check that may fail: its fault is a finding. Rejects only if the job is cancelled. */
export async function look(
  subject: string,
  signal: AbortSignal,
  body: () => Promise<Check | Check[]>,
): Promise<Check[]> {
  try {
    return [await body()].flat()
  } catch (error) {
    signal.throwIfAborted()
    return [hindrance(subject, message(error))]
  }
}
