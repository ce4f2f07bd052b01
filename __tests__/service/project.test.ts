import { hasEnded, isBuilt, phaseOf, readBaseUrl, type Phase } from '../../src/service/project.js'

/** Whether a load test in this state has ended, and whether it is built, without and with an end time. */
const rows: [string | undefined, Phase, [boolean, boolean], [boolean, boolean]][] = [
  ['NEW', 'preparing', [false, false], [false, false]],
  ['SCHEDULED', 'preparing', [false, false], [false, false]],
  ['STARTING', 'preparing', [false, false], [false, false]],
  ['PROVISIONING', 'preparing', [false, false], [false, false]],
  ['RUNNING', 'running', [false, false], [true, true]],
  ['STOPPING', 'ending', [false, false], [true, true]],
  ['DEPROVISIONING', 'ending', [false, false], [true, true]],
  ['FINISHED', 'finished', [true, true], [true, true]],
  ['ABORTED', 'aborted', [true, true], [true, true]],
  ['ERROR', 'error', [true, true], [true, true]],
  // A state that nobody knows does not end a run, and an end time does.
  ['PAUSED', 'unknown', [false, true], [false, true]],
  ['finished', 'unknown', [false, true], [false, true]],
  ['toString', 'unknown', [false, true], [false, true]],
  ['', 'unknown', [false, true], [false, true]],
  [undefined, 'unknown', [false, true], [false, true]],
]

test.each(rows)('%s is %s; has ended: %j; is built: %j', (state, phase, ended, built) => {
  const test = state === undefined ? {} : { state }
  const both = [test, { ...test, endTime: 1_795_000_000_000 }]
  expect(phaseOf(state)).toBe(phase)
  expect(both.map(hasEnded)).toEqual(ended)
  expect(both.map(isBuilt)).toEqual(built)
  // As an outcome has it.
  expect(hasEnded({ ...test, endTime: '2026-11-22T10:00:00Z' })).toBe(ended[1])
})

const demo = { organization: 'demo-org', project: 'webshop' }

test.each([
  ['https://loadtest.example.com', 'https://loadtest.example.com'],
  ['https://loadtest.example.com/', 'https://loadtest.example.com'],
  ['https://example.com:8443/lt/', 'https://example.com:8443/lt'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['https://example.com/api/projects', 'https://example.com/api/projects'],
])('%s is accepted', (text, url) => {
  expect(readBaseUrl(text, demo)).toEqual({ url })
})

test.each([
  ['loadtest.example.com', 'not an address'],
  ['https://user:secret@example.com', 'user or password'],
  ['https://user@example.com', 'user or password'],
  ['http://example.com', 'must start with https://'],
  ['http://127.0.0.1.example.com', 'must start with https://'],
  ['http://localhost.example.com', 'must start with https://'],
  ['ftp://example.com', 'must start with https://, such as'],
  ['file:///etc/passwd', 'must start with https://, such as'],
  ['javascript:alert(1)', 'must start with https://'],
  ['https://example.com/#/demo-org/webshop', 'write https://example.com'],
  ['https://example.com/lt/?a=b', 'write https://example.com/lt'],
  ['https://example.com/?', 'write https://example.com'],
  ['https://example.com/public/api/v2', 'write https://example.com'],
  ['https://example.com/lt/public/api/v1/orgs/demo-org', 'write https://example.com/lt'],
  ['https://example.com/oauth/token', 'write https://example.com'],
  ['https://example.com/lt/demo-org/webshop/load-tests/7', 'write https://example.com/lt'],
  ['https://example.com/orgs/acme', 'write https://example.com'],
])('%s is refused', (text, sentence) => {
  const read = readBaseUrl(text, demo)
  expect('fault' in read && read.fault).toContain(sentence)
  expect('fault' in read && read.fault).not.toContain('secret@')
})
