import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { ConcurrencyGroups } from '../../sandbox/runner/concurrency-groups.js'
import {
  runAgain,
  runWorkflow,
  type WorkflowResult,
  type WorkflowWorld,
} from '../../sandbox/runner/workflow.js'
import type { WorkflowEvent } from '../../sandbox/runner/workflow-event.js'
import { Bench } from './little-action.js'
import { makeRepository } from '../repository.js'

let bench: Bench
let github: Github
let world: WorkflowWorld
beforeAll(async () => {
  bench = await Bench.open()
  github = await startGithub({ settings: { private: true } })
  const folder = path.join(bench.folder, 'origin')
  const caches = path.join(bench.folder, 'caches')
  mkdirSync(caches)
  const commit = makeRepository(folder, {
    'pom.xml': '<project/>\n',
    'docs/a.md': 'A\n',
    'src/b.ts': 'export {}\n',
  })
  commit('code', { 'src/b.ts': 'export const changed = 1\n' })
  commit('words', { 'docs/a.md': 'B\n' })
  const origin = { folder, repository: 'sandbox/project', defaultBranch: 'main' }
  world = {
    github,
    origin,
    caches,
    actions: {},
    secrets: { PASSWORD: 'opensesame' },
    vars: { COLOUR: 'green' },
  }
})
afterAll(async () => {
  await github.close()
  await bench.remove()
})

const push: WorkflowEvent = { name: 'push', branch: 'main' }
const head = 'name: Try\non: push\npermissions: {}\n'

async function run(text: string, event = push): Promise<WorkflowResult> {
  const result = await runWorkflow('try.yml', text, event, world)
  if (!result) throw new Error('It was not started.')
  return result
}
const conclusions = ({ jobs }: WorkflowResult) => jobs.map(({ name, conclusion }) => `${name}: ${conclusion}`)
const log = ({ jobs }: WorkflowResult, job = 0) => jobs[job]?.steps.map((step) => step.log).join('\n') ?? ''
/** A job with one script. */
const job = (id: string, more: string, script: string) =>
  `  ${id}:\n    runs-on: ubuntu-latest\n${more}    steps:\n      - run: ${script}\n`

test('scripts: outputs, variables, folders, conditions, tolerated failures', async () => {
  const result = await run(`${head.replace('{}', '{ contents: read }')}env:
  WHO: world
jobs:
  one:
    runs-on: ubuntu-latest
    env:
      GREETING: hello \${{ vars.COLOUR }}
    outputs:
      word: \${{ steps.say.outputs.word }}
    steps:
      - uses: actions/checkout@v7
      - id: say
        working-directory: docs
        run: |
          echo "$GREETING $WHO $(ls) \${{ secrets.PASSWORD }}"
          echo word=done >> "$GITHUB_OUTPUT"
          echo LATER=set >> "$GITHUB_ENV"
      - run: test "$LATER" = set && false | true
      - id: forgiven
        shell: bash
        continue-on-error: true
        run: false | true
      - if: steps.forgiven.outcome == 'failure' && failure()
        run: exit 1
`)
  expect(result).toMatchObject({ conclusion: 'success', jobs: [{ outputs: { word: 'done' } }] })
  expect(log(result)).toContain('hello green world a.md ***')
  expect(result.jobs[0]?.steps.map(({ outcome }) => outcome)).toEqual([
    ...['success', 'success', 'success', 'failure', 'skipped'],
  ])
  expect(github.store.run(result.runId)).toMatchObject({
    workflow: 'try.yml',
    conclusion: 'success',
    branch: 'main',
  })
})

