import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

let compiled: ValidateFunction | undefined

/** The faults of a value by docs/outcome.schema.json, one sentence each; empty for a valid outcome. */
export function validateOutcome(value: unknown): string[] {
  const validate = (compiled ??= compile())
  if (validate(value)) return []
  // A kind with a fault has one more, which only says that.
  const faults = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  return faults.map(
    ({ instancePath, message, params }) =>
      `${instancePath || '/'} ${message ?? 'is wrong'} ${JSON.stringify(params)}`,
  )
}

/** Compiled once per process: that takes longer than all validations. */
function compile(): ValidateFunction {
  const schema: unknown = JSON.parse(readFileSync('docs/outcome.schema.json', 'utf8'))
  if (typeof schema !== 'object' || schema === null)
    throw new Error('docs/outcome.schema.json is not a schema')
  return new Ajv2020({ allErrors: true, strict: true, strictRequired: false }).compile(schema)
}
