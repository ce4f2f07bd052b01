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
  [{ GITHUB_OUTPUT: '' }, undefined],
  [{ GITHUB_OUTPUT: file, GITHUB_STATE: file, GITHUB_STEP_SUMMARY: file }, undefined],
  [{ GITHUB_OUTPUT: folder }, 'GITHUB_OUTPUT names a file that cannot be written: '],
  [{ GITHUB_STATE: `${file}-gone` }, 'GITHUB_STATE names a file that cannot be written: '],
  [{ GITHUB_STEP_SUMMARY: '/dev/null/x' }, 'GITHUB_STEP_SUMMARY names a file that cannot be written: '],
  ...(existsSync('/dev/full') ? [full] : []),
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
