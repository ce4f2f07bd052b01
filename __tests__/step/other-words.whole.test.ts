import { cpSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pastOutcomes } from '../../bench/corpora/past.js'
import { green, leg, missingLeg, regression } from '../publish/outcomes.js'
import { otherWords } from './other-words.js'
import { contentOf } from './published.js'
import { startSandbox, type Ran, type RunOptions, type Sandbox } from './sandbox.js'
import { fast, inputs as confirming, onPull } from './second-looks.js'
import { until } from './several-steps.js'

/*
 * Facts are values, not English: with another letter in each text of src that people read, every step decides, asks
 * and reports the same.
 */

let other: Awaited<ReturnType<typeof otherWords>>
beforeAll(async () => {
  other = await otherWords()
})
afterAll(() => rmSync(other.folder, { recursive: true, force: true }))

const label = 'accepted-regression'
const head = 'c'.repeat(40)
const onBranch = {
  machineEnv: { GITHUB_WORKFLOW_REF: 'sandbox/project/.github/workflows/load-test.yml@refs/heads/main' },
}

/** What a step does in a sandbox of its own; `of` names the folder of an action. */
type Scene = (sandbox: Sandbox, of: (name?: string) => RunOptions) => Promise<Ran>

const report = 'results/10.0.0-beta-1'
const judging = (inputs: Record<string, string>, job: RunOptions['job'] = {}): Scene => {
  return async (sandbox, of) => {
    const folder = path.join(sandbox.workspace, report)
    mkdirSync(path.dirname(folder), { recursive: true })
    cpSync('__tests__/engine/golden/10.0.0-beta-1/normal', folder, { recursive: true })
    return sandbox.runOwn('judge', { report, ...inputs }, { job, ...of('judge') })
  }
}
const running = (
  inputs: Record<string, string>,
  more: RunOptions = {},
  prepare: (sandbox: Sandbox) => void = () => undefined,
): Scene => {
  return async (sandbox, of) => {
    prepare(sandbox)
    return sandbox.run(inputs, { job: onPull, withPost: true, ...more, ...of() })
  }
}

const mimeType = 'application/json'
const attachLegs = async ({ github, runId }: Sandbox, legs: ReturnType<typeof leg>[]) => {
  for (const { name, outcome } of legs) {
    const bytes = JSON.stringify(outcome ?? 'not one')
    await github.seed.artifact({ runId: runId + 1, name: `load-test-${name}-outcome.json`, bytes, mimeType })
  }
}

const scenes: [string, Scene][] = [
  ['a run that passes', running({ gates: 'requests p95 <= 100 s', status: 'true' })],
  ['a run with nothing to be judged by', running({})],
  ['a gate that fails', running({ gates: 'requests p95 <= 1 ms', status: 'true' })],
  ['a gate that warns', running({ gates: 'warn: request "*" p95 <= 1 ms' })],
  ['a gate on nothing', running({ gates: 'request "Nowhere" p95 <= 1 s' })],
  ['wrong inputs', running({ gates: 'request p95 <= 1 s', timeout: 'soon', 'pol-interval': '1s' })],
  ['credentials that are refused', running({ 'client-secret': 'another-secret' })],
  [
    'a run that ends badly',
    running({ timeout: '5s' }, {}, ({ service }) => {
      Object.assign(service.settings, { ends: 'ERROR' })
    }),
  ],
  [
    'results that cannot be read',
    running(
      {
        results: 'true',
        gates: 'requests p95 <= 1 ms',
        confirm: 'true',
        baseline: 'load-test:9',
      },
      {},
      ({ service }) => {
        service.settings.faults.push({
          operation: 'result',
          times: 'always',
          fault: { kind: 'status', status: 403 },
        })
      },
    ),
  ],
  ['a start that is not waited for', running({ mode: 'start' })],
  [
    'a run that is collected',
    async (sandbox, of) => {
      await sandbox.run({ mode: 'start' }, of())
      const [{ number } = { number: 0 }] = sandbox.service.books.starts
      return sandbox.run({ mode: 'collect', 'run-number': String(number) }, of())
    },
  ],
  ['a check', running({ mode: 'check', gates: 'requests p95 <= 1 s' })],
  ['a check that finds something', running({ mode: 'check', 'load-test': '99', comment: 'always' })],
  [
    'a first run of main',
    async (sandbox, of) =>
      sandbox.run(
        { baseline: 'artifact', gates: 'requests p95 <= baseline + 20%' },
        { job: onBranch, ...of() },
      ),
  ],
  [
    'a second run that confirms',
    running(confirming, {}, ({ service }) => {
      Object.assign(service.settings, { slowdown: 1.6 })
    }),
  ],
  [
    'a second run that does not',
    running(confirming, {}, ({ service }) => {
      Object.assign(service.settings, { slowdown: 1.6 })
      void until(() => service.books.starts.length > 0).then(() => Object.assign(service.settings, fast))
    }),
  ],
  [
    'a second run that ends badly',
    running({ ...confirming, timeout: '5s' }, {}, ({ service }) => {
      Object.assign(service.settings, { slowdown: 1.6 })
      void until(() => service.books.starts.length > 0).then(() =>
        Object.assign(service.settings, fast, { ends: 'ERROR' }),
      )
    }),
  ],
  ['a report that is judged', judging({ gates: 'request "*" p95 <= 1 ms\nxpath(1) = 1\nscorecard passes' })],
  ['a report that is not there', judging({ report: 'nowhere' })],
  [
    'a failure that a label accepts',
    async (sandbox, of) => {
      const { seed } = sandbox.github
      seed.role('olga', 'maintain')
      seed.pull({ number: 7, head: { branch: 'faster', commit: head, repository: 'sandbox/project' } })
      seed.push({ branch: 'faster', commit: head, at: new Date(Date.UTC(2026, 10, 22, 10, 0)) })
      seed.label(7, label, 'olga', { at: new Date(Date.UTC(2026, 10, 22, 10, 5)) })
      const pull = { number: 7, head: { sha: head, ref: 'faster' }, base: { ref: 'main' } }
      const event = { action: 'labeled', label: { name: label }, pull_request: pull }
      const job = { github: { eventName: 'pull_request', event } }
      return judging({ gates: 'requests p95 <= 1 ms', accept: label }, job)(sandbox, of)
    },
  ],
  [
    'legs that are merged',
    async (sandbox, of) => {
      await attachLegs(sandbox, [leg('checkout', regression()), leg('search', green()), missingLeg('login')])
      return sandbox.runOwn('merge', {}, of('merge'))
    },
  ],
  [
    'a history with gates',
    async (sandbox, of) => {
      const timers = { requests: 3, actions: 1, transactions: 1 }
      const slower = (run: number) => (run === 4 ? 3 : 1)
      const { github } = sandbox
      for (const [run, bytes] of [...pastOutcomes({ runs: 6, timers, seed: 1, slower })].entries()) {
        github.seed.run({ id: 40 + run })
        await github.seed.artifact({ runId: 40 + run, name: 'load-test-outcome.json', bytes, mimeType })
      }
      const gates = 'request "*" mean <= baseline + 20%\nxpath(1) = 1'
      return sandbox.runOwn('history', { gates }, { job: onBranch, ...of('history') })
    },
  ],
]

