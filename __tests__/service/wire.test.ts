import { operations } from '../../src/service/operations.js'
import { latest } from '../../src/service/project.js'
import { readArchiveId, readLoadTest, readToken } from '../../src/service/wire.js'
import { decoderOf, position, readText, retryAfter } from '../../src/service/answer.js'
import { arrived } from './arrived.js'

/* What is read from the JSON of the service: each field alone, and what is none. */

const { details, upload } = operations({ organization: 'o', project: 'p' })
const origin = 'https://x.test'
const read = (record: unknown, expected?: number) => readLoadTest(details(8), record, origin, expected)

test.each<[unknown, number | undefined, object]>([
  [{ index: 8 }, 8, { number: 8 }],
  [{ number: '8' }, undefined, { number: 8 }],
  [{ loadTestNumber: 8 }, undefined, { number: 8 }],
  [{ loadTestIndex: 8 }, undefined, { number: 8 }],
  [{ index: 8, number: 9 }, undefined, { number: 8 }],
  [{ index: 0, number: 9 }, undefined, { number: 9 }],
  [{ success: true, data: { loadTest: { index: 8 } } }, 8, { number: 8 }],
  [{}, 8, { number: 8 }],
  [8, undefined, { number: 8 }],
  [' running ', 8, { number: 8, state: 'RUNNING' }],
])('%j, asked for %s, is load test %j', (record, expected, due) => {
  expect(read(record, expected)).toEqual(due)
})

test.each<[unknown, number | undefined, string]>([
  [{ index: 9 }, 8, 'is about load test 9'],
  [{ name: 'x' }, undefined, 'contains no load test number'],
  [{ index: 1.5 }, undefined, 'contains no load test number'],
  [{ index: '8x' }, undefined, 'contains no load test number'],
  [8, 8, 'is not a load test record'],
  ['RUNNING', undefined, 'is not a load test record'],
  [null, 8, 'is not a load test record'],
  [{ success: false, message: 'Not now', data: { index: 8 } }, 8, 'reports a failure: Not now'],
  [{ success: false }, 8, 'reports a failure: no reason given'],
])('%j, asked for %s, is a fault', (record, expected, fault) => {
  expect(() => read(record, expected)).toThrow(fault)
})

test.each<[object, object]>([
  [
    { status: 'OK', result: { number: 8, state: 'RUNNING' } },
    { number: 8, state: 'RUNNING' },
  ],
  [
    { status: 200, response: { run: { index: 8, phase: 'new' } } },
    { number: 8, state: 'NEW' },
  ],
  [
    { status: 'RUNNING', result: { passed: false } },
    { number: 8, state: 'RUNNING' },
  ],
])('%j is read as %j', (record, due) => expect(read(record, 8)).toEqual(due))

