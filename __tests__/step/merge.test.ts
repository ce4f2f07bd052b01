import { readFileSync } from 'node:fs'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import { startJob } from '../../sandbox/runner/job.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { MergeOutcome } from '../../src/outcome/outcome.js'
import { green, leg } from '../publish/outcomes.js'
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
  token = github.token({ contents: 'read', 'pull-requests': 'write' }),
): Promise<StepResult> {
  const job = await startJob({
    machineEnv,
    github: { runId: 100, token, apiUrl: github.url, ...onPull },
    artifactService: { url: github.url, token: await github.runtimeToken(100) },
  })
  try {
    return await job.runStep({ action: own('merge'), inputs }).done
  } finally {
    await job.remove()
  }
}

const mimeType = 'application/json'
const attach = (name: string, bytes: string) => github.seed.artifact({ runId: 100, name, bytes, mimeType })

/** As left by the step of a leg. */
const attachLeg = (name: string) =>
  attach(`load-test-${name}-outcome.json`, JSON.stringify(leg(name, green()).outcome))

const commentOf = () => github.store.commentsOf(7).map(({ body }) => body)
const outcomeOf = () => outcomeIn('merge', github, 100)
const verdictsOf = ({ legs = [] }: MergeOutcome) => legs.map(({ name, verdict }) => `${name}: ${verdict}`)

test('all green: one comment, one summary, one digest, one verdict; no permission to read is needed', async () => {
  github.settings.private = true
  await attachLeg('search')
  await attachLeg('login')
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
})
