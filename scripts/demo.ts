import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { EngineSettings } from '../sandbox/engine/engine.js'
import type { GitHubOptions } from '../sandbox/runner/job-options.js'
import { startService, type Service } from '../sandbox/service/service.js'
import { startShop } from '../sandbox/shop/shop.js'
import { engineOf, shortLoad } from './engine-choice.js'
import { openResults, pullRequest, root, runLocally, showResult, type Results } from './local-step.js'

/**
 * Runs the committed dist/ as a GitHub runner would, on the suite of examples/, against the local service: once on
 * main, for the baseline, then on a pull request, which is compared with it. With the engine, the suite is built, and
 * the engine runs it against a shop on this machine; without it, builds, load and figures are simulated.
 */
const usage = `npm run demo                   a pull request that is as fast as main: green
npm run demo -- --regression   a pull request that is slower: red, with the reasons
npm run demo -- --engine       fetches the engine if needed; needs a JDK 21 or later and Maven
npm run demo -- --simulated    builds and runs nothing, even if the engine is on this machine: 30 seconds
  --engine-home DIR            your own installation of the engine instead of the one that Maven fetches

Without --engine and --simulated, the engine is used if it is on this machine already.`

/** What differs if the load is real: it is short, and the machine has other work too. */
const simulated = { slowdown: 1.4, times: '40% slower', limit: 'requests p95 <= baseline + 10% + 20 ms' }
const real = { slowdown: 3, times: 'three times as slow', limit: 'requests p95 <= baseline + 60% + 20 ms' }

/** What a build of the suite, or a run of it, leaves beside its sources. */
const built = new Set(['target', 'results'])

const gates = (limit: string) => `
# Compared with the latest run on main
${limit}
transactions error-rate <= 1%
request "PlaceOrder*" p99 < 5 s
warn: agents cpu <= 80%
`

const { values } = parseArgs({
  options: {
    regression: { type: 'boolean', default: false },
    engine: { type: 'boolean', default: false },
    simulated: { type: 'boolean', default: false },
    'engine-home': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(usage)
else process.exitCode = await main()

async function main(): Promise<number> {
  const { regression, simulated: isSimulated, 'engine-home': home } = values
  const isWanted = values.engine || home !== undefined
  if (isSimulated && !isWanted) return demo(regression, '')
  const engine = await engineOf(['9.x'], { home, cachedOnly: !isWanted })
  if (!isWanted || typeof engine !== 'string') return demo(regression, engine)
  console.error(engine)
  return 1
}

/** @param found the engine, or why there is none; empty if none was wanted */
async function demo(regression: boolean, found: EngineSettings | string): Promise<number> {
  const engine = typeof found === 'string' ? null : found
  const results = await openResults('.demo')
  const { github } = results
  const workspace = await mkdtemp(path.join(tmpdir(), 'load-test-demo-'))
  await cp(path.join(root, 'examples/webshop-suite'), path.join(workspace, 'webshop-suite'), {
    recursive: true,
    filter: (name) => !built.has(path.basename(name)),
  })
  const { slowdown, times, limit } = engine ? real : simulated
  const shop = engine && (await startShop({ outOfStock: 0.02 }))
  const service = await startService({
    secondsPerState: 0.7,
    secondsRunning: 4,
    engine,
    ...(shop ? { properties: { ...shortLoad, 'webshop.url': shop.url } } : {}),
  })
  const end = () => void service.close().finally(() => process.exit(1))
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    headline(`A local load-testing service runs at ${service.url}`)
    if (shop) {
      console.log(
        `  It builds the uploaded suite and runs it with the load-test engine against a shop at ${shop.url}.`,
      )
      console.log('  Real: step, suite, upload, build, load, report. Stand-ins: service, shop and GitHub.')
    } else {
      console.log('  Real: step, suite, upload. Simulated: build, load and every figure of the report.')
      if (typeof found === 'string' && found !== '') console.log(`  ${found}`)
    }
    headline('1. The step runs on main; its outcome becomes the baseline')
    const onMain = { runId: 1, ref: 'refs/heads/main', eventName: 'push' }
    const main = await runStep(workspace, service, results, onMain, 'transactions error-rate <= 1%')
    if (main !== 'passed') return 1
    github.store.runs.push({
      id: 1,
      workflow: 'load-test.yml',
      branch: 'main',
      commit: 'b0a51c0de',
      event: 'push',
      conclusion: 'success',
      headRepository: github.settings.repository,
    })
    service.settings.seed++
    // The next run uses a slower shop, real or simulated.
    if (regression) (shop ?? service).settings.slowdown = slowdown
    headline(`2. The step runs on a pull request${regression ? ` that makes the shop ${times}` : ''}`)
    const onPull = { runId: 2, ...pullRequest(github) }
    const verdict = await runStep(workspace, service, results, onPull, gates(limit))
    // Red for the right reason: a gate that was not measured does not count.
    if (verdict === (regression ? 'failed' : 'passed')) return 0
    const busy = engine ? ' Other work on this machine can be the reason.' : ''
    console.log(`The step did not end as this demo expects.${busy}`)
    return 1
  } finally {
    await Promise.all([service.close(), github.close(), shop?.close()])
    await rm(workspace, { recursive: true, force: true })
  }
}

/** @returns its verdict */
async function runStep(
  workspace: string,
  service: Service,
  { github, out }: Results,
  context: Partial<GitHubOptions> & { runId: number },
  gates: string,
): Promise<string | undefined> {
  const { clientId, clientSecret } = service.credentials('everything')
  const { runId } = context
  const inputs = {
    'base-url': service.url,
    'client-id': clientId,
    'client-secret': '${{ secrets.LOADTEST_CLIENT_SECRET }}',
    organization: 'demo-org',
    project: 'webshop',
    // The user's own installation may be of the next line of the engine.
    'load-test': service.settings.engine?.releases['10.x']
      ? 'Webshop on the next engine'
      : 'Webshop regression',
    source: 'webshop-suite',
    'run-page': `${service.url}/orgs/{organization}/projects/{project}/load-tests/{number}`,
    gates,
    ...(runId === 1 ? {} : { baseline: 'artifact' }),
  }
  const secrets = { LOADTEST_CLIENT_SECRET: clientSecret }
  const result = await runLocally({ workspace, github, context, inputs, secrets })
  if (runId !== 1) await showResult(out, github, runId, result)
  return result.outputs['verdict']
}

function headline(text: string): void {
  console.log(`\n${text}\n`)
}