test.each<[object, object]>([
  [
    { name: 'Shop', description: 'all' },
    { name: 'Shop', description: 'all' },
  ],
  [{ name: '', description: 7 }, {}],
  [{ executionState: { state: 'new' }, status: 'ended' }, { state: 'NEW' }],
  [{ executionState: 'Running', status: 'ended' }, { state: 'RUNNING' }],
  [{ status: 'ended' }, { state: 'ENDED' }],
  [{ executionState: { phase: 'Execution', state: 'archiving' } }, { state: 'ARCHIVING' }],
  [{ executionState: { phase: 'finished', state: 'ERROR' } }, { state: 'ERROR' }],
  [{ executionState: { phase: 'running' } }, { state: 'RUNNING' }],
  [
    { state: 'new', startTime: 1, endTime: 2 },
    { state: 'NEW', startTime: 1, endTime: 2 },
  ],
  [
    { executionState: { startTime: 5, endTime: '7' }, startTime: 1, endTime: 2 },
    { startTime: 5, endTime: 7 },
  ],
  [{ startTime: 0, endTime: -1 }, {}],
  [{ startTime: 8.65e15, endTime: 'soon' }, {}],
  [{ startTime: 5, endTime: '9999-12-31T23:59:59Z' }, { startTime: 5 }],
  [{ startTime: '1970-01-01T00:00:01Z', endTime: '' }, { startTime: 1000 }],
  [
    { startTime: '1970-01-02T00:00:01', endTime: '1970-01-02 00:01' },
    { startTime: 86_401_000, endTime: 86_460_000 },
  ],
  [
    { startTime: '1970-01-02T00:00:01+01:00', endTime: '1970-01-02 00:01:00.5' },
    { startTime: 82_801_000, endTime: 86_460_500 },
  ],
  [{ reason: 'a', message: 'b', errorMessage: 'c' }, { reason: 'a' }],
  [{ message: 'b', errorMessage: 'c' }, { reason: 'b' }],
  [{ errorMessage: 'c' }, { reason: 'c' }],
  [{ executionEnvironment: '9.x' }, { environment: '9.x' }],
  [{ executionEnvironment: { version: '9.1', name: 'n', id: 'i' } }, { environment: '9.1' }],
  [{ executionEnvironment: { name: 'n', id: 'i' } }, { environment: 'n' }],
  [{ executionEnvironment: { id: 'i' } }, { environment: 'i' }],
  [{ revision: 'a', executionState: { revision: 'b' }, source: { revision: 'c' } }, { revision: 'a' }],
  [{ executionState: { revision: 'b' }, source: { revision: 'c' } }, { revision: 'b' }],
  [{ source: { revision: 'c' } }, { revision: 'c' }],
  [{ revision: { hash: 'c' } }, {}],
])('%j says %j', (record, due) => {
  expect(read({ index: 8, ...record })).toEqual({ number: 8, ...due })
})

test.each<[object, object]>([
  [{ codeArchiveId: 'ca-1' }, { archiveId: 'ca-1' }],
  [{ codeArchiveId: 7 }, { archiveId: '7' }],
  [{ codeArchiveId: 1.5 }, {}],
  [{ codeArchiveId: 'a/b' }, {}],
  [{ codeArchive: 'ca-1' }, { archiveId: 'ca-1' }],
  [{ codeArchive: { id: 'ca-1' } }, { archiveId: 'ca-1' }],
  [{ codeArchive: { codeArchiveId: 'ca-1', id: 'x' } }, { archiveId: 'ca-1' }],
  [{ codeArchiveId: 'ca-1', codeArchive: { id: 'x' } }, { archiveId: 'ca-1' }],
  [{ source: { codeArchiveId: 'ca-1' }, codeArchiveId: 'x' }, { archiveId: 'ca-1' }],
  [{ codeArchive: 'latest' }, { useLatest: true }],
  [{ codeArchive: 'Use Latest' }, { useLatest: true }],
  [{ codeArchive: 'the-latest' }, { archiveId: 'the-latest' }],
  [{ codeArchive: 'latest-1' }, { archiveId: 'latest-1' }],
  [
    { useLatest: true, codeArchiveId: 'ca-1' },
    { useLatest: true, archiveId: 'ca-1' },
  ],
  [{ useLatest: false, codeArchive: { useLatest: true } }, { useLatest: false }],
  [{ codeArchive: { useLatest: true } }, { useLatest: true }],
  [{ source: { useLatest: true }, useLatest: false }, { useLatest: true }],
  [{ useLatest: 'yes' }, {}],
  [{ codeArchiveEnabled: false }, { archiveEnabled: false }],
  [{ codeArchive: { enabled: false } }, { archiveEnabled: false }],
  [{ codeArchiveEnabled: true, codeArchive: { enabled: false } }, { archiveEnabled: true }],
  [{ source: { codeArchiveEnabled: true } }, { archiveEnabled: true }],
  [{ enabled: false, source: { enabled: false } }, {}],
])('the setting %j is %j', (record, due) => {
  expect(read({ index: 8, ...record })).toEqual({ number: 8, ...due })
})

