import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '../../sandbox/engine/child.js'

const folder = mkdtempSync(path.join(tmpdir(), 'child-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('once a program has ended, its log has everything that it printed', async () => {
  const log = path.join(folder, 'log')
  const lines = 'yes "a line of a build" | head -n 500000'
  const env = { PATH: process.env['PATH'] ?? '' }
  const command = { program: 'sh', args: ['-c', lines], cwd: folder, env, log }
  const { code } = await run(command, { signal: new AbortController().signal })
  const { size } = statSync(log)
  expect([code, size]).toEqual([0, 500_000 * 'a line of a build\n'.length])
})
