import { operationNames } from './faults.js'

const when = { type: 'string', enum: ['before', 'after'] }
const whole = { type: 'integer', minimum: 0 }
const httpStatus = { type: 'integer', minimum: 200, maximum: 599 }
const truth = { type: 'boolean' }
const text = { type: 'string' }

function kind(name: string, properties: Record<string, object> = {}, required: string[] = []) {
  return {
    type: 'object',
    properties: { kind: { const: name }, ...properties },
    required: ['kind', ...required],
    additionalProperties: false,
  }
}

/** JSON Schema of a fault, as faults.ts describes it; it checks faults that come over HTTP. */
export const faultSchema = {
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [
    kind('latency', { milliseconds: whole }, ['milliseconds']),
    kind('drop-before'),
    kind('drop-after'),
    kind('half', { bytes: whole }),
    kind(
      'status',
      {
        status: httpStatus,
        retryAfter: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
        executed: truth,
      },
      ['status'],
    ),
    kind('html', { status: httpStatus, executed: truth }),
    kind('wrong-json', { body: text }),
    kind('late', { seconds: { type: 'number', minimum: 0 } }, ['seconds']),
    kind('redirect', { to: text, status: { type: 'integer', minimum: 300, maximum: 399 } }, ['to']),
    kind('expire-tokens'),
    kind('revoke-tokens'),
    kind('state', { state: text, ended: truth }, ['state']),
    kind('stuck'),
    kind('vanish'),
    kind('report-late'),
    kind('cut-archive', { bytes: whole }),
    kind('corrupt-archive', { at: whole }),
    kind('upload-breaks', { bytes: whole }, ['bytes']),
    kind('foreign-start', { when, template: whole }, ['when']),
    kind('foreign-upload', { when }, ['when']),
    kind('clock-jump', { seconds: { type: 'number' } }, ['seconds']),
  ],
}

export const faultRulesSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      operation: { type: 'string', enum: [...operationNames, '*'] },
      skip: whole,
      times: { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'always' }] },
      fault: faultSchema,
    },
    required: ['operation', 'fault'],
    additionalProperties: false,
  },
}