const long = `https://x.test/${'a'.repeat(2000 - 15)}`
test.each<[object, string | undefined]>([
  [{ url: 'https://x.test/8' }, 'https://x.test/8'],
  [{ url: '/8' }, 'https://x.test/8'],
  [{ webUrl: '/8' }, 'https://x.test/8'],
  [{ link: '/8' }, 'https://x.test/8'],
  [{ links: { web: '/8' } }, 'https://x.test/8'],
  [{ links: { html: '/8' } }, 'https://x.test/8'],
  [{ url: 'https://other.test/8', webUrl: '/9' }, 'https://x.test/9'],
  [{ url: 'http://x.test/8' }, undefined],
  [{ url: 'https://me@x.test/8' }, undefined],
  [{ url: '/public/api/v1/8' }, undefined],
  [{ url: 'https://' }, undefined],
  [{ url: 7 }, undefined],
  [{ url: long }, long],
  [{ url: `${long}a` }, undefined],
])('the page in %j', (record, page) => {
  expect(read({ index: 8, ...record }).page).toBe(page)
})

test.each<[object, object]>([
  [{ reports: [{ number: 1, label: 'a' }, 2] }, { reports: [{ number: 1, label: 'a' }, { number: 2 }] }],
  [{ results: [{ resultNumber: 3 }, { index: 4 }] }, { results: [{ number: 3 }, { number: 4 }] }],
  [{ reports: [], results: 'none' }, {}],
  [{ reports: [{ id: 'x' }], otherReports: [1] }, {}],
  [{ Load_Test_Reports: [1], reports: null }, { reports: [{ number: 1 }] }],
  [{ testResults: [1], loadTestResults: [2] }, { results: [{ number: 1 }] }],
  [{ loadTestReports: [2], reports: [1] }, { reports: [{ number: 1 }] }],
])('the lists in %j are %j', (record, due) => {
  expect(read({ index: 8, ...record })).toEqual({ number: 8, ...due })
})

test.each([
  [undefined, 1],
  [[], 1],
  [[{ number: 2 }, { number: 5 }, { number: 3 }], 5],
])('the final one of %j is number %i', (list, number) => {
  expect(latest(list).number).toBe(number)
})

test('a token comes with how long it is valid, and for which scopes', () => {
  expect(readToken(details(8), { access_token: 't' })).toEqual({ token: 't' })
  expect(readToken(details(8), { access_token: 't', expires_in: 60, scope: 'A, B C' })).toEqual({
    ...{ token: 't', seconds: 60, scopes: ['A', 'B', 'C'] },
  })
  for (const answer of [null, {}, { access_token: '' }, { access_token: 7 }, { access_token: 'a\nb' }])
    expect(() => readToken(details(8), answer)).toThrow('contains no access_token')
})

test.each<[unknown, string | undefined]>([
  [{ id: 'ca-1' }, 'ca-1'],
  [{ codeArchiveId: 'ca-1' }, 'ca-1'],
  [{ index: 7 }, '7'],
  [{ id: 'ca-1', codeArchiveId: 'x' }, 'ca-1'],
  [{ data: { codeArchive: { id: 'ca-1' }, id: 'x' } }, 'ca-1'],
  ['ca-1', 'ca-1'],
  [{}, undefined],
  [null, undefined],
])('an upload that was answered with %j has the id %s', (answer, id) => {
  expect(readArchiveId(upload(), answer)).toBe(id)
})

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

const latin1 = Buffer.from([0xe9])
test.each<[string, Buffer, string]>([
  ['text/plain; charset=iso-8859-1', latin1, 'é'],
  ['text/plain; Charset="ISO-8859-1"', latin1, 'é'],
  ['text/plain; charset="utf-16"', Buffer.from('\ufeffé', 'utf16le'), 'é'],
  ['text/plain', Buffer.from('\ufeffé'), 'é'],
  ['text/plain', latin1, '\ufffd'],
  ['text/plain; charset=none-such', latin1, '\ufffd'],
])('of %s the bytes %j are %s', async (type, bytes, text) => {
  const body = arrived(bytes)
  const { list } = operations({ organization: 'o', project: 'p' })
  expect(await readText(list(), { ...answer(200, { 'content-type': type }), body })).toBe(text)
})
