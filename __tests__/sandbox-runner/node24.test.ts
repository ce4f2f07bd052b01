import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Machine, node24, otherNode } from '../../sandbox/runner/node24.js'

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

test('the Node of this machine is version 24 or later, or another is told', () => {
  const version = execFileSync(node24(), ['--version'], { encoding: 'utf8' })
  expect(Number.parseInt(version.slice(1), 10) < 24).toBe(otherNode() !== undefined)
})

test.each(['24.0.0', '26.1.0'])('a process on %s uses its own Node', (version) => {
  expect(node24(machine({ version }))).toBe('/here/node')
  expect(otherNode(machine({ version }))).toBeUndefined()
})

test.each([
  ['linux', 'node'],
  ['win32', 'node.exe'],
])('an older process uses the optional package of its platform: %s', async (platform, name) => {
  const folder = await mkdtemp(join(tmpdir(), 'node24-'))
  try {
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin', name), '')
    const asked: string[] = []
    const resolve = (file: string): string => {
      asked.push(file)
      return join(folder, 'package.json')
    }
    expect(node24(machine({ platform, resolve }))).toBe(join(folder, 'bin', name))
    expect(otherNode(machine({ platform, resolve }))).toBeUndefined()
    expect(new Set(asked)).toEqual(new Set([`node-${platform}-arm64/package.json`]))
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each([
  ['not installed', {}],
  ['empty', { resolve: () => join(tmpdir(), 'no-such-folder', 'package.json') }],
])('where that package is %s, an older process uses its own Node, and that is told', (_name, over) => {
  expect(node24(machine(over))).toBe('/here/node')
  expect(otherNode(machine(over))).toMatch(/on Node 20\.19\.0 here/)
})
