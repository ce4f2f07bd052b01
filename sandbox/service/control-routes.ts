import type { FastifyInstance } from 'fastify'
import type { Books } from './books.js'
import { credentialsNames } from './credentials.js'
import { faultRulesSchema } from './fault-schema.js'
import type { FaultPlan, FaultRule } from './faults.js'
import { endStates, timedStates } from './load-test.js'
import { assumptions } from './assumptions.js'
import type { ServiceSettings } from './settings.js'

const truth = { type: 'boolean' }
const amount = { type: 'number', minimum: 0 }
const whole = { type: 'integer', minimum: 0 }
const one = (...values: readonly string[]) => ({ type: 'string', enum: values })

const runProperties = {
  secondsPerState: amount,
  secondsRunning: amount,
  secondsOf: {
    type: 'object',
    properties: Object.fromEntries(timedStates.map((state) => [state, amount])),
    additionalProperties: false,
  },
  ends: one(...endStates),
  buildFault: { type: 'string' },
  seed: whole,
  slowdown: { type: 'number', exclusiveMinimum: 0 },
  errorRate: { type: 'number', minimum: 0, maximum: 1 },
  scorecard: one('none', 'passed', 'failed', 'error'),
  reportDelay: amount,
  partial: truth,
  simulatedMinutes: amount,
  bulk: {
    type: 'object',
    nullable: true,
    properties: { files: whole, bytes: whole },
    required: ['files', 'bytes'],
  },
  properties: { type: 'object', additionalProperties: { type: 'string' } },
}

/** Each is one of the values that the table names, or of their type; the organization is seeded once. */
function questionProperties(): Record<string, object> {
  const changeable = assumptions.filter(({ setting }) => setting !== 'organization')
  const properties = changeable.map((row): [string, object] => {
    if (!('free' in row)) return [row.setting, { enum: [row.as, ...row.or] }]
    return [row.setting, typeof row.as === 'number' ? whole : { type: 'string' }]
  })
  return Object.fromEntries(properties)
}

/** What may be changed over HTTP; see settings.ts for the meaning. */
const settingsSchema = {
  type: 'object',
  properties: {
    ...runProperties,
    tokenSeconds: whole,
    ...questionProperties(),
    listLag: { type: 'number', minimum: 0 },
    ranges: truth,
    archivesPerProject: whole,
    templates: {
      type: 'object',
      additionalProperties: { type: 'object', properties: runProperties, additionalProperties: false },
    },
    faults: faultRulesSchema,
  },
  additionalProperties: false,
}

/** The sandbox's own controls below /sandbox; they are not part of the interface or its document. */
export function controlRoutes(
  app: FastifyInstance,
  settings: ServiceSettings,
  books: Books,
  plan: FaultPlan,
): void {
  app.get('/sandbox/books', { schema: { hide: true } }, (_request, reply) => reply.send(books))

  app.get('/sandbox/settings', { schema: { hide: true } }, (_request, reply) => reply.send(shown(settings)))
  app.post<{ Body: Partial<ServiceSettings> }>(
    '/sandbox/settings',
    { schema: { hide: true, body: settingsSchema } },
    (request, reply) => {
      Object.assign(settings, request.body)
      return reply.send(shown(settings))
    },
  )

  app.get('/sandbox/faults', { schema: { hide: true } }, (_request, reply) => reply.send(plan.rules))
  app.post<{ Body: FaultRule[] }>(
    '/sandbox/faults',
    { schema: { hide: true, body: faultRulesSchema } },
    (request, reply) => {
      plan.set(request.body)
      return reply.send(plan.rules)
    },
  )
  app.delete('/sandbox/faults', { schema: { hide: true } }, (_request, reply) => {
    plan.set([])
    return reply.code(204).send()
  })
}

/** The settings without secrets and keys. */
function shown({ secrets, tls, ...rest }: ServiceSettings): object {
  return {
    ...rest,
    secretsSet: credentialsNames.filter((name) => secrets[name] !== undefined),
    tls: tls !== null,
  }
}
