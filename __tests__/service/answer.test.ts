import { decoderOf, position, readText, retryAfter } from '../../src/service/answer.js'
import { operations } from '../../src/service/operations.js'
import { arrived } from './arrived.js'

const answer = (status: number, headers: Record<string, string>) => ({
  ...{ status, headers, close: () => undefined },
  body: arrived(''),
})

test.each<[number, Record<string, string>, number, ReturnType<typeof position>]>([
  [200, { 'content-length': '10' }, 0, { from: 0, total: 10 }],
  [200, { 'content-length': '10' }, 4, { from: 0, total: 10 }],
  [206, { 'content-range': 'bytes 4-9/10' }, 4, { from: 4, total: 10 }],
  [206, { 'content-range': 'bytes 5-9/10', 'content-length': '5' }, 4, { from: 5, total: 10 }],
  [206, { 'content-length': '6' }, 4, { from: 4, total: 10 }],
  [206, { 'content-range': 'bytes 4-9/*', 'content-length': '6' }, 4, { from: 4, total: 10 }],
  [206, { 'content-range': 'x bytes 4-9/99', 'content-length': '6' }, 4, { from: 4, total: 10 }],
  [206, { 'content-range': 'bytes 4-9/99 x', 'content-length': '6' }, 4, { from: 4, total: 10 }],
  [206, {}, 4, { from: 4 }],
  [200, { 'content-range': 'bytes 4-9/10' }, 4, { from: 0 }],
  [200, {}, 4, { from: 0 }],
  [200, { 'content-length': '10 x' }, 0, { from: 0 }],
  [200, { 'content-length': 'x 10' }, 0, { from: 0 }],
])('an answer %i with %j, asked from byte %i on, begins and ends at %j', (status, headers, asked, due) => {
  expect(position(answer(status, headers), asked)).toEqual(due)
})

test.each<[string | undefined, ReturnType<typeof retryAfter>]>([
  ['7', { retryAfterSeconds: 7 }],
  ['1', { retryAfterSeconds: 1 }],
  ['0', {}],
  ['-7', {}],
  ['soon', {}],
  ['7 or so', {}],
  ['', {}],
  [undefined, {}],
  ['Wed, 21 Oct 2015 07:28:00 GMT', {}],
])('Retry-After: %s is %j', (value, due) => {
  expect(retryAfter(value)).toEqual(due)
})

test('Retry-After can be a date', () => {
  const { retryAfterSeconds = 0 } = retryAfter(new Date(Date.now() + 3_600_000).toUTCString())
  expect(Math.round(retryAfterSeconds / 600)).toBe(6)
})

test.each([
  ['gzip', true],
  ['x-gzip', true],
  ['deflate', true],
  ['br', true],
  [' GZIP ', true],
  ['identity', false],
  ['', false],
])('an answer with the encoding "%s" is decoded: %s', (encoding, isDecoded) => {
  expect(decoderOf({ headers: { 'content-encoding': encoding } }) !== undefined).toBe(isDecoded)
})

test.each([
  ['text/plain; charset=iso-8859-1', 'é'],
  ['text/plain; Charset="ISO-8859-1"', 'é'],
  ['text/plain', '\ufffd'],
  ['text/plain; charset=none-such', '\ufffd'],
])('the byte E9 of %s is %s', async (type, text) => {
  const body = arrived(Buffer.from([0xe9]))
  const { list } = operations({ organization: 'o', project: 'p' })
  expect(await readText(list(), { ...answer(200, { 'content-type': type }), body })).toBe(text)
})
