import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileCommandPairs } from '../../sandbox/runner/file-command.js'
import { keepInputs, keptInputs } from '../../src/github/job/kept-inputs.js'

const given = {
  'base-url': 'https://loadtest.example.com',
  'client-secret': 'opensesame & more',
  'github-token': 'ghs_0123456789',
  properties: 'shop.password = hidden',
}
const before: NodeJS.ProcessEnv = { ...process.env }
const folder = mkdtempSync(path.join(tmpdir(), 'state-'))
const file = path.join(folder, 'state')
afterEach(() => {
  process.env = { ...before }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a step with this token keeps, and what its post step, whose inputs are empty, reads with another. */
function handedOver(token: string | undefined, later: string | undefined) {
  writeFileSync(file, '')
  const inputs = Object.entries(given).map(([name, value]): [string, string] => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ])
  process.env = { ...before, ...Object.fromEntries(inputs), GITHUB_STATE: file }
  keepInputs({ ACTIONS_RUNTIME_TOKEN: token })
  const text = readFileSync(file, 'utf8')
  const state = [...fileCommandPairs(text)].map(({ name, value }): [string, string] => [
    `STATE_${name}`,
    value,
  ])
  process.env = { ...before, ...Object.fromEntries(state) }
  const get = keptInputs({ ACTIONS_RUNTIME_TOKEN: later })
  return { text, read: Object.keys(given).map((name) => get(name)) }
}

test('the post step reads what was kept; secrets are sealed, and free text is not kept', () => {
  const { text, read } = handedOver('runtime token', 'runtime token')
  expect(read).toEqual([given['base-url'], given['client-secret'], given['github-token'], ''])
  for (const hidden of ['opensesame', 'ghs_', 'hidden', 'runtime']) expect(text).not.toContain(hidden)
})

test.each([
  ['of another job', 'runtime token', 'another'],
  ['that is gone', 'runtime token', undefined],
  ['that never was', undefined, 'runtime token'],
])('with a token %s no secret is read', (_, token, later) => {
  const { text, read } = handedOver(token, later)
  expect(read).toEqual([given['base-url'], '', '', ''])
  expect(text).not.toContain('opensesame')
})

test.each(['AAAA', 'not base64!', 'A'.repeat(100)])(
  'a state that is damaged, %s, gives no secret',
  (sealed) => {
    process.env = { ...before, STATE_inputs: '{', 'STATE_sealed-inputs': sealed, INPUT_MODE: 'run' }
    const get = keptInputs({ ACTIONS_RUNTIME_TOKEN: 'runtime token' })
    expect([get('client-secret'), get('mode')]).toEqual(['', 'run'])
  },
)
