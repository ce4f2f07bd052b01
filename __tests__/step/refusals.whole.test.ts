import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

test('an archive above the limit is refused before the first request, with its largest files', async () => {
  writeFileSync(path.join(sandbox.workspace, 'noise.bin'), randomBytes(101_000_000))
  const ran = await sandbox.run()
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
  expect(errors.join('\n')).toMatch(/100(\.0)? MB[\s\S]*noise\.bin/)
  expect(ran.summary).toMatch(/^## ❌ Load test: error\. /)
  expect(ran.outputs['outcome']).toMatch(/outcome\.json$/)
  expect(ran.outputs['run-number']).toBeUndefined()
  expect(sandbox.service.books.requests).toEqual([])
})
