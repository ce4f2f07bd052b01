import schema from '../../docs/outcome.schema.json' with { type: 'json' }
import { ReportError } from '../errors.js'
import type { Outcome } from './outcome.js'
import { oneLine } from '../text/foreign-text.js'
import { flawOf } from './json-schema.js'
import { outcomeFields } from './outcome-file.js'

/**
 * All of an outcome file, checked by docs/outcome.schema.json before it is believed: somebody else may have written it.
 *
 * @throws ReportError that can follow the file's name, such as `is not JSON`
 */
export function readWholeOutcome(text: string): Outcome {
  const read = outcomeFields(text)
  if ('fault' in read) throw new ReportError(read.fault)
  const fields: unknown = read.outcome
  // Legs contain outcomes: they are no deeper than this.
  if ('legs' in read.outcome) throw new ReportError('is the merged outcome of a matrix, not of a load test')
  if (!isOutcome(fields)) {
    throw new ReportError(
      `does not conform to docs/outcome.schema.json: ${oneLine(flawOf(fields, schema) ?? '', 120)}`,
    )
  }
  return fields
}

function isOutcome(value: unknown): value is Outcome {
  return flawOf(value, schema) === undefined
}
