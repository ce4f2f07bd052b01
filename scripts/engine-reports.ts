import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startAgentController } from '../sandbox/engine/agents.js'
import { prepareEngine } from '../sandbox/engine/engine.js'
import { makeScorecard } from '../sandbox/engine/generators.js'
import type { Release } from '../sandbox/engine/release.js'
import { buildFolder } from '../sandbox/engine/suite.js'
import { runTrial, type Trial } from '../sandbox/engine/trial.js'
import { descendants, endProcesses } from '../sandbox/runner/process-tree.js'

/**
 * Runs the example suite with each release of the engine and keeps the reports in __tests__/engine/golden: tests
 * compare what the step reads with them. Settings of this machine are left out.
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, target: { type: 'string', default: '__tests__/engine/golden' } },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const target = path.resolve(root, values.target)
const ending = new AbortController()
process.once('SIGINT', () => ending.abort()).once('SIGTERM', () => ending.abort())
const { signal } = ending

interface Kind extends Partial<Pick<Trial, 'shop' | 'properties' | 'files' | 'onEvent' | 'range'>> {
  name: string
  /** Two agents of one controller; one of them is lost during the run. */
  twoAgents?: boolean
  /** The only agent is lost during the run. */
  isLost?: boolean
}

const load = {
  'com.xceptance.xlt.loadtests.default.rampUpPeriod': '2s',
  'com.xceptance.xlt.loadtests.default.measurementPeriod': '12s',
}
const profile = (settings: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`com.xceptance.xlt.loadtests.${name}`, value]),
  )
let stopped = false
const kinds: Kind[] = [
  { name: 'normal', shop: { outOfStock: 0.02 } },
  { name: 'slow', shop: { slowdown: 1.6 } },
  { name: 'errors', shop: { errorRate: 0.06, outOfStock: 0.3 } },
  {
    name: 'aborted',
    properties: { 'com.xceptance.xlt.loadtests.default.measurementPeriod': '60s' },
    onEvent(event, run) {
      if (stopped || event.kind !== 'progress' || event.progress.percent < 15) return
      stopped = true
      void run.stop(signal)
    },
  },
  { name: 'agent-lost', twoAgents: true },
  // Long enough that the lost one has reported on itself.
  { name: 'agent-lost-late', twoAgents: true, properties: profile({ 'default.measurementPeriod': '30s' }) },
  { name: 'only-agent-lost', isLost: true },
  { name: 'cut', properties: profile({ 'default.measurementPeriod': '20s' }), range: ['-from', '+10s'] },
  {
    name: 'other-periods',
    properties: profile({
      'default.warmUpPeriod': '2s',
      'default.shutdownPeriod': '5s',
      'TSearch.warmUpPeriod': '0s',
      'TSearch.measurementPeriod': '5s',
      'TCheckout.initialDelay': '6s',
    }),
  },
  {
    name: 'iterations',
    properties: profile({ 'default.measurementPeriod': '60s', 'default.iterations': '1' }),
  },
  { name: 'visitors', shop: { visitors: true } },
]

