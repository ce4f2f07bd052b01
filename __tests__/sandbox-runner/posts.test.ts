import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { JobStatus } from '../../sandbox/runner/expressions.js'
import { Bench } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

describe('post steps', () => {
  test('run in reverse order, each with its own state and inputs', async () => {
    const job = await bench.job()
    const action = await bench.action({
      main: "file('STATE', 'Run=' + env.INPUT_N + '\\nrUN=again ' + env.INPUT_N + '\\n')",
      post: "say(env.STATE_Run + ' ' + env.INPUT_N + ' ' + env.GITHUB_ACTION); file('STEP_SUMMARY', 'post ' + env.INPUT_N)",
      yaml: 'inputs: { n: {} }',
    })
    for (const n of ['1', '2']) await job.runStep({ action, inputs: { n }, id: `step-${n}` }).done
    const seen: string[] = []
    const posts = await job.finish({ onLine: (line, id) => seen.push(`${id}: ${line}`) })
    expect(seen).toEqual([
      'step-2: Post job cleanup.',
      'step-2: again 2 2 step-2',
      'step-1: Post job cleanup.',
      'step-1: again 1 1 step-1',
    ])
    expect(posts.map(({ id, stage, summary, conclusion }) => [id, stage, summary, conclusion])).toEqual([
      ['step-2', 'post', 'post 2\n', 'success'],
      ['step-1', 'post', 'post 1\n', 'success'],
    ])
    expect(await job.finish()).toEqual([])
  })

  test.each<[string | undefined, JobStatus, string]>([
    [undefined, 'success', 'success'],
    [undefined, 'failure', 'success'],
    [undefined, 'cancelled', 'success'],
    ['success()', 'failure', 'skipped'],
    ['cancelled()', 'cancelled', 'success'],
    ['nonsense()', 'success', 'failure'],
  ])('post-if %s in a job of status %s', async (postIf, status, conclusion) => {
    const job = await bench.job()
    const main = status === 'failure' ? 'process.exit(1)' : "say('ready')"
    const action = await bench.action({
      main,
      post: "say('post')",
      ...(postIf === undefined ? {} : { postIf }),
    })
    await job.runStep({ action }).done
    if (status === 'cancelled') job.cancel()
    expect(job.status).toBe(status)
    const [post] = await job.finish()
    expect(post?.conclusion).toBe(conclusion)
    expect(post?.rawStdout).toBe(conclusion === 'success' ? 'post\n' : '')
  })
})

describe('the order of things in a job', () => {
  test('after a failure, only steps whose condition asks for it run', async () => {
    const job = await bench.job()
    const fails = await bench.action({ main: 'process.exit(7)' })
    const works = await bench.action({ main: "say('on')" })
    const conclusions: string[] = []
    for (const step of [
      { action: fails, continueOnError: true, id: 'forgiven' },
      { action: works },
      { action: fails },
      { action: works },
      { action: works, if: 'failure()' },
      { action: works, if: 'always()' },
      { action: works, if: "steps.forgiven.outcome == 'failure'" },
      { action: works, if: "always() && steps.forgiven.outcome == 'failure'" },
    ]) {
      conclusions.push((await job.runStep(step).done).conclusion)
    }
    expect(conclusions).toEqual([
      'success',
      'success',
      'failure',
      'skipped',
      'success',
      'success',
      'skipped',
      'success',
    ])
    expect(job.contexts.steps).toMatchObject({ forgiven: { outcome: 'failure', conclusion: 'success' } })
  })
})
