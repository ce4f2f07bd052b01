import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Service } from '../../sandbox/service/service.js'
import { limit } from '../step/limit.js'
import { startSandbox, type Ran, type Sandbox } from '../step/sandbox.js'
import { startGateway, type Gateway, type PlannedFault } from './gateway.js'
import { planOf, type Plan } from './plan.js'

export interface Soak {
  steps: number
  seed: number
  /** Steps that run at the same time, in one project. */
  atOnce: number
  /**
   * How the runs of one step can be distinguished from those of the others: by the names of their templates; only by
   * the code archive, which the service names; or not at all, so that the step can only say that it continued with
   * the only copy.
   */
  apartBy: 'name' | 'archive' | 'nothing'
}

export interface Figures {
  steps: number
  /** Faults that happened, in addition to the other steps. */
  faults: number
  started: { runs: number; twice: number; lost: number }
  verdicts: Record<string, number>
  /** The value of run-number. */
  told: Record<string, number>
  /** Every claim that contradicts the service's books. */
  lies: string[]
}

/** Runs whole steps in parallel against one service, each with its own faults, and checks all their claims. */
export async function soak({ steps, seed, atOnce, apartBy }: Soak): Promise<Figures> {
  const plans = Array.from({ length: steps }, (_, step) => planOf(seed, step, apartBy !== 'name'))
  const sandbox = await startSandbox({ seed, archiveShown: apartBy === 'archive' })
  const gateway = await startGateway(
    sandbox.service.url,
    new Map(plans.map(({ step, faults }) => [step, faults])),
  )
  const lane = limit(atOnce)
  const figures: Figures = {
    steps,
    faults: 0,
    started: { runs: 0, twice: 0, lost: 0 },
    verdicts: {},
    told: {},
    lies: [],
  }
  try {
    for (const plan of plans) addTemplate(sandbox.service, plan)
    await Promise.all(plans.map((plan) => lane(() => runStep(sandbox, gateway, plan, apartBy, figures))))
    // The books name each run's template, which belongs to only one step.
    const known = new Set(plans.map(({ template }) => template))
    for (const start of sandbox.service.books.starts) {
      if (!known.has(start.template)) figures.lies.push(`Nobody asked for run ${start.number}.`)
    }
    figures.started.runs = sandbox.service.books.starts.length
    return figures
  } finally {
    await gateway.close()
    await sandbox.close()
  }
}

async function runStep(
  sandbox: Sandbox,
  gateway: Gateway,
  plan: Plan,
  apartBy: Soak['apartBy'],
  figures: Figures,
): Promise<void> {
  const inputs = {
    'base-url': gateway.url(plan.step),
    'load-test': String(plan.template),
    gates: plan.holds ? 'requests p95 < 60 s' : 'requests p95 < 1 ms',
    ...(plan.deletes ? { 'delete-archive': 'true' } : {}),
  }
  // Only the step's clock is faster: the two minutes of looking after a lost answer are seven seconds here.
  const ran = await sandbox.run(inputs, { withPost: true })
  const struck = gateway.struck(plan.step)
  const told = await check(sandbox, plan, apartBy, ran, struck, (what) => {
    const met = struck.map(({ operation, skip, fault }) => `${operation}[${skip}] ${JSON.stringify(fault)}`)
    figures.lies.push(`Step ${plan.step}: ${what}\n  met ${met.join(', ') || 'no fault'}\n${ran.log}`)
  })
  figures.faults += struck.length
  count(figures.verdicts, ran.outputs['verdict'] ?? 'none')
  count(figures.told, told)
  const own = sandbox.service.books.starts.filter(({ template }) => template === plan.template)
  if (own.length > 1) figures.started.twice++
  if (told === 'lost') figures.started.lost++
  process.stderr.write(`Step ${plan.step}: ${ran.outputs['verdict'] ?? 'no verdict'}, ${told}\n`)
}

