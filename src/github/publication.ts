import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as core from '@actions/core'
import { defined } from '../text/fields.js'
import { message } from '../errors.js'
import type { ActionInputs, HistoryInputs, Inputs } from '../inputs/inputs.js'
import { mergedSubject } from '../inputs/merge-source.js'
import type { Log } from '../log.js'
import { isGreen, withPart, type Outcome, type ReportFile, type Verdict } from '../outcome/outcome.js'
import { annotations } from '../publish/annotations.js'
import { withAttached, type Attachable, type Attached } from '../publish/attachments.js'
import { closingGroups, closingLines } from '../publish/log.js'
import { renderComment } from '../publish/comment/comment.js'
import { headline } from '../publish/words/words.js'
import { renderDigest } from '../publish/digest/digest.js'
import type { ToneLine } from '../publish/words/gate-lines.js'
import { renderSummary } from '../publish/summary/summary.js'
import { distinction, testedName } from '../text/attempt-name.js'
import { attach } from './artifacts/artifacts.js'
import { NoArtifactServiceError, type ArtifactStore } from './artifacts/store.js'
import { stateOf, type CommitStatus } from './commit-status.js'
import { setOutput, setOutputs } from './job/outputs.js'
import type { PullRequestComment } from './pull-request/pull-request.js'

interface Publication {
  outcome: Outcome
  inputs: Pick<ActionInputs, 'outcomeArtifact' | 'retentionDays' | 'failOn'> &
    Partial<Pick<Inputs, 'reportArtifact' | 'resultsArtifact'> & Pick<HistoryInputs, 'history'>>
  /** Folder of this step's own. */
  temp: string
  /** Absent = nothing is attached. */
  store?: () => Promise<Pick<ArtifactStore, 'uploadArtifact'>>
  /** Distinguishes artifacts of other attempts. */
  attempt: string
  comment?: PullRequestComment & { key: string }
  /** The status of the measured commit, as far as the outcome knows it; it gets the colour of the step. */
  status?: (outcome: Outcome) => CommitStatus | undefined
  log: Log
}

const red: Record<Inputs['failOn'], readonly Verdict[]> = {
  failed: ['failed', 'invalid', 'load-test-failed', 'timed-out', 'cancelled', 'error'],
  error: ['load-test-failed', 'timed-out', 'cancelled', 'error'],
  never: [],
}

/**
 * Publishes the outcome. First what is attached, since that may change the outcome; then everything else, from the
 * final outcome. Only then does the step go red, if it must.
 */
export async function publish(publication: Publication): Promise<void> {
  const { inputs, log } = publication
  const isRed = ({ verdict }: Outcome) => red[inputs.failOn].includes(verdict)
  const outcome = await log.group('Publish', async () => {
    const attached = await attachAll({ ...publication, outcome: await withPage(publication) })
    const final = await keepOutcome({ ...publication, outcome: attached })
    await tell({ ...publication, outcome: final, isRed: isRed(final) })
    return final
  })
  for (const { title, lines } of closingGroups(outcome)) {
    await log.group(title, async () => write(lines, log))
  }
  annotate(outcome, isRed(outcome))
  write(closingLines(outcome), log)
  if (isRed(outcome)) process.exitCode = core.ExitCode.Failure
}

function write(lines: readonly ToneLine[], log: Log): void {
  for (const { line, tone } of lines) log.info(line, tone)
}

function annotate(outcome: Outcome, isRed: boolean): void {
  for (const { kind, message, title, file, line } of annotations(outcome, isRed ? 'error' : 'warning')) {
    core[kind](message, { title, ...defined({ file, startLine: line }) })
  }
}

/** Summary, comment and status, which people read on GitHub's own pages. */
export async function tell({
  outcome,
  isRed,
  comment,
  status,
  log,
}: Pick<Publication, 'outcome' | 'comment' | 'status' | 'log'> & { isRed: boolean }): Promise<void> {
  try {
    await core.summary.addRaw(renderSummary(outcome), true).write()
  } catch (error) {
    log.warning(`The job summary could not be written: ${message(error)}`)
  }
  if (comment) await putComment(outcome, { comment, isRed, log })
  await status?.(outcome)?.put(stateOf(outcome.verdict, isRed), headline(outcome))
}

async function putComment(
  outcome: Outcome,
  { comment, isRed, log }: Required<Pick<Publication, 'comment'>> & { isRed: boolean; log: Log },
): Promise<void> {
  const isFinal = outcome.verdict !== 'started' && outcome.verdict !== 'cancelled'
  const text = { body: renderComment(outcome, comment.key), ...(isFinal ? { isRed } : {}) }
  const page = await comment.put(text)
  try {
    setOutput('comment-url', page)
  } catch (error) {
    log.warning(`Outputs or state of the step could not be written: ${message(error)}`)
  }
}

/**
 * For a step that has only moments left: publishes what needs no call to GitHub. The post step publishes the rest.
 */
export async function publishAtOnce(publication: Publication): Promise<void> {
  annotate(await keepOutcome(publication), true)
  process.exitCode = core.ExitCode.Failure
}

