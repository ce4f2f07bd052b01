import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileCommandPairs } from '../../sandbox/runner/file-command.js'
import { keptPlan, readPlan, readSecrets, type KeptPlan, type Plan } from '../../src/plan.js'
import { ownFolder } from '../own-folder.js'

const begun: Plan = {
  mode: 'run',
  step: { actionVersion: '1', startedAt: '2026-11-22T10:00:00Z' },
  notes: { workflowRun: { workflowRunId: 1, repositoryOwner: 'o', repositoryName: 'r' }, stepName: 's' },
}
const before: NodeJS.ProcessEnv = { ...process.env }
const folder = ownFolder()
const file = path.join(folder, 'state')
afterEach(() => {
  process.env = { ...before }
})

/** What a step with this token keeps, and what its post step, whose inputs are empty, reads with another. */
function handedOver(keep: (plan: KeptPlan) => void, token?: string, later = token) {
  writeFileSync(file, '')
  process.env = { ...before, GITHUB_STATE: file }
  keep(keptPlan(begun, { ACTIONS_RUNTIME_TOKEN: token }))
  const text = readFileSync(file, 'utf8')
  const state = [...fileCommandPairs(text)].map(({ name, value }): [string, string] => [
    `STATE_${name}`,
    value,
  ])
  process.env = { ...before, ...Object.fromEntries(state) }
  return { text, plan: readPlan(), secrets: readSecrets({ ACTIONS_RUNTIME_TOKEN: later }) }
}

test('the post step reads what was learned last', () => {
  const { plan } = handedOver((kept) => {
    kept.learn({ run: { number: 8 }, settled: true })
    kept.learn({ run: undefined, noted: true })
  })
  expect(plan).toEqual({ ...begun, settled: true, noted: true })
})

test('without a state there is no plan', () => {
  expect(readPlan()).toBeUndefined()
})

test.each([
  ['{', 'it is not JSON'],
  ['[]', '/ does not match "type": "object"'],
  ['null', '/ does not match "type": "object"'],
  ['{}', '/ lacks mode'],
  [JSON.stringify({ ...begun, mode: 'check' }), '/mode does not match "enum"'],
  [JSON.stringify({ ...begun, step: 7 }), '/step does not match "type": "object"'],
  [
    JSON.stringify({ ...begun, step: { ...begun.step, startedAt: 'soon' } }),
    '/step/startedAt does not match',
  ],
  [JSON.stringify({ ...begun, notes: { stepName: 's' } }), '/notes lacks workflowRun'],
  [JSON.stringify({ ...begun, start: null }), '/start does not match "type": "object"'],
  [JSON.stringify({ ...begun, run: { number: '8' } }), '/run/number does not match "type": "integer"'],
  [JSON.stringify({ ...begun, run: { number: -8 } }), '/run/number does not match "minimum": 0'],
  [JSON.stringify({ ...begun, comment: { owner: 'o' } }), '/comment lacks repo'],
  [JSON.stringify({ ...begun, status: 'pending' }), '/status does not match "type": "object"'],
  [JSON.stringify({ ...begun, archive: [] }), '/archive does not match "type": "object"'],
  [JSON.stringify({ ...begun, service: { baseUrl: 'file:///etc' } }), '/service lacks project'],
])('a state that is damaged is said in a sentence: %s', (state, flaw) => {
  process.env = { ...before, STATE_plan: state }
  expect(() => readPlan()).toThrow(`the state that it has left cannot be read: ${flaw}`)
})

const both = { accessToken: 'opensesame', githubToken: 'ghs_0123456789' }
const seal = (kept: KeptPlan) => {
  kept.seal({ githubToken: both.githubToken })
  kept.seal({ accessToken: both.accessToken })
}

test('secrets are sealed, and the token for GitHub of the runner counts first', () => {
  const { text, secrets } = handedOver(seal, 'runtime token')
  expect(secrets).toEqual(both)
  for (const hidden of ['opensesame', 'ghs_', 'runtime']) expect(text).not.toContain(hidden)
  process.env['INPUT_GITHUB-TOKEN'] = 'ghs_new'
  expect(readSecrets({ ACTIONS_RUNTIME_TOKEN: 'runtime token' })).toEqual({ ...both, githubToken: 'ghs_new' })
})

test.each([
  ['of another job', 'runtime token', 'another'],
  ['that is gone', 'runtime token', ''],
  ['that never was', '', 'runtime token'],
])('with a token %s no secret is read', (_, token, later) => {
  const { text, secrets } = handedOver(seal, token, later)
  expect(secrets).toEqual({})
  expect(text).not.toContain('opensesame')
})

test.each(['AAAA', 'not base64!', 'A'.repeat(100)])(
  'a state that is damaged, %s, gives no secret',
  (sealed) => {
    process.env = { ...before, STATE_sealed: sealed }
    expect(readSecrets({ ACTIONS_RUNTIME_TOKEN: 'runtime token' })).toEqual({})
  },
)
