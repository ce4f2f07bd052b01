import { message } from '../../errors.js'
import type { Check } from '../../outcome/outcome.js'

const found =
  (result: Check['result'], more: Pick<Check, 'endsRun'> = {}) =>
  (subject: string, sentence: string): Check => ({ subject, result, sentence, ...more })

export const fits = found('fits')
/** A run could not be started, followed or reported. */
export const hindrance = found('does-not-fit', { endsRun: true })
/** There is a problem, but a run would get to its end. */
export const flaw = found('does-not-fit')
export const unknown = found('unknown')
/** Only a run would try it. */
export const notTried = found('not-tried')

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
