import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** What is wrong with a value by docs/outcome.schema.json, one sentence a fault; empty for an outcome. */
export function validateOutcome(value: unknown): string[] {
  const schema: unknown = JSON.parse(readFileSync('docs/outcome.schema.json', 'utf8'))
  if (typeof schema !== 'object' || schema === null) throw new Error('docs/outcome.schema.json is no schema')
  const validate = new Ajv2020({ allErrors: true, strict: true, strictRequired: false }).compile(schema)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || '/'} ${message ?? 'is wrong'} ${JSON.stringify(params)}`,
  )
}
