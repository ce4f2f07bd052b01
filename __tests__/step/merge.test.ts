import { readFileSync } from 'node:fs'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { startJob } from '../../sandbox/runner/job.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { LoadTestOutcome, MergeOutcome } from '../../src/outcome/outcome.js'
import { green, leg, regression } from '../publish/outcomes.js'
import { daily, thorough } from '../daily.js'
import { outcomeIn } from './published.js'
import { machineEnv, onPull, own } from './sandbox.js'

/* Mode merge through dist/, with GitHub and without a service. */

let github: Github
beforeEach(async () => {
  github = await startGithub()
})
afterEach(() => github.close())

/** @param token of a job with the recipe's permissions */
async function merge(
  inputs: Record<string, string> = {},
  runAttempt = 1,
  token = github.token({ contents: 'read', 'pull-requests': 'write' }),
): Promise<StepResult> {
  const job = await startJob({
    machineEnv,
    github: { runId: 100, runAttempt, token, apiUrl: github.url, ...onPull },
    artifactService: { url: github.url, token: await github.runtimeToken(100, runAttempt) },
  })
  try {
    return await job.runStep({ action: own('merge'), inputs }).done
  } finally {
    await job.remove()
  }
}

const mimeType = 'application/json'
const attach = (name: string, bytes: string, attempt = 1) =>
  github.seed.artifact({ runId: 100, name, bytes, mimeType, attempt })

/** As left by the step of a leg. */
const attachLeg = (
  name: string,
  outcome: LoadTestOutcome,
  attempt = 1,
  place = { job: 'load-test', index: 0, total: 1 },
) => attach(`load-test-${name}-outcome.json`, JSON.stringify(leg(name, outcome, place).outcome), attempt)

const commentOf = () => github.store.commentsOf(7).map(({ body }) => body)
const errorsOf = ({ annotations }: StepResult) =>
  annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)

const outcomeOf = (name?: string) => outcomeIn('merge', github, 100, name)
const verdictsOf = ({ legs = [] }: MergeOutcome) => legs.map(({ name, verdict }) => `${name}: ${verdict}`)

daily(
  'all green: one comment, one summary, one digest, one verdict; no permission to read is needed',
  async () => {
    github.settings.private = true
    await attachLeg('search', green())
    await attachLeg('login', green())
    await attach('load-test-search-report.tar.gz', 'not an outcome')
    const ran = await merge({ needs: '{"load-test": {"result": "success"}}' })
    expect(ran.conclusion).toBe('success')
    expect(ran.outputs['verdict']).toBe('passed')
    const outcome = outcomeOf()
    expect(verdictsOf(outcome)).toEqual(['login: passed', 'search: passed'])
    expect(ran.outputs['outcome']).toMatch(/outcome\.json$/)
    const digest = readFileSync(github.store.artifact('load-test-digest.html', 100)?.path ?? '', 'utf8')
    expect(commentOf()).toHaveLength(1)
    for (const face of [ran.summary, commentOf()[0], digest]) {
      expect(face).toContain('Load tests: all 2 passed')
      expect(face).toContain('search')
      expect(face).not.toContain('undefined')
    }
  },
)

daily('one failed, one missing, one unreadable, one in a ZIP: each has a row', async () => {
  await attachLeg('checkout', regression(), 1, { job: 'load-test', index: 0, total: 9 })
  await attach('load-test-text-outcome.json', 'to do')
  const files = { 'outcome.json': JSON.stringify(green()) }
  await github.seed.artifact({ runId: 100, name: 'load-test-zip-outcome', files })
  const legs = 'checkout\ntext\nzip\ngone'
  const ran = await merge({ legs, 'fail-on': 'error' })
  expect(ran.conclusion).toBe('failure')
  expect(ran.outputs['verdict']).toBe('error')
  const outcome = outcomeOf()
  const read = (outcome.legs ?? []).map(({ name: of, verdict, fault = '' }) => [of, verdict, fault])
  const unread = (why: string) => ['error', expect.stringContaining(why) as string]
  expect(Object.fromEntries(read.map(([of, ...rest]) => [of, rest]))).toEqual({
    checkout: ['failed', ''],
    zip: ['passed', ''],
    text: unread('load-test-text-outcome.json is not JSON.'),
    gone: unread('It left no outcome'),
  })
  expect(errorsOf(ran)).toContainEqual(expect.stringContaining('gone: It left no outcome'))
  const [comment = ''] = commentOf()
  for (const one of legs.split('\n')) expect(comment).toContain(`<code>${one}</code>`)
  expect(comment).toContain('### ❌ <code>checkout</code>: 3\u00a0of\u00a012\u00a0requests slower')
})

thorough(
  'a re-run: the row of a leg that ran again is replaced, the others are those of the attempt before',
  async () => {
    Object.assign(github.settings, { private: true, attemptsShareNames: true })
    await attachLeg('search', green())
    await attachLeg('checkout', regression())
    expect((await merge()).outputs['verdict']).toBe('failed')
    const refused = await merge({ comment: 'never' }, 2)
    expect(refused.outputs['verdict']).toBe('error')
    expect(errorsOf(refused).join()).toMatch(
      /artifacts of this workflow run could not be read: .*actions: read/,
    )

    await attachLeg('checkout', green(), 3)
    const reading = github.token({ contents: 'read', actions: 'read', 'pull-requests': 'write' })
    const again = await merge({}, 3, reading)
    expect(again.outputs['verdict']).toBe('passed')
    const left = outcomeOf('load-test-outcome-merged-attempt-3.json')
    expect(verdictsOf(left)).toEqual(['checkout: passed', 'search: passed'])
    expect(commentOf()).toEqual([expect.stringContaining('Load tests: all 2 passed')])
    // The outcome found is green and from an earlier attempt: in this one the job failed.
    const died = await merge({ needs: '{"load-test": {"result": "failure"}}', comment: 'never' }, 4, reading)
    expect(died.outputs['verdict']).toBe('error')
    expect(errorsOf(died)).toEqual([
      expect.stringContaining('load-test: The job ended as failure, but no outcome'),
    ])
  },
)

thorough('a leg in which one gate has 30,000 results is merged in the time of a small one', async () => {
  const [gate] = regression().gates
  if (!gate) throw new Error('A regression has gates.')
  const result = (index: number) => ({ ...gate, result: 'failed' as const, subject: `request "R${index}"` })
  await attachLeg('search', { ...regression(), gates: Array.from({ length: 30_000 }, (_, at) => result(at)) })
  const ran = await merge({ needs: '{"load-test": {"result": "failure"}}' })
  expect(ran.outputs['verdict']).toBe('failed')
  expect(ran.summary).toContain('30,000')
})
