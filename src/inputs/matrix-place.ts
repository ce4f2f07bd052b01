import type { MatrixPlace } from '../outcome/outcome.js'
import { defined } from '../text/fields.js'
import type { InputReader } from './input-reader.js'

/**
 * Reads `matrix-leg`, which comes from the runner, through the default in action.yml. A runner that does not support
 * a matrix leaves out the numbers, and the place is unknown.
 *
 * @param job its id in the workflow file
 */
export function readPlace(read: InputReader, job: string | undefined): { place?: MatrixPlace } {
  const [, index, total] = /^(\d{1,3}) of (\d{1,3})$/.exec(read.text('matrix-leg')) ?? []
  const isKnown = job !== undefined && index !== undefined && total !== undefined
  return defined({ place: isKnown ? { job, index: Number(index), total: Number(total) } : undefined })
}
