import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as core from '@actions/core'
import { attach } from './github/artifact.js'
import { jobLog } from './github/job-log.js'
import { jobFacts } from './github/occasion.js'
import { setOutputs } from './github/outputs.js'
import { saveRun, saveStarting, savePublished } from './github/step-state.js'
import { readInputs, type Inputs } from './inputs.js'
import type { Log } from './log.js'
import type { Outcome, ReportFile } from './outcome.js'
import { run } from './run.js'
import { serviceClient } from './service/client.js'
import { patience, sleep } from './service/patience.js'
import { transport } from './service/transport.js'
import { version } from './version.js'

/** Reads the job, runs the story, publishes what came of it, and only then passes or fails the step. */
export async function step(): Promise<void> {
  maskSecrets()
  const log = jobLog()
  const job = jobFacts(process.env)
  const cancellation = onCancel(log)
  try {
    const inputs = readInputs(core.getInput, job.occasion)
    const temp = await mkdtemp(path.join(job.temp, 'load-test-action-'))
    const http = transport(inputs.baseUrl, `load-test-action/${version}`)
    const outcome = await run(inputs, {
      connect: (scopes) =>
        serviceClient({
          baseUrl: inputs.baseUrl,
          project: inputs.project,
          credentials: inputs.credentials,
          scopes,
          transport: http,
          patience,
          log,
          mask: maskSecret,
          signal: cancellation.signal,
        }),
      clock: { now: () => performance.now(), sleep },
      log,
      signal: cancellation.signal,
      temp,
      step: { ...job.step, actionVersion: version, startedAt: new Date().toISOString() },
      ...(job.topLevel ? { topLevel: job.topLevel } : {}),
      keep: {
        starting: saveStarting,
        run: async (started) => {
          saveRun(started)
          core.setOutput('run-number', started.number)
          core.setOutput('run-url', started.url)
        },
        archive: ({ id, sha512 }) => {
          core.setOutput('archive-sha512', sha512)
          if (id !== undefined) core.setOutput('archive-id', id)
        },
      },
    })
    await publish(outcome, inputs, temp, job.step.workflowRunUrl ?? '', log)
  } catch (error) {
    core.setOutput('verdict', 'error')
    core.setFailed(error instanceof Error ? error.message : String(error))
  } finally {
    cancellation.end()
  }
}

async function publish(
  outcome: Outcome,
  inputs: Inputs,
  temp: string,
  workflowRunUrl: string,
  log: Log,
): Promise<void> {
  if (outcome.verdict !== 'cancelled') {
    await attachFile(outcome, outcome.report, inputs.reportArtifact, inputs, workflowRunUrl, log)
    await attachFile(outcome, outcome.results, inputs.resultsArtifact, inputs, workflowRunUrl, log)
  }
  const outcomePath = path.join(temp, 'outcome.json')
  await writeFile(outcomePath, `${JSON.stringify(outcome, null, 2)}\n`)
  setOutputs(outcome, outcomePath)
  savePublished()
  const words = [...outcome.reasons, ...outcome.advice].join('\n')
  if (outcome.verdict === 'passed' || outcome.verdict === 'started') log.info(words)
  else core.setFailed(words)
}

async function attachFile(
  outcome: Outcome,
  file: ReportFile | undefined,
  name: string | undefined,
  { retentionDays }: Inputs,
  workflowRunUrl: string,
  log: Log,
): Promise<void> {
  if (!file || name === undefined) return
  try {
    const { DefaultArtifactClient } = await import('@actions/artifact')
    const distinction = `run-${outcome.run?.number ?? 'unknown'}-attempt-${process.env.GITHUB_RUN_ATTEMPT ?? '1'}`
    const attachment = { path: file.path, name, ending: file.ending, distinction, retentionDays }
    file.artifact = await log.group(`Attach ${name}`, () =>
      attach(new DefaultArtifactClient(), attachment, workflowRunUrl, log),
    )
    log.info(`Attached ${file.artifact.name}: ${file.artifact.url}`)
  } catch (error) {
    // The report is part of what the step promises: without it there is no verdict to trust.
    outcome.verdict = outcome.verdict === 'passed' ? 'error' : outcome.verdict
    outcome.reasons.push(
      `${name} could not be attached to the workflow run: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** The secret in the forms that it may show up in. */
function maskSecrets(): void {
  maskSecret(core.getInput('client-secret'))
}

function maskSecret(secret: string): void {
  if (secret === '') return
  core.setSecret(secret)
  // The runner masks base64 by itself, but not every way to write a secret into an address or a form.
  const forms = [encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
  for (const form of new Set(forms)) if (form !== secret) core.setSecret(form)
}

/** Aborts when the runner cancels: SIGINT first, SIGTERM 7.5 s later. */
function onCancel(log: Log): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) return
    log.info('The job is being cancelled.')
    controller.abort(new Error('The job was cancelled.'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return {
    signal: controller.signal,
    end: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  }
}
