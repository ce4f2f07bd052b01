import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '../../src/service/operations.js'
import { broken, routeAdvice, transport } from '../../src/service/transport.js'

const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy']
const before = names.map((name) => [name, process.env[name]] as const)
beforeEach(() => {
  for (const name of names) Reflect.deleteProperty(process.env, name)
})
afterAll(() => {
  for (const [name, value] of before) if (value !== undefined) process.env[name] = value
})

const url = new URL('https://loadtest.example.com/public')

test('a way without a proxy', () => {
  expect(routeAdvice(url)).toBe(
    'Check the spelling of loadtest.example.com in base-url. If this network needs a proxy, name it in HTTPS_PROXY.',
  )
})

test.each(['http://127.0.0.1:8080', 'https://[::1]:8443'])('nothing listens at %s', (address) => {
  const gone = new URL(address)
  const advice = `Nothing listens at ${gone.host}: check the address and the port in base-url.`
  expect(routeAdvice(gone, 'ECONNREFUSED')).toBe(advice)
  expect(routeAdvice(gone, 'EHOSTUNREACH')).toContain('Check the spelling')
  expect(routeAdvice(url, 'ECONNREFUSED')).toContain('Check the spelling')
})

test('a way through a proxy, whose password is not shown', () => {
  process.env.HTTPS_PROXY = 'http://user:secret@proxy.example.com:3128'
  expect(routeAdvice(url)).toBe(
    'The request to loadtest.example.com goes through the proxy proxy.example.com:3128 of HTTPS_PROXY: check both, or name loadtest.example.com in NO_PROXY.',
  )
})

test('a way that NO_PROXY keeps from the proxy', () => {
  process.env.HTTPS_PROXY = 'http://proxy.example.com:3128'
  process.env.no_proxy = 'other.example.com,.example.com'
  expect(routeAdvice(url)).toBe(
    'The request to loadtest.example.com bypasses the proxy of HTTPS_PROXY, because NO_PROXY names it: check base-url.',
  )
})

test('a proxy that refuses is reported, and nothing was executed', async () => {
  const proxy = createServer()
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const { port } = proxy.address() as AddressInfo
  process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`
  const runCopy = operations({ organization: 'o', project: 'p' }).runCopy(1)
  try {
    await expect(transport(url.origin, 'load-test-action')(runCopy, { timeout: 5000 })).rejects.toMatchObject(
      {
        message: expect.stringMatching(
          /^Starting a copy of load test 1 failed: the service could not be reached \(tunneling .*407\)\. The request to loadtest\.example\.com goes through the proxy 127\.0\.0\.1:\d+ of HTTPS_PROXY/,
        ) as string,
        facts: { executed: 'no' },
      },
    )
  } finally {
    proxy.close()
  }
})

test('an unknown name is named', async () => {
  const details = operations({ organization: 'o', project: 'p' }).details(1)
  await expect(
    transport('https://nowhere.invalid', 'load-test-action')(details, { timeout: 20_000 }),
  ).rejects.toThrow(
    /the service could not be reached \(.*nowhere\.invalid\)\. Check the spelling of nowhere\.invalid in base-url/,
  )
})

test('what ENOTFOUND means is said in words', () => {
  const details = operations({ organization: 'o', project: 'p' }).details(1)
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.invalid'), { code: 'ENOTFOUND' })
  expect(broken(details, error, new URL('https://nowhere.invalid')).message).toContain(
    'the service could not be reached (no host has this name: getaddrinfo ENOTFOUND nowhere.invalid). Check the spelling of nowhere.invalid',
  )
})
