import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileCommandPairs } from '../../sandbox/runner/file-command.js'
import { runnerFaults } from '../../src/runner.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()
const file = path.join(folder, 'output')
writeFileSync(file, '')
const before: NodeJS.ProcessEnv = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

type Case = [NodeJS.ProcessEnv, string | undefined]

const full: Case = [{ GITHUB_OUTPUT: '/dev/full' }, 'GITHUB_OUTPUT names a file that cannot be written: ']

test.each<Case>([
  [{}, undefined],
  [{ GITHUB_OUTPUT: '', GITHUB_API_URL: '', HTTPS_PROXY: '' }, undefined],
  [{ GITHUB_OUTPUT: file, GITHUB_STATE: file, GITHUB_STEP_SUMMARY: file }, undefined],
  [{ GITHUB_OUTPUT: folder }, 'GITHUB_OUTPUT names a file that cannot be written: '],
  [{ GITHUB_STATE: `${file}-gone` }, 'GITHUB_STATE names a file that cannot be written: '],
  [{ GITHUB_STEP_SUMMARY: '/dev/null/x' }, 'GITHUB_STEP_SUMMARY names a file that cannot be written: '],
  ...(existsSync('/dev/full') ? [full] : []),
  [{ GITHUB_API_URL: 'https://ghe.example/api/v3', GITHUB_SERVER_URL: 'http://127.0.0.1:8080' }, undefined],
  [{ GITHUB_API_URL: 'api.github.com' }, 'GITHUB_API_URL must be an address that begins with http'],
  [{ GITHUB_SERVER_URL: 'ftp://github.com' }, 'GITHUB_SERVER_URL must be an address'],
  [{ ACTIONS_RESULTS_URL: 'https://' }, 'ACTIONS_RESULTS_URL must be an address'],
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
  expect(readFileSync(file, 'utf8')).toBe('')
})

test('a value that does not fit on the disk leaves the file of the runner as it was', () => {
  // In a program of its own, which may write no file that is longer than 260 bytes.
  const program = `
    import { execFileSync } from 'node:child_process'
    import { putOutput, saveState } from './src/runner.ts'
    putOutput('gates', 'a')
    saveState('plan', 'b')
    execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=260:'])
    const faults = [() => putOutput('gates', 'x'.repeat(100)), () => saveState('plan', 'y'.repeat(100))].map((write) => {
      try { write() } catch (error) { return error.code }
    })
    putOutput('gates', 'c')
    saveState('plan', 'd')
    console.log(faults.join())`
  const files = ['output', 'state'].map((name) => path.join(folder, name))
  for (const name of files) writeFileSync(name, '')
  const env = { ...before, GITHUB_OUTPUT: files[0], GITHUB_STATE: files[1] }
  const told = execFileSync('node', ['--import', 'tsx', '--input-type=module', '--eval', program], { env })
  expect(told.toString()).toBe('EFBIG,EFBIG\n')
  const kept = files.map((name) =>
    [...fileCommandPairs(readFileSync(name, 'utf8'))].map(({ value }) => value),
  )
  expect(kept).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
})
