import path from 'node:path'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Plan } from './plan.js'
import { message, UserError } from './errors.js'
import { xpathCheck } from './xml/xpath.js'
import { demandedJob, gitHub, refusedJob, type GitHub } from './github/github.js'
import type { JobFacts } from './github/job/job.js'
import { runnerFaults } from './runner.js'
import {
  areRefused,
  optionalScopes,
  readInputs,
  withFaults,
  type ActionInputs,
  type Inputs,
} from './inputs/inputs.js'
import type { Log } from './log.js'
import type { ActionName } from './outcome/outcome.js'
import { serviceClient, type Client } from './service/service.js'
import { defined } from './text/fields.js'
import { oneLine } from './text/foreign-text.js'
import { type Redaction, withoutSecrets } from './text/redaction.js'
import { version } from './version.js'

/** The job as the runner describes it, the inputs, GitHub, and a folder. */
export interface OpenedJob {
  /** Its commit is that of the code that the step tests. */
  job: JobFacts
  /** What is doubtful about that commit, as a sentence. */
  doubt?: string
  inputs: ActionInputs
  github: GitHub
  temp: string
  log: Log
  secrets: Redaction
}

/** @param get the value of an input. @throws UserError if the runner's temporary folder cannot be written */
export async function openJob(
  action: ActionName,
  event: JobFacts,
  get: (name: string) => string,
  { log, secrets }: Pick<OpenedJob, 'log' | 'secrets'>,
): Promise<OpenedJob> {
  for (const name of ['client-secret', 'github-token']) secrets.add(get(name))
  const { occasion } = event
  const checkXPath = await xpathCheck(get('gates'))
  const read = readInputs(action, get, { ...occasion, ...defined({ checkXPath }) })
  const given = withFaults(read, runnerFaults(occasion.env))
  // It is refused; certificates are verified for whatever is still sent, such as GitHub's token.
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  const tested = testedFolder(given, occasion.workspace)
  const { facts, faults } = areRefused(given)
    ? { facts: refusedJob(given, event), faults: [] }
    : await demandedJob(given, event, tested)
  const inputs = withFaults(given, faults)
  const { doubt, ...measured } = facts.measured(tested, isPacked(given))
  const { ref } = facts.step
  const step = { ...facts.step, ...measured, ...defined({ ref: ref && withoutSecrets(ref) }) }
  const job = { ...facts, step }
  const temp = await ownFolder()
  return { job, inputs, github: gitHub(inputs, job, log, temp), temp, log, secrets, ...defined({ doubt }) }
}

/** Where the tests of this step are checked out; undefined if another step or another run has done the tests. */
export function testedFolder(inputs: ActionInputs, workspace: string): string | undefined {
  if (inputs.mode === 'run' || inputs.mode === 'start') return inputs.source
  return inputs.mode === 'judge' && inputs.report.kind === 'path' ? workspace : undefined
}

/** Not if the load test is of a ZIP that is given, or of what its template names. */
function isPacked(inputs: ActionInputs): boolean {
  return !('upload' in inputs) || (inputs.upload && inputs.archive === undefined)
}

export function clientFor(
  service: Pick<NonNullable<Plan['service']>, 'baseUrl' | 'project' | 'scopes'> & Pick<Inputs, 'credentials'>,
  more: Omit<Parameters<typeof serviceClient>[0], keyof typeof service | 'userAgent'>,
): Client {
  const { baseUrl, project, scopes, credentials } = service
  const access = { project, scopes, optional: optionalScopes, credentials }
  return serviceClient({ baseUrl, ...access, userAgent: `load-test-action/${version}`, ...more })
}

/** An empty folder for a step. @throws UserError if the runner's temporary folder cannot be written */
export async function ownFolder(): Promise<string> {
  const temp = process.env.RUNNER_TEMP ?? tmpdir()
  try {
    return await mkdtemp(path.join(temp, 'load-test-action-'))
  } catch (error) {
    const unwritable =
      `No folder for the files of this step could be created in ${oneLine(temp)}: ${message(error)}. ` +
      'RUNNER_TEMP must name a writable folder.'
    throw new UserError(unwritable, { cause: error })
  }
}
