import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as core from '@actions/core'
import { message } from '../errors.js'
import { formatDuration } from '../text/duration.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import type { Artifact, Outcome, ReportFile, Verdict } from '../outcome.js'
import { annotations } from '../publish/annotations.js'
import { checkLines } from '../publish/check-table.js'
import { renderComment } from '../publish/comment.js'
import { renderDigest } from '../publish/digest.js'
import { gateLines } from '../publish/gate-lines.js'
import { headline } from '../publish/headline.js'
import { renderSummary } from '../publish/summary.js'
import { verdictWords } from '../publish/verdict-words.js'
import { attach, type ArtifactStore } from './artifact.js'
import { setOutputs } from './outputs.js'

export interface Publication {
  outcome: Outcome
  inputs: Pick<Inputs, 'reportArtifact' | 'resultsArtifact' | 'outcomeArtifact' | 'retentionDays' | 'failOn'>
  /** Folder of this step's own. */
  temp: string
  store: () => Promise<ArtifactStore>
  /** Distinguishes artifacts of other attempts. */
  attempt: string
  comment?: { put(body: string): Promise<void>; key: string }
  log: Log
}

const red: Record<Inputs['failOn'], readonly Verdict[]> = {
  failed: ['failed', 'invalid', 'load-test-failed', 'timed-out', 'cancelled', 'error'],
  error: ['load-test-failed', 'timed-out', 'cancelled', 'error'],
  never: [],
}

/** Publishes every face of the outcome, the artifacts first, and only then makes the step red where it must be. */
export async function publish(publication: Publication): Promise<void> {
  const { outcome, inputs, log } = publication
  await log.group('Publish', async () => {
    await attachReports(publication)
    await attachDigest(publication)
    await keepOutcome(publication)
    await tell(publication)
  })
  if (outcome.gates.length > 0) {
    await log.group('Gates', async () => {
      for (const { line, tone } of gateLines(outcome.gates)) log.info(line, tone)
    })
  }
  const isRed = red[inputs.failOn].includes(outcome.verdict)
  for (const { kind, message, title, file, line } of annotations(outcome, isRed ? 'error' : 'warning')) {
    const place = {
      title,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { startLine: line }),
    }
    core[kind](message, place)
  }
  const told = outcome.checks ? checkLines(outcome.checks) : [...outcome.reasons, ...outcome.advice]
  for (const sentence of told) log.info(sentence)
  const { tone } = verdictWords[outcome.verdict]
  log.info(`${headline(outcome)} (after ${formatDuration(outcome.step.seconds * 1000)})`, tone)
  if (isRed) process.exitCode = core.ExitCode.Failure
}

/** Summary and comment: what people read on GitHub's own pages. */
export async function tell({ outcome, comment, log }: Publication): Promise<void> {
  try {
    await core.summary.addRaw(renderSummary(outcome), true).write()
  } catch (error) {
    log.warning(`The job summary could not be written: ${message(error)}`)
  }
  await comment?.put(renderComment(outcome, comment.key))
}

/** The outcome file, as an artifact too, from which later runs take their baseline; then the outputs. */
export async function keepOutcome(publication: Publication): Promise<void> {
  const { outcome, inputs, temp } = publication
  const file = path.join(temp, 'outcome.json')
  await writeFile(file, `${JSON.stringify(outcome, null, 2)}\n`)
  const isOver = outcome.verdict !== 'started' && outcome.verdict !== 'cancelled' && !outcome.checks
  if (isOver) await attachOne(publication, file, inputs.outcomeArtifact, '.json')
  setOutputs(outcome, file)
}

async function attachReports(publication: Publication): Promise<void> {
  const { outcome, inputs } = publication
  const attachFile = async (file: ReportFile | undefined, name: string | undefined): Promise<void> => {
    if (!file || name === undefined) return
    const artifact = await attachOne(publication, file.path, name, file.ending)
    if (artifact) file.artifact = artifact
  }
  await attachFile(outcome.report, inputs.reportArtifact)
  await attachFile(outcome.results, inputs.resultsArtifact)
}

async function attachDigest(publication: Publication): Promise<void> {
  const { outcome, inputs, temp } = publication
  if (!outcome.figures) return
  const file = path.join(temp, 'digest.html')
  await writeFile(file, renderDigest(outcome))
  const artifact = await attachOne(publication, file, `${inputs.reportArtifact}-digest`, '.html')
  if (artifact) outcome.digest = artifact
}

/** Attaches a file; one that cannot be attached takes a green verdict away, since the evidence is part of it. */
async function attachOne(
  { outcome, inputs, store, attempt, log }: Publication,
  file: string,
  name: string,
  ending: string,
): Promise<Artifact | undefined> {
  const distinction = `run-${outcome.run?.number ?? 'unknown'}-attempt-${attempt}`
  const attachment = { path: file, name, ending, distinction, retentionDays: inputs.retentionDays }
  try {
    const attached = await attach(await store(), attachment, outcome.step.workflowRunUrl ?? '', log)
    log.info(`Attached ${attached.name}: ${attached.url}`)
    return attached
  } catch (error) {
    const reason = `${name}${ending} could not be attached to the workflow run: ${message(error)}`
    log.warning(reason)
    if (error instanceof Error && error.name === 'GHESNotSupportedError') {
      // There is no artifact service for it at all: nothing that this run could do better.
      outcome.notes.push(reason)
      return undefined
    }
    outcome.reasons.push(reason)
    if (outcome.verdict === 'passed') outcome.verdict = 'error'
    return undefined
  }
}
