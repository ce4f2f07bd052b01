import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { message, UserError } from './errors.js'
import type { CheckXPath } from './gates/xpath/check.js'
import { gitHub, type GitHub } from './github/github.js'
import type { DemandedJob } from './github/demanded-job.js'
import type { JobFacts } from './github/job/job.js'
import type { MeasuredCode } from './github/job/measured-code.js'
import { areRefused, readInputs, withFaults, type ActionInputs } from './inputs/inputs.js'
import type { Log } from './log.js'
import type { ActionName } from './outcome/kinds.js'
import { serviceClient, type Client } from './service/service.js'
import type { Scope } from './service/operations.js'
import type { Patience } from './service/patience.js'
import { transport } from './service/transport.js'
import { defined } from './text/fields.js'
import { oneLine } from './text/foreign-text.js'
import type { Redaction } from './text/redaction.js'
import { version } from './version.js'
import type { ServiceInputs } from './session.js'

/** What main and post step have in common: the job as the runner describes it, the inputs, GitHub, and a folder. */
export interface OpenedJob {
  /** Its commit is that of the code that the step tests. */
  job: JobFacts
  /** What is doubtful about that commit, as a sentence. */
  doubt?: string
  inputs: ActionInputs
  github: GitHub
  /** An empty folder for this step alone. */
  temp: string
  log: Log
  secrets: Redaction
}

/** What a job is opened with. */
interface JobSources extends Pick<OpenedJob, 'log' | 'secrets'> {
  facts: JobFacts
  /** The value of an input. */
  get: (name: string) => string
  /** The job as one for the pull request that these inputs name. */
  demanded: (inputs: ActionInputs) => Promise<DemandedJob>
  /** The code that a step of this job tests. */
  measured: (inputs: ActionInputs, facts: JobFacts) => MeasuredCode
  /** Looks at the expressions of xpath gates; without it they are not checked. */
  checkXPath?: CheckXPath
}

/** @throws UserError if the runner's temporary folder cannot be written */
export async function openJob(action: ActionName, sources: JobSources): Promise<OpenedJob> {
  const { get, log, secrets } = sources
  secrets.add(get('client-secret'))
  const given = readInputs(action, get, sources.facts.occasion, sources.checkXPath)
  // It is refused; certificates are verified for whatever is still sent, such as GitHub's token.
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  const asIs = { facts: sources.facts, faults: [] }
  const { facts, faults } = areRefused(given) ? asIs : await sources.demanded(given)
  const inputs = withFaults(given, faults)
  const { doubt, ...measured } = sources.measured(inputs, facts)
  const job = { ...facts, step: { ...facts.step, ...measured } }
  const temp = await ownFolder(facts.temp)
  return { job, inputs, github: gitHub(inputs, job, log), temp, log, secrets, ...defined({ doubt }) }
}

/** A client for the service that the inputs name. */
export function clientFor(
  { baseUrl, project, credentials }: ServiceInputs,
  scopes: readonly Scope[],
  { log, secrets }: Pick<OpenedJob, 'log' | 'secrets'>,
  limits: { patience: Patience; signal: AbortSignal },
): Client {
  const wire = transport(baseUrl, `load-test-action/${version}`)
  return serviceClient({ baseUrl, project, credentials, scopes, transport: wire, log, secrets, ...limits })
}

async function ownFolder(temp: string): Promise<string> {
  try {
    return await mkdtemp(path.join(temp, 'load-test-action-'))
  } catch (error) {
    throw new UserError(
      `No folder for the files of this step could be created in ${oneLine(temp)}: ${message(error)}. ` +
        'RUNNER_TEMP must name a writable folder.',
      { cause: error },
    )
  }
}
