import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '../../sandbox/engine/child.js'

const folder = mkdtempSync(path.join(tmpdir(), 'child-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('once a program has ended, its log has everything that it printed', async () => {
  const env = { PATH: process.env['PATH'] ?? '' }
  const { signal } = new AbortController()
  // The last line of a short program was missing once in twenty runs.
  for (let count = 0; count < 15; count++) {
    const log = path.join(folder, String(count))
    await run({ program: 'sh', args: ['-c', 'echo one; echo two'], cwd: folder, env, log }, { signal })
    expect(readFileSync(log, 'utf8')).toBe('one\ntwo\n')
  }
})