/** The outcome file, and the outputs. @returns the outcome, which is an error if later steps cannot read one of them */
export async function keepOutcome({ outcome, temp }: Publication): Promise<Outcome> {
  let kept = outcome
  const keep = async <T>(what: string, write: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await write()
    } catch (error) {
      const { verdict } = kept
      kept = withPart(kept, {
        verdict: isGreen(verdict) || verdict === 'started' ? 'error' : verdict,
        reasons: [`${what}: ${message(error)}`],
      })
      return undefined
    }
  }
  const file = await keep('The outcome file could not be written', () => writeOutcome(outcome, temp))
  await keep('The outputs of the step could not be written', () => setOutputs(kept, file))
  return kept
}

async function writeOutcome(outcome: Outcome, temp: string): Promise<string> {
  const file = path.join(temp, 'outcome.json')
  await writeFile(file, `${JSON.stringify(outcome, null, 2)}\n`)
  return file
}

/** The page of a history is there for later steps of the job, whether or not it can be attached. */
async function withPage({ outcome, temp }: Publication): Promise<Outcome> {
  if (!outcome.history) return outcome
  const { renderHistory } = await import('../publish/history/history.js')
  const file = path.join(temp, 'history.html')
  await writeFile(file, renderHistory(outcome, outcome.history))
  return withPart(outcome, { historyPage: { path: file } })
}

/**
 * Evidence first: after that the verdict is final, so the digest, the outcome file (the baseline of later runs) and
 * everything else agree.
 */
async function attachAll(publication: Publication): Promise<Outcome> {
  const { inputs, temp, store } = publication
  let outcome = publication.outcome
  if (!store) return outcome
  const attachNext = async (next: Next) => {
    outcome = withAttached(outcome, await attachOne({ ...publication, store, outcome }, next))
  }
  for (const { what, evidence, name } of evidenceOf(outcome, inputs)) {
    await attachNext({ what, file: async () => evidence.path, name, ending: evidence.ending })
  }
  if (outcome.figures ?? outcome.legs) {
    const file = async () => {
      const digest = path.join(temp, 'digest.html')
      await writeFile(digest, renderDigest(outcome))
      return digest
    }
    await attachNext({ what: 'digest', file, name: `${inputs.reportArtifact}-digest`, ending: '.html' })
  }
  const { historyPage } = outcome
  // The outcome file of a history does not belong to a run: later runs must not find it.
  if (historyPage && inputs.history) {
    const { artifact: name } = inputs.history
    await attachNext({ what: 'history', file: async () => historyPage.path, name, ending: '.html' })
    return outcome
  }
  const isOver = outcome.verdict !== 'started' && outcome.verdict !== 'cancelled' && !outcome.checks
  if (isOver) {
    const file = () => writeOutcome(outcome, temp)
    await attachNext({ what: 'outcome', file, name: inputs.outcomeArtifact, ending: '.json' })
  }
  return outcome
}

/** What is to be attached. */
interface Next {
  what: Attachable
  /** Writes it, unless it is on disk already. @returns its path */
  file: () => Promise<string>
  name: string
  ending: string
}

interface NamedEvidence {
  what: Attachable
  evidence: ReportFile
  name: string
}

/** Report and results of the run, and of a second one, except what is already attached. */
function evidenceOf(
  { report, results, confirmation }: Outcome,
  { reportArtifact = '', resultsArtifact = '' }: Publication['inputs'],
): NamedEvidence[] {
  const of = (what: Attachable, evidence: ReportFile | undefined, name: string) =>
    evidence && !evidence.artifact ? [{ what, evidence, name }] : []
  return [
    ...of('report', report, reportArtifact),
    ...of('results', results, resultsArtifact),
    ...of('second report', confirmation?.report, `${reportArtifact}-second`),
    ...of('second results', confirmation?.results, `${resultsArtifact}-second`),
  ]
}

/** What was tested or judged, for a file's name. */
function subjectOf({ run, report, confirmation, history, step }: Outcome, what: Attachable): string {
  if (history) return history.branch.replace(/[^\w.-]+/g, '-').slice(-60)
  if (step.mode === 'merge') return mergedSubject
  const tested = what.startsWith('second') ? confirmation?.run : run
  return testedName(tested?.number, report?.given?.name)
}

async function attachOne(
  { outcome, inputs, store, attempt, log }: Publication & Required<Pick<Publication, 'store'>>,
  { what, file, name, ending }: Next,
): Promise<Attached> {
  const { retentionDays } = inputs
  log.info(`Attaching ${name}${ending}`)
  try {
    const attachment = {
      ...{ path: await file(), name, ending, retentionDays },
      distinction: distinction(subjectOf(outcome, what), attempt),
    }
    const artifact = await attach(await store(), attachment, outcome.step.workflowRunUrl ?? '', log)
    log.info(`Attached ${artifact.name}: ${artifact.url}`)
    return { what, artifact }
  } catch (error) {
    const sentence = `${name}${ending} could not be attached to the workflow run: ${message(error)}`
    log.info(sentence)
    const isNowhere = error instanceof NoArtifactServiceError
    return { what, fault: { sentence, isNowhere } }
  }
}