/** @returns what run-number names, by the books */
async function check(
  { service, github }: Sandbox,
  plan: Plan,
  apartBy: Soak['apartBy'],
  { outputs, conclusion, log, summary }: Ran,
  struck: readonly PlannedFault[],
  lie: (what: string) => void,
): Promise<string> {
  const own = service.books.starts.filter(({ template }) => template === plan.template)
  const number = outputs['run-number']
  const verdict = outputs['verdict']
  if (own.length > 1) lie(`started ${own.length} times`)
  if ((conclusion === 'success') !== (verdict === 'passed'))
    lie(`${conclusion}, but the verdict is ${verdict}`)
  const [run] = own
  // A step without a run met a start with an unknown or refused result; one with a run may have found that another
  // step's upload came in between.
  const isExcused =
    struck.some(({ operation }) => operation === 'runCopy') || /another upload came in between/.test(log)
  if (!run && !isExcused) lie('it has no run, but its start met no fault')
  const tells = (text: string) => text.includes(number ?? 'nothing')
  if (number !== undefined && !(tells(log) && tells(summary))) lie('run-number is not in log and summary')
  if (verdict === 'error' && plan.faults.length === 0 && !isExcused) lie('an error without a fault')
  if (number === undefined) {
    if (verdict !== 'error') lie(`the verdict is ${verdict} without a run`)
    if (!run) return 'nothing was started'
    if (new RegExp(`known which .*\\b${run.number} \\("`).test(log)) return 'own run among the candidates'
    if (/A copy of load test \d+ may be running all the same/.test(log)) return 'said that a copy may run'
    lie(`run ${run.number} is lost`)
    return 'lost'
  }
  const followed = service.books.loadTests['webshop']?.find((test) => String(test.number) === number)
  if (run && String(run.number) !== number) lie(`run-number is ${number}, but the books say ${run.number}`)
  if (!followed?.run) {
    lie(`run-number is ${number}, which is not a run`)
    return 'no run'
  }
  if (followed.name !== `${plan.name} (copy)`) lie(`run ${number} is a copy of another template`)
  const isFinished = followed.run.end === 'FINISHED'
  if (verdict === 'passed' && !(isFinished && plan.holds))
    lie(`passed, but run ${number} ended ${followed.run.end}`)
  if (verdict === 'failed' && !(isFinished && !plan.holds))
    lie(`failed, but run ${number} ended ${followed.run.end}`)
  if (verdict === 'load-test-failed' && isFinished) lie(`load-test-failed, but run ${number} has finished`)
  if (verdict === 'invalid' || verdict === 'timed-out') lie(`the verdict is ${verdict}`)
  if (verdict === 'error' && gaveUpForNothing(log)) lie('it gave up for nothing')
  const artifact = github.store.artifacts.find(({ id }) => String(id) === outputs['report-artifact-id'])
  if (verdict === 'passed' || verdict === 'failed') {
    const path = artifact?.path
    if (!path) lie('the report is not attached')
    else if (sha256(readFileSync(path)) !== sha256(await reportOf(service, followed.number)))
      lie(`the report is not that of run ${number}`)
  }
  const isKept = !service.books.deletedArchives.some(({ id }) => id === outputs['archive-id'])
  if (plan.deletes && isKept && !/code archive .*was not deleted/.test(summary))
    lie('the archive stays, untold')
  if (!plan.deletes && !isKept) lie('the archive is gone')
  if (run) return 'own run'
  if (apartBy !== 'nothing') lie(`run ${number} is another step's`)
  if (!/is the only new copy of load test/.test(summary))
    lie('the summary does not say that its run is a guess')
  return 'the only copy that was there'
}

/** A step that follows its run ends with an error only if its report did not arrive completely in time. */
function gaveUpForNothing(log: string): boolean {
  return !/its report was not there|Downloading report|archive/.test(log)
}

function addTemplate({ world, settings }: Service, { template: number, name, ends }: Plan): void {
  const project = world.organizations.get('demo-org')?.projects.get('webshop')
  project?.loadTests.push({
    number,
    name,
    description: name,
    executionEnvironment: '9.x',
    source: { codeArchive: 'latest' },
  })
  settings.templates[`webshop/${number}`] = { ends }
}

/** The report as the service offers it to anybody. */
async function reportOf(service: Service, number: number): Promise<Buffer> {
  const { clientId, clientSecret } = service.credentials('everything')
  for (let tries = 1; ; tries++) {
    const form = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
    const body = new URLSearchParams({ ...form, scope: 'LOADTEST_REPORT_DOWNLOAD' })
    const answer: unknown = await (await fetch(`${service.url}/oauth/token`, { method: 'POST', body })).json()
    const token =
      typeof answer === 'object' && answer && 'access_token' in answer ? String(answer.access_token) : ''
    const path = `/public/api/v1/orgs/demo-org/projects/webshop/loadTests/${number}/reports/1/download`
    const report = await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })
    if (report.ok) return Buffer.from(await report.arrayBuffer())
    // Another step's fault may have revoked the token or set back the clock.
    if (tries >= 20) throw new Error(`The service gives no report of load test ${number}: ${report.status}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
