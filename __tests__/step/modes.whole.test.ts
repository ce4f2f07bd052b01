import type { ServiceSettings } from '../../sandbox/service/settings.js'
import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
afterEach(() => sandbox.close())

test.each<[string, Partial<ServiceSettings>]>([
  ['bare answers', { envelope: false }],
  ['runCopy by POST', { runCopyMethod: 'POST' }],
  ['a runCopy that answers with a bare number', { runCopyAnswer: 'number' }],
  ['a runCopy that answers with nothing', { runCopyAnswer: 'nothing' }],
  ['reports that are listed', { reportsField: 'reports' }],
  ['reports that are not listed', { reportsField: '' }],
  ['a report that comes late', { reportDelay: 1 }],
  ['a ZIP report', { reportFormat: 'zip' }],
])('what the interface does not show: %s', async (_, settings) => {
  sandbox = await startSandbox(settings)
  const ran = await sandbox.run()
  expect(ran.outputs['verdict']).toBe('passed')
  expect(sandbox.service.books.starts).toHaveLength(1)
  expect(ran.outputs['run-number']).toBe(String(sandbox.service.books.starts[0]?.number))
})