test('src has more than a thousand such texts', () => expect(other.changed).toBeGreaterThan(1000))

test.each(scenes)('%s', async (_, scene) => {
  expect(await told(scene, other.folder)).toEqual(await told(scene, process.cwd()))
})

async function told(scene: Scene, folder: string) {
  const sandbox = await startSandbox()
  try {
    const of = (name = ''): RunOptions => ({ step: { action: path.join(folder, name) } })
    return factsOf(await scene(sandbox, of), sandbox)
  } finally {
    await sandbox.close()
  }
}

/** All that a program could see of a step. */
function factsOf(ran: Ran, { service, github, runId }: Sandbox) {
  const outcome = github.store.artifact('load-test-outcome.json', runId)?.path
  return {
    end: [ran.conclusion, ran.exitCode, ran.outputs['verdict'], ran.outputs['run-number']],
    outputs: Object.keys(ran.outputs).sort(),
    lists: ['gates', 'metrics', 'acceptance'].map((name) => shapeOf(JSON.parse(ran.outputs[name] || 'null'))),
    outcome: outcome === undefined ? undefined : shapeOf(JSON.parse(contentOf({ path: outcome }))),
    annotations: ran.annotations.map(({ kind, file, line }) => [kind, file, line]),
    icon: /^## (\S+)/.exec(ran.summary)?.[1],
    starts: service.books.starts.length,
    asked: [
      ...new Set(
        service.books.requests.map(({ operation, method, status }) => [operation, method, status].join(' ')),
      ),
    ].sort(),
    told: [
      ...new Set(
        github.store.requests.map(
          ({ method, url }) =>
            `${method} ${url.replace(/\?.*|(?<=productionresults).*/, '').replace(/\d{4,}/g, '0')}`,
        ),
      ),
    ].sort(),
    statuses: github.store.statuses.map(({ state, context }) => [state, context]),
    comments: github.store.commentsOf(7).map(({ body }) => body.trimEnd().split('\n').at(-1)),
    artifacts: github.store
      .artifactsOf(runId)
      .map(({ name }) => name.replace(/-[0-9a-f]{12}(?=\.|-told)/, ''))
      .sort(),
  }
}

/** Values without sentences, and without what differs from one sandbox to the next. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return /\s/.test(value) ? 'words' : value.replace(/:\d{4,5}\//, '/')
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !inTime.has(key))
  return Object.fromEntries(kept.map(([key, held]) => [key, shapeOf(held)]))
}
const inTime = new Set([
  'seconds',
  'startedAt',
  'startTime',
  'endTime',
  'path',
  'durationSeconds',
  'bytes',
  'sha512',
])
