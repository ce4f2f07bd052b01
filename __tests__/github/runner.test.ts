import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runnerFaults } from '../../src/runner.js'

const folder = mkdtempSync(path.join(tmpdir(), 'runner-'))
const file = path.join(folder, 'output')
writeFileSync(file, '')
const before: NodeJS.ProcessEnv = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each<[NodeJS.ProcessEnv, string | undefined]>([
  [{}, undefined],
  [{ GITHUB_OUTPUT: '', GITHUB_API_URL: '', HTTPS_PROXY: '' }, undefined],
  [{ GITHUB_OUTPUT: file, GITHUB_STATE: file, GITHUB_STEP_SUMMARY: file }, undefined],
  [{ GITHUB_OUTPUT: folder }, 'GITHUB_OUTPUT names a file that cannot be written: '],
  [{ GITHUB_STATE: `${file}-gone` }, 'GITHUB_STATE names a file that cannot be written: '],
  [{ GITHUB_STEP_SUMMARY: '/dev/null/x' }, 'GITHUB_STEP_SUMMARY names a file that cannot be written: '],
  [{ GITHUB_API_URL: 'https://ghe.example/api/v3', GITHUB_SERVER_URL: 'http://127.0.0.1:8080' }, undefined],
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, undefined],
  [{ HTTPS_PROXY: '127.0.0.1:3128' }, undefined],
  [{ https_proxy: 'proxy.example:3128' }, 'The proxy for GitHub has an address that cannot be used'],
  [{ HTTPS_PROXY: 'not an address' }, 'The proxy for GitHub has an address that cannot be used'],
  [
    { HTTP_PROXY: 'not an address', GITHUB_API_URL: 'http://ghe.example' },
    'The proxy for GitHub has an address that cannot be used',
  ],
  [{ HTTP_PROXY: 'not an address' }, undefined],
  [{ HTTPS_PROXY: 'not an address', NO_PROXY: 'api.github.com' }, undefined],
])('of %j: %s', (env, sentence) => {
  process.env = { ...env }
  const faults = runnerFaults(env)
  expect(faults).toEqual(sentence === undefined ? [] : [expect.stringContaining(sentence)])
})
