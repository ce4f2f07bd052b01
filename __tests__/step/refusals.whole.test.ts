import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

test('an archive above the limit is sent, with a warning that names its largest files', async () => {
  writeFileSync(path.join(sandbox.workspace, 'noise.bin'), randomBytes(101_000_000))
  const ran = await sandbox.run()
  expect(ran.outputs['verdict']).toBe('passed')
  const warnings = ran.annotations.filter(({ kind }) => kind === 'warning').map(({ message }) => message)
  expect(warnings.join('\n')).toMatch(/100(\.0)? MB[\s\S]*noise\.bin/)
  expect(sandbox.service.books.starts).toHaveLength(1)
})