test('events: branches, changed files, crons and inputs decide whether a workflow starts', async () => {
  const on = `name: Try
on:
  push:
    branches: [main]
  pull_request:
    branches: [main]
    paths: ['src/**']
  schedule:
    - cron: '1 2 * * *'
  workflow_dispatch:
    inputs:
      word:
        default: preset
permissions: {}
jobs:
${job('a', '', 'echo "${{ github.event_name }} ${{ inputs.word }} ${{ github.base_ref }}."')}`
  const started = async (event: WorkflowEvent) => {
    const result = await runWorkflow('try.yml', on, event, world)
    return result && log(result).split('\n').at(-1)
  }
  const pull = { name: 'pull_request', number: 3, base: 'main' } as const
  expect(await started(push)).toBe('push  .')
  expect(await started({ name: 'push', branch: 'code' })).toBeUndefined()
  expect(await started({ ...pull, branch: 'code' })).toBe('pull_request  main.')
  expect(await started({ ...pull, branch: 'words' })).toBeUndefined()
  expect(await started({ ...pull, branch: 'code', base: 'words' })).toBeUndefined()
  expect(await started({ name: 'schedule', cron: '1 2 * * *' })).toBe('schedule  .')
  expect(await started({ name: 'schedule', cron: '0 0 * * *' })).toBeUndefined()
  expect(await started({ name: 'workflow_dispatch' })).toBe('workflow_dispatch preset .')
  expect(await started({ name: 'workflow_dispatch', inputs: { word: 'given' } })).toBe(
    'workflow_dispatch given .',
  )
})

test('a pull request from a fork: the merge is checked out, without secrets', async () => {
  const text = `name: Try
on: pull_request
permissions:
  contents: write
concurrency:
  group: try-\${{ github.head_ref }}
  cancel-in-progress: true
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - run: cat src/b.ts; echo "[\${{ secrets.PASSWORD }}]"; git log --format=%s | head -1
`
  const event: WorkflowEvent = {
    name: 'pull_request',
    number: 4,
    branch: 'code',
    base: 'main',
    fork: 'some/fork',
  }
  const result = await run(text, event)
  expect(log(result)).toContain('export const changed = 1\n[]\nMerge ')
  expect(result.jobs[0]?.permissions).toEqual({ contents: 'read' })
  expect(result.concurrency).toEqual({ group: 'try-code', cancelInProgress: true, queue: 'single' })
})

test('checkout needs its permission, and jobs have a time limit', async () => {
  const denied = await run(
    `${head}jobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v7\n`,
  )
  expect(denied.conclusion).toBe('failure')
  expect(log(denied)).toContain('the job needs the permission contents: read')
  const late = await run(`${head}jobs:\n${job('a', '    timeout-minutes: 0\n', 'sleep 60')}`)
  expect(late.conclusion).toBe('cancelled')
})

test.each([
  ['max', ['success', 'success', 'success']],
  ['single', ['success', 'cancelled', 'success']],
])('runs beside each other wait for their group; with queue: %s', async (queue, ended) => {
  const beside = { ...world, groups: new ConcurrencyGroups() }
  const text = `${head}concurrency:\n  group: x\n  queue: ${queue}\njobs:\n${job('a', '', 'date +%s%N; sleep 0.1; date +%s%N')}`
  const runs = await Promise.all([1, 2, 3].map(() => runWorkflow('try.yml', text, push, beside)))
  expect(runs.map((run) => run?.conclusion)).toEqual(ended)
  const times = runs.flatMap((run) => (run ? (log(run).match(/^\d{19}$/gm) ?? []) : []))
  expect(times).toEqual(times.toSorted())
})

test('a cancelled run; and run again, a job that succeeded only if all jobs are', async () => {
  const script = 'echo "attempt ${{ github.run_attempt }}"; test ${{ github.run_attempt }} -gt 1 || sleep 60'
  const text = `${head}jobs:\n${job('good', '', 'true')}${job('bad', '', script)}${job('after', '    needs: bad\n', 'true')}`
  const cancelOn = (line: string) => line === 'attempt 1'
  const first = await runWorkflow('try.yml', text, push, { ...world, cancelOn })
  if (!first) throw new Error('It was not started.')
  expect(conclusions(first)).toEqual(['good: success', 'bad: cancelled', 'after: skipped'])
  const second = await runAgain('try.yml', text, first, 'failed', world)
  expect([second.runId, second.attempt, ...conclusions(second)]).toEqual([
    ...[first.runId, 2, 'good: success', 'bad: success', 'after: success'],
  ])
  expect(second.jobs[0]).toBe(first.jobs[0])
  expect((await runAgain('try.yml', text, second, 'all', world)).jobs[0]).not.toBe(first.jobs[0])
  expect(github.store.run(first.runId)).toMatchObject({ attempt: 3, conclusion: 'success' })
})
