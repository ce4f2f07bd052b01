import { startService } from '../../sandbox/service/service.js'
import { describedAnswer, readOpenApi } from '../../src/service/open-api.js'
import type { Operation } from '../../src/service/operations.js'
import { calls } from '../fake-service.js'

/* What the step would read of the answers, by the types that the service's OpenAPI document has for them. */

const base = '/public/api/v1/orgs/{org}/projects/{project}/loadTests'
const paths: Partial<Record<Operation['name'], string>> = {
  list: base,
  details: `${base}/{n}`,
  status: `${base}/{n}/status`,
  runCopy: `${base}/{n}/runCopy`,
}
const integer = { type: 'integer' }
const state = (...words: string[]) => ({ type: 'string', enum: words })
const record = (properties: object) => ({ type: 'object', properties })

function read(operation: Operation, schema: object | undefined) {
  const content = schema && { 'application/json': { schema } }
  const responses = { 200: { description: 'ok', content } }
  const document = { openapi: '3.0.3', paths: { [paths[operation.name] ?? '']: { get: { responses } } } }
  const api = readOpenApi(document)
  return api && describedAnswer(api, operation)
}

test('all that the step needs is in the answers of the local service, as its document describes them', async () => {
  const service = await startService()
  try {
    const answer = await fetch(`${service.url}/public/api/json`)
    const api = readOpenApi(await answer.json())
    const found = [calls.list(), calls.details(1), calls.status(1), calls.runCopy(1)].map(
      (operation) => api && describedAnswer(api, operation),
    )
    const all = { read: ['number', 'state', 'start', 'end'], strange: [] }
    expect(found).toEqual([all, all, all, all])
  } finally {
    await service.close()
  }
})

test.each<[string, Operation, object | undefined, string[] | undefined]>([
  ['no type', calls.status(1), undefined, undefined],
  ['a type without fields', calls.status(1), { type: 'object' }, undefined],
  ['a bare number', calls.runCopy(1), integer, ['number']],
  ['an id', calls.runCopy(1), record({ id: integer, name: state('x') }), ['number']],
  ['no number', calls.runCopy(1), record({ name: { type: 'string' } }), []],
  ['a list of records', calls.list(), { type: 'array', items: record({ index: integer }) }, ['number']],
  [
    'a list within',
    calls.list(),
    record({ rows: { type: 'array', items: record({ id: integer }) } }),
    ['number'],
  ],
  ['a state as a number', calls.status(1), record({ number: integer, state: integer }), ['number']],
  [
    'a state as any text',
    calls.status(1),
    record({ lifecycle: record({ phase: { type: 'string' } }) }),
    ['state'],
  ],
  ['times', calls.details(1), record({ started: { type: 'string', format: 'date-time' } }), ['start']],
  ['an envelope', calls.details(1), record({ data: record({ end: integer }) }), ['end']],
  ['an archive', calls.report(1, 1), record({ id: integer }), undefined],
])('%s', (_, operation, schema, due) => {
  expect(read(operation, schema)).toEqual(due && { read: due, strange: [] })
})

test('states that the step does not know are named, whatever their case', () => {
  const status = (...words: string[]) => read(calls.status(1), record({ state: state(...words) }))?.strange
  expect(status('running', 'FINISHED', 'Error')).toEqual([])
  expect(status('RUNNING', 'COMPLETED', 'TIMED_OUT')).toEqual(['COMPLETED', 'TIMED_OUT'])
  expect(status(...Array.from({ length: 50 }, (_, at) => `S${at}`))).toHaveLength(20)
})
