import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suggestedIn } from '../__tests__/publish/suggested.js'
import type { WorkflowRun } from '../sandbox/github/store.js'
import { startService } from '../sandbox/service/service.js'
import { startShop } from '../sandbox/shop/shop.js'
import { engineOf, shortLoad } from './engine-choice.js'
import { openResults, pullRequest, root, runLocally, type LocalStep } from './local-step.js'
import { isWeek, pictures, withoutMachine, type Day } from './kept-outcomes.js'

/*
 * The first week of docs/gates.md with the engine: main without gates, the gates that its runs suggest tried on these
 * runs, a pull request that adds them, and one that makes the shop slower. The outcomes are kept beside the pictures.
 */
const engine = await engineOf({ engine: true }, ['9.x'])
if (engine === 'missing' || engine === null) process.exit(1)

const results = await openResults('.first-week')
const { github } = results
const workspace = await mkdtemp(path.join(tmpdir(), 'load-test-week-'))
await cp(path.join(root, 'examples/webshop-suite'), path.join(workspace, 'webshop-suite'), {
  recursive: true,
  filter: (name) => !['target', 'results'].includes(path.basename(name)),
})
const shop = await startShop({ outOfStock: 0 })
const service = await startService({
  ...{ secondsPerState: 0.7, engine },
  properties: { ...shortLoad, 'webshop.url': shop.url },
})
const { clientId, clientSecret } = service.credentials('everything')
const loadTest = {
  'base-url': service.url,
  'client-id': clientId,
  'client-secret': '${{ secrets.LOADTEST_CLIENT_SECRET }}',
  organization: 'demo-org',
  project: 'webshop',
  'load-test': 'Webshop regression',
  source: 'webshop-suite',
  baseline: 'artifact',
}
const outcomes: Partial<Record<Day, unknown>> = {}
const onMain = { ref: 'refs/heads/main', eventName: 'push' }

try {
  await merge('monday')
  await merge()
  await merge()
  const gates = { gates: suggestedIn(await merge('thursday')).join('\n') }
  console.log(gates.gates)
  await step('tried', onMain, gates, 'history')
  await step('friday', pullRequest(github), { ...loadTest, ...gates })
  shop.settings.slowdown = 2
  await step('guarded', pullRequest(github), { ...loadTest, ...gates })
  if (!isWeek(outcomes)) throw new Error('A step of the week left no outcome file.')
  await writeFile(path.join(pictures, 'week.json'), `${JSON.stringify(outcomes)}\n`)
} finally {
  await Promise.all([service.close(), github.close(), shop.close()])
  await rm(workspace, { recursive: true, force: true })
}

/** A run of main without gates. @returns its summary */
async function merge(day?: Day): Promise<string> {
  return await step(day, onMain, loadTest)
}

async function step(
  day: Day | undefined,
  context: Partial<LocalStep['context']>,
  inputs: LocalStep['inputs'],
  action = '',
): Promise<string> {
  const runId = github.store.runs.length + 1
  const commit = `b0a51c0de${runId}`
  const { repository } = github.settings
  const branch = context.headRef ?? 'main'
  const event = context.eventName ?? ''
  const listed = { workflow: 'load-test.yml', branch, commit, event, headRepository: repository }
  const run: WorkflowRun = { id: runId, ...listed, conclusion: null }
  github.store.runs.push(run)
  const result = await runLocally({
    ...{ workspace, github, inputs, action },
    context: { sha: commit, ...context, runId },
    secrets: { LOADTEST_CLIENT_SECRET: clientSecret },
  })
  run.conclusion = result.conclusion
  if (day) outcomes[day] = JSON.parse(withoutMachine(result.outcomeFile))
  return result.summary
}
