import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { sharedSchemas } from './schemas.js'

const ajv = new Ajv({
  coerceTypes: 'array',
  useDefaults: true,
  discriminator: true,
  addUsedSchema: false,
  formats: { binary: true },
  // They are our own, and the schema that checks schemas takes longer to compile than a service to start.
  meta: false,
  validateSchema: false,
  schemas: [...sharedSchemas],
})
/** Compiled checks by the schema's text. */
const compiled = new Map<string, ValidateFunction>()

/**
 * The check of a part of a request by its schema. Compiling one takes longer than serving a request, so it is done
 * when first needed, once for all services of a process.
 */
export const validatorOf: FastifySchemaCompiler<object> = ({ schema }) => {
  const check: ReturnType<typeof validatorOf> = (value: unknown) => {
    const validate = validatorFor(schema)
    const isValid = validate(value)
    check.errors = validate.errors ?? null
    return isValid
  }
  return check
}

function validatorFor(schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  const known = compiled.get(text)
  if (known) return known
  const validate = ajv.compile(schema)
  compiled.set(text, validate)
  return validate
}