const engine = await prepareEngine({
  ...{ lines: ['9.x', '10.x'], signal },
  onProgress: (text) => console.log(text),
})
const folder = await mkdtemp(path.join(tmpdir(), 'engine-reports-'))
try {
  const suite = path.join(folder, 'suite')
  const filter = (name: string) => !/[/\\](target|results)$/.test(name)
  await cp(path.join(root, 'examples/webshop-suite'), suite, { recursive: true, filter })
  await buildFolder(suite, path.join(folder, 'build.log'), engine, { signal, onLine: () => undefined })
  for (const release of Object.values(engine.releases))
    await reportsOf(release, suite, path.join(folder, release.version))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function reportsOf(release: Release, suite: string, folder: string): Promise<void> {
  const chosen = kinds.filter(({ name }) => values.only === undefined || values.only === name)
  for (const { name, twoAgents = false, isLost = false, shop = {}, properties = {}, ...rest } of chosen) {
    const work = path.join(folder, name)
    const trial = { release, suite, folder: work, shop, properties: { ...load, ...properties }, ...rest }
    stopped = false
    const { report } = twoAgents
      ? await withTwoAgents(trial)
      : await runTrial({ ...trial, ...(isLost ? { onEvent: losing() } : {}) }, engine, signal)
    await keep(report, path.join(target, release.version, name))
    console.log(`${release.version} ${name}`)
    if (name === 'normal') await scorecardsOf(release, report, folder)
  }
}

/** A controller with two agents; the first one found is ended after half of the load. */
async function withTwoAgents(trial: Trial) {
  const controlling = new AbortController()
  const controllers = path.join(path.dirname(trial.folder), 'controller')
  await mkdir(controllers, { recursive: true })
  const { release } = trial
  const started = await startAgentController(
    { release, javaHome: engine.javaHome, folder: controllers, port: 18_500 },
    AbortSignal.any([controlling.signal, signal]),
  )
  try {
    const onEvent = losing('ac001_00')
    return await runTrial(
      { ...trial, onEvent },
      { ...engine, agentControllers: [{ url: started.url, agents: 2 }] },
      signal,
    )
  } finally {
    controlling.abort()
    await started.done
  }
}

/** Ends an agent after half of the load; its name is among its arguments. */
function losing(agent = ''): NonNullable<Trial['onEvent']> {
  let lost = false
  const isWanted = (pid: number): boolean => {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return line.includes('AgentMain') && line.includes(agent)
  }
  return (event) => {
    if (lost || event.kind !== 'progress' || event.progress.percent < 50) return
    lost = true
    endProcesses(descendants(process.pid).filter(isWanted))
  }
}

/** Evaluates over the same report a scorecard for each possible result, for any normal run of the example. */
async function scorecardsOf({ home, version }: Release, report: string, folder: string): Promise<void> {
  const { javaHome } = engine
  const scorecards = JSON.parse(readFileSync(path.join(root, 'scripts/scorecards.json'), 'utf8')) as object
  for (const [name, scorecard] of Object.entries(scorecards)) {
    const copy = path.join(folder, `scorecard-${name}`)
    const evaluated = path.join(copy, 'evaluated')
    await cp(report, copy, { recursive: true })
    await writeFile(path.join(copy, 'config/scorecard.json'), JSON.stringify(scorecard))
    await makeScorecard({ home, javaHome, folder, signal }, { report: copy, target: evaluated })
    await keepScorecard(evaluated, path.join(target, version, `scorecard-${name}`))
    console.log(`${version} scorecard ${name}`)
  }
}

async function keep(report: string, kept: string): Promise<void> {
  await rm(kept, { recursive: true, force: true })
  await mkdir(kept, { recursive: true })
  const xml = await readFile(path.join(report, 'testreport.xml'), 'utf8')
  await writeFile(path.join(kept, 'testreport.xml'), withoutMachine(xml))
  const files = (await readdir(report, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(report, path.join(entry.parentPath, entry.name)))
  await writeFile(path.join(kept, 'files.txt'), `${files.sort().join('\n')}\n`)
  await keepScorecard(report, kept)
}

/** The evaluation, and the sentences about it on the engine's page. */
async function keepScorecard(report: string, kept: string): Promise<void> {
  await mkdir(kept, { recursive: true })
  await writeFile(
    path.join(kept, 'scorecard.xml'),
    await readFile(path.join(report, 'scorecard.xml'), 'utf8'),
  )
  const page = await readFile(path.join(report, 'scorecard.html'), 'utf8')
  const text = page
    .slice(page.indexOf('<body'))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  const [printed] = /The test (?:got|could not).*?(?= Rating A rating)/.exec(text) ?? []
  if (printed === undefined) throw new Error(`The engine printed no verdict in ${report}.`)
  await writeFile(path.join(kept, 'printed.txt'), `${printed}\n`)
}

/** Keeps the settings of the engine and of the suite; drops those of the JVM and of this machine. */
function withoutMachine(xml: string): string {
  return xml
    .replace(/^\s*<property name="(?!com\.xceptance\.xlt\.(?!home)|webshop\.).*\n/gm, '')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8181')
}
