import { readBaseUrl } from '../../src/service/address.js'

test.each([
  ['https://loadtest.example.com', 'https://loadtest.example.com'],
  ['https://loadtest.example.com/', 'https://loadtest.example.com'],
  ['https://example.com:8443/lt/', 'https://example.com:8443/lt'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
])('%s is accepted', (text, url) => {
  expect(readBaseUrl(text)).toEqual({ url })
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
  ['https://example.com/#a', 'from ? or # on'],
  ['https://example.com/?a=b', 'from ? or # on'],
  ['https://example.com/?', 'from ? or # on'],
])('%s is refused', (text, sentence) => {
  const read = readBaseUrl(text)
  expect('fault' in read && read.fault).toContain(sentence)
  expect('fault' in read && read.fault).not.toContain('secret@')
})
