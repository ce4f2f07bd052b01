import { jest } from '@jest/globals'
import { pullRequest, push, verdicts, workflow } from './company.js'
import {
  artifacts,
  comments,
  daily,
  executed,
  headlines,
  open,
  shop,
  starts,
  suite,
  summaries,
  usual,
} from './opened-company.js'

/** A workflow has several jobs, each with a clone, a step and a post step, and a test runs it up to three times. */
const severalWorkflows = 60_000
jest.setTimeout(severalWorkflows)

test('the quick start: main makes the baseline, a pull request is compared with it', async () => {
  const { service, run, archived } = await open([shop])
  const shown = workflow('README.md load-test.yml')
  const main = await run(shown, push)
  expect(main).toMatchObject({ conclusion: 'success', concurrency: { group: 'load-test' } })
  expect(verdicts(main)).toEqual(['passed'])
  expect(summaries(main)[0]).toContain('First run: from now on the baseline of later runs.')

  const same = await run(shown, pullRequest)
  expect(same.conclusion).toBe('success')
  expect(verdicts(same)).toEqual(['passed'])
  expect(artifacts(same)).toEqual(usual)
  expect(archived(1)).toEqual(suite)
  expect(comments()).toEqual([expect.stringContaining('the latest run of main')])

  service.settings.slowdown = 1.5
  const slower = await run(shown, pullRequest)
  expect(slower.conclusion).toBe('failure')
  expect(verdicts(slower)).toEqual(['failed'])
  expect(headlines()).toEqual([expect.stringMatching(/slower|too slow/)])
  expect(starts()).toEqual([17, 17, 17])
})

test('npm test runs exactly these workflows', () => {
  expect([...executed].sort()).toEqual(daily)
})
