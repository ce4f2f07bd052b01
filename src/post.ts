import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import * as core from '@actions/core'
import { message } from './errors.js'
import { aftermath } from './aftermath/aftermath.js'
import { gitHub } from './github/github.js'
import { jobLog } from './github/job-log.js'
import { maskSecret } from './github/mask.js'
import { jobFacts } from './github/occasion.js'
import { keepOutcome, tell } from './github/publication.js'
import { readState } from './github/step-state.js'
import { readInputs } from './inputs/inputs.js'
import { scopesFor } from './run.js'
import { serviceClient } from './service/client.js'
import { transport } from './service/transport.js'
import { version } from './version.js'

// Post steps share five minutes after a cancel: this one takes no more than two.
const timeLimit = 2 * 60_000
const patience = { firstPause: 1000, longestPause: 5000, total: 30_000 }

/** Tells what the main step could not tell any more: that a run goes on, and how to collect it. */
export async function postStep(): Promise<void> {
  const { published, startedAt, ...remains } = readState()
  if (published || startedAt === undefined) return
  maskSecret(core.getInput('client-secret'))
  const log = jobLog()
  const job = jobFacts(process.env)
  try {
    // The main step has looked at the XPath of the gates.
    const inputs = readInputs(core.getInput, job.occasion)
    const client = serviceClient({
      baseUrl: inputs.baseUrl,
      project: inputs.project,
      credentials: inputs.credentials,
      scopes: scopesFor(inputs),
      transport: transport(inputs.baseUrl, `load-test-action/${version}`),
      patience,
      log,
      mask: maskSecret,
      signal: AbortSignal.timeout(timeLimit),
    })
    const seconds = Math.round((Date.now() - Date.parse(startedAt)) / 1000)
    const facts = { ...job.step, actionVersion: version, startedAt, mode: inputs.mode, seconds }
    const outcome = await aftermath(remains, inputs, client, facts, log)
    const github = gitHub(inputs, job, log)
    const comment = await github.comment()
    const publication = {
      outcome,
      inputs,
      temp: await mkdtemp(path.join(job.temp, 'load-test-action-')),
      store: () => github.artifactStore(),
      attempt: job.attempt,
      ...(comment ? { comment } : {}),
      log,
    }
    await keepOutcome(publication)
    await tell(publication)
    log.warning([...outcome.reasons, ...outcome.advice, ...outcome.notes].join('\n'))
  } catch (error) {
    const { run } = remains
    if (run) log.warning(`Load test ${run.number} goes on at ${run.url}.`)
    log.warning(message(error))
  }
}
