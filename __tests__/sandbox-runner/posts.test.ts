import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { JobStatus } from '../../sandbox/runner/expressions.js'
import { Bench } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

describe('post steps', () => {
  test.each<[string | undefined, JobStatus, string]>([
    [undefined, 'cancelled', 'success'],
    ['success()', 'failure', 'skipped'],
    ['cancelled()', 'cancelled', 'success'],
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
