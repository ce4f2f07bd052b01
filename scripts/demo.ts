import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startGithub, type Github } from '../sandbox/github/github.js'
import { startJob } from '../sandbox/runner/job.js'
import type { GitHubOptions } from '../sandbox/runner/job-options.js'
import { startService, type Service } from '../sandbox/service/service.js'
import { startShop } from '../sandbox/shop/shop.js'
import { engineOf, shortLoad, type EngineChoice } from './engine-choice.js'

/**
 * Runs the committed dist/ as a GitHub runner would, on the suite of examples/, against the local service: once on
 * main, for the baseline, then on a pull request, which is compared with it. With --engine nothing is simulated: the
 * suite is built, and the engine runs it against a shop on this machine.
 */
const usage = `npm run demo                   a pull request that is as fast as main: green
npm run demo -- --regression   a pull request that is slower: red, with the reasons
npm run demo -- --engine       the suite is built and run by the real engine; needs a JDK 21 or later and Maven
  --engine-home DIR            your own installation of the engine instead of the one that Maven fetches`

/** What differs if the load is real: it is short, and the machine has other work too. */
const simulated = { slowdown: 1.4, times: '40 % slower', limit: 'requests p95 <= baseline + 10 % + 20 ms' }
const real = { slowdown: 3, times: 'three times as slow', limit: 'requests p95 <= baseline + 60 % + 20 ms' }

/** What a build of the suite, or a run of it, leaves beside its sources. */
const built = new Set(['target', 'results'])

const gates = (limit: string) => `
# Compared with the latest run on main
${limit}
transactions error-rate <= 1 %
request "PlaceOrder*" p99 < 5 s
warn: agents cpu <= 80 %
`

const { values } = parseArgs({
  options: {
    regression: { type: 'boolean', default: false },
    engine: { type: 'boolean', default: false },
    'engine-home': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
} else {
  const engine = await engineOf(values, ['9.x'])
  process.exitCode = engine === 'missing' ? 1 : await demo(values.regression, engine)
}

async function demo(regression: boolean, engine: EngineChoice): Promise<number> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const out = path.join(root, '.demo')
  await rm(out, { recursive: true, force: true })
  await mkdir(path.join(out, 'store'), { recursive: true })
  // Outside of any repository, the step believes the event, whose commits are made up.
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
  const github = await startGithub({ folder: path.join(out, 'store') })
  const end = () => void service.close().finally(() => process.exit(1))
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    headline(`A local load-testing service runs at ${service.url}`)
    console.log(
      shop
        ? `  It builds the uploaded suite and runs it with the engine against a shop at ${shop.url}.\n  Everything listens only on this machine.`
        : '  Its load tests are simulated. With --engine it really builds and runs the suite.',
    )
    headline('1. The step runs on main; its outcome becomes the baseline')
    const onMain = { runId: 1, ref: 'refs/heads/main', eventName: 'push' }
    const main = await runStep(
      { root, workspace, out },
      service,
      github,
      onMain,
      'transactions error-rate <= 1 %',
    )
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
    const onPull = {
      runId: 2,
      ref: 'refs/pull/7/merge',
      headRef: 'feature',
      baseRef: 'main',
      eventName: 'pull_request',
      event: pullRequest(github.settings.repository),
    }
    const verdict = await runStep({ root, workspace, out }, service, github, onPull, gates(limit))
    // Red for the right reason: a gate that was not measured does not count.
    return await show(out, github, verdict === (regression ? 'failed' : 'passed'))
  } finally {
    await Promise.all([service.close(), github.close(), shop?.close()])
    await rm(workspace, { recursive: true, force: true })
  }
}

async function runStep(
  { root, workspace, out }: Record<'root' | 'workspace' | 'out', string>,
  service: Service,
  github: Github,
  context: Partial<GitHubOptions> & { runId: number },
  gates: string,
): Promise<string> {
  const { clientId, clientSecret } = service.credentials('everything')
  const { runId } = context
  const job = await startJob({
    workspace,
    secrets: { LOADTEST_CLIENT_SECRET: clientSecret },
    github: {
      ...context,
      token: github.token(),
      apiUrl: github.url,
      workflow: 'Load test',
    },
    machineEnv: {
      GITHUB_WORKFLOW_REF: `${github.settings.repository}/.github/workflows/load-test.yml@refs/heads/main`,
    },
    artifactService: await github.artifactService(runId),
  })
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
    'poll-interval': '1s',
    gates,
    ...(runId === 1 ? {} : { baseline: 'artifact' }),
  }
  const result = await job.runStep({ action: root, inputs, onLine: (line) => console.log(`  ${line}`) }).done
  await job.finish({ onLine: (line) => console.log(`  ${line}`) })
  await writeFile(path.join(out, runId === 1 ? 'main-summary.md' : 'summary.md'), result.summary)
  const comment = [...github.store.comments.values()].flat()[0]
  if (comment) await writeFile(path.join(out, 'comment.md'), comment.body)
  await job.remove()
  const verdict = result.outputs['verdict'] ?? 'unknown'
  console.log(`  The step ended as ${result.conclusion}, verdict ${verdict}`)
  return verdict
}

function pullRequest(repository: string) {
  const repo = { full_name: repository, default_branch: 'main' }
  return {
    pull_request: {
      number: 7,
      head: { sha: 'fea7c0de5', ref: 'feature', repo },
      base: { ref: 'main', repo },
    },
  }
}

async function show(out: string, github: Github, asExpected: boolean): Promise<number> {
  headline('What to look at')
  console.log(`  Job summary   ${path.join(out, 'summary.md')}`)
  console.log(`  Comment       ${path.join(out, 'comment.md')}`)
  for (const artifact of github.store.artifacts.filter(({ runId }) => runId === 2)) {
    const file = path.join(out, artifact.name)
    await copyFile(artifact.path, file)
    console.log(`  Artifact      ${file}`)
  }
  if (!asExpected) {
    const busy = 'With --engine, other work on this machine can be the reason.'
    console.log(`\n  The step did not end as this demo expects. ${busy}`)
  }
  return asExpected ? 0 : 1
}

function headline(text: string): void {
  console.log(`\n${text}\n`)
}
