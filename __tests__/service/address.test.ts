import { readBaseUrl } from '../../src/service/project.js'

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
