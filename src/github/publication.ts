import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as core from '@actions/core'
import { defined, jsonPieces } from '../text/fields.js'
import { message } from '../errors.js'
import { goesRed, type ActionInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import {
  isGreen,
  withPart,
  type HistoryOutcome,
  type LoadTestOutcome,
  type MergeOutcome,
  type Outcome,
  type ReportFile,
  type Run,
} from '../outcome/outcome.js'
import { tooLarge } from '../outcome/outcome-file.js'
import { annotations, closingGroups, closingLines } from '../publish/annotations.js'
import { withAttached, type Attachable, type Attached, attach } from './artifacts/artifacts.js'
import { renderComment } from '../publish/markdown/comment.js'
import { headline } from '../publish/words/words.js'
import { type ChartReader, digestWithCharts } from '../publish/digest/engine-charts.js'
import { chartsOf } from '../report/reading/kept-charts.js'
import { baselineReport } from '../baseline/baseline.js'
import { renderSummary } from '../publish/markdown/summary.js'
import { distinction, testedName } from '../text/attempt-name.js'
import { NoArtifactServiceError, type ArtifactStore } from './artifacts/store.js'
import { stateOf, type CommitStatus } from './commit-status.js'
import { outputsOf } from '../publish/outputs.js'
import { putOutput, setOutput, tellRunner } from '../runner.js'
import type { PullRequestComment } from './pull-request/pull-request.js'
import { reasonsAbout } from '../text/reason.js'

interface Publication {
  outcome: Outcome
  inputs: Pick<ActionInputs, 'name' | 'retentionDays' | 'failOn'>
  temp: string
  /** Absent = nothing is attached. */
  store?: () => Promise<Pick<ArtifactStore, 'uploadArtifact'>>
  /** Distinguishes artifacts of other attempts. */
  attempt: string
  comment?: PullRequestComment
  /** The status of the measured commit, as far as the outcome knows it; it gets the colour of the step. */
  status?: (outcome: Outcome) => CommitStatus | undefined
  log: Log
}

/**
 * Publishes the outcome. First what is attached, since that may change the outcome; then everything else, from the
 * final outcome, which it returns. Only then does the step go red, if it must.
 */
export async function publish(publication: Publication): Promise<Outcome> {
  const { inputs, log } = publication
  const outcome = await log.group('Publish', async () => {
    const attached = await attachAll({ ...publication, outcome: await withPage(publication) })
    const final = await keepOutcome({ ...publication, outcome: attached })
    await tell({ ...publication, outcome: final, isRed: goesRed(final.verdict, inputs.failOn) })
    return final
  })
  for (const { title, lines } of closingGroups(outcome)) {
    await log.group(title, async () => write(lines, log))
  }
  const isRed = goesRed(outcome.verdict, inputs.failOn)
  annotate(outcome, isRed)
  write(closingLines(outcome), log)
  if (isRed) process.exitCode = core.ExitCode.Failure
  return outcome
}

function write(lines: ReturnType<typeof closingLines>, log: Log): void {
  for (const { line, tone } of lines) log.info(line, tone)
}

function annotate(outcome: Outcome, isRed: boolean): void {
  for (const { kind, message, title, file, line } of annotations(outcome, isRed ? 'error' : 'warning')) {
    core[kind](message, { title, ...defined({ file, startLine: line }) })
  }
}

/** Summary, comment and status, which people read on GitHub's own pages. */
export async function tell(
  told: Pick<Publication, 'outcome' | 'comment' | 'status' | 'log'> & { isRed: boolean },
): Promise<void> {
  const { outcome, isRed, comment, status, log } = told
  try {
    await core.summary.addRaw(renderSummary(outcome), true).write()
  } catch (error) {
    log.warning(`The job summary could not be written: ${message(error)}`)
  }
  const putComment = async (to: PullRequestComment) => {
    const isFinal = outcome.verdict !== 'started' && outcome.verdict !== 'cancelled'
    const page = await to.put({ body: renderComment(outcome, to.key), ...(isFinal ? { isRed } : {}) })
    tellRunner(log, () => setOutput('comment-url', page))
  }
  // Neither waits for the other: GitHub may limit only one of them.
  await Promise.all([
    comment && putComment(comment),
    status?.(outcome)?.(stateOf(outcome.verdict, isRed), headline(outcome)),
  ])
}

/** For a step that has only moments left: publishes what needs no call to GitHub. The post step publishes the rest. */
export async function publishAtOnce(publication: Publication): Promise<void> {
  annotate(await keepOutcome(publication), true)
  process.exitCode = core.ExitCode.Failure
}

/** The outcome file, and the outputs. @returns the outcome, which is an error if later steps cannot read one of them */
export async function keepOutcome(of: Pick<Publication, 'outcome' | 'temp'>): Promise<Outcome> {
  const { outcome, temp } = of
  let kept = outcome
  const keep = async <T>(what: string, write: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await write()
    } catch (error) {
      const { verdict } = kept
      kept = withPart(kept, {
        verdict: isGreen(verdict) || verdict === 'started' ? 'error' : verdict,
        reasons: reasonsAbout('step', `${what}: ${message(error)}`),
      })
      return undefined
    }
  }
  const file = await keep('The outcome file could not be written', () => writeOutcome(outcome, temp))
  await keep('The outputs of the step could not be written', () => {
    for (const [name, value] of Object.entries(outputsOf(kept, file))) putOutput(name, value)
  })
  return kept
}

async function writeOutcome(outcome: Outcome, temp: string): Promise<string> {
  const file = path.join(temp, 'outcome.json')
  await writeFile(file, jsonPieces(outcome))
  return file
}

/** @throws Error if it is larger than later runs and other jobs read; nobody reads a merged one. */
async function readableOutcome(outcome: Outcome, temp: string): Promise<string> {
  const file = await writeOutcome(outcome, temp)
  const large = outcome.kind === 'load-test' ? tooLarge((await stat(file)).size) : undefined
  if (large === undefined) return file
  throw new Error(
    `it ${large}. Later runs cannot be compared with this one, and neither a merge nor a history can show it; name the requests so that the report has fewer timers.`,
  )
}

/** The page of a history is there for later steps of the job, whether or not it can be attached. */
async function withPage({ outcome, temp }: Publication): Promise<Outcome> {
  if (outcome.kind !== 'history' || !outcome.history) return outcome
  const { renderHistory } = await import('../publish/history/history-page.js')
  const file = path.join(temp, 'history.html')
  await writeFile(file, renderHistory(outcome, outcome.history))
  return withPart(outcome, { historyPage: { path: file } })
}

interface Attaching extends Publication {
  store: NonNullable<Publication['store']>
}

async function attachAll(publication: Publication): Promise<Outcome> {
  const { outcome, store } = publication
  if (!store) return outcome
  const attaching = { ...publication, store }
  if (outcome.kind === 'history') return attachPage(outcome, attaching)
  return outcome.kind === 'load-test' || outcome.kind === 'merge'
    ? attachEvidence(outcome, attaching)
    : outcome
}

/** The outcome file of a history does not belong to a run: later runs must not find it. */
async function attachPage(outcome: HistoryOutcome, attaching: Attaching): Promise<Outcome> {
  const { history, historyPage } = outcome
  if (!history || !historyPage) return outcome
  const subject = history.branch.replace(/[^\w.-]+/g, '-').slice(-60)
  const file = async () => historyPage.path
  const next = {
    what: 'history',
    file,
    name: `${attaching.inputs.name}-history`,
    ending: '.html',
    subject,
  } as const
  return withAttached(outcome, await attachOne(attaching, next))
}

/** Evidence first: after that the verdict is final, so that digest, outcome file and everything else agree. */
async function attachEvidence(begun: LoadTestOutcome | MergeOutcome, attaching: Attaching): Promise<Outcome> {
  const { inputs, temp } = attaching
  let outcome: Outcome = begun
  const attachNext = async (next: Next) => {
    outcome = withAttached(outcome, await attachOne(attaching, next))
  }
  for (const next of begun.kind === 'load-test' ? evidenceOf(begun, inputs) : []) await attachNext(next)
  const subject = begun.kind === 'merge' ? 'merged' : subjectOf(begun, begun.run)
  const judged = outcome
  if (hasDigest(judged)) {
    const file = async () => {
      const digest = path.join(temp, 'digest.html')
      await writeFile(digest, await digestWithCharts(judged, bothCharts(judged, temp)))
      return digest
    }
    const name = `${inputs.name}-digest`
    await attachNext({ what: 'digest', file, name, ending: '.html', subject })
  }
  if (begun.verdict !== 'started' && begun.verdict !== 'cancelled') {
    const file = () => readableOutcome(outcome, temp)
    await attachNext({ what: 'outcome', file, name: `${inputs.name}-outcome`, ending: '.json', subject })
  }
  return outcome
}

/** The charts of the report that was judged, and of the baseline's where that was read. */
function bothCharts(outcome: LoadTestOutcome | MergeOutcome, temp: string): ChartReader {
  const own = outcome.kind === 'load-test' ? outcome.report?.path : undefined
  const [now, before] = [
    own === undefined ? async () => undefined : chartsOf(own),
    chartsOf(baselineReport(temp)),
  ]
  return (which, chart) => (which === 'now' ? now : before)(chart)
}

function hasDigest(outcome: Outcome): outcome is LoadTestOutcome | MergeOutcome {
  return outcome.kind === 'load-test' ? !!outcome.figures : outcome.kind === 'merge' && !!outcome.legs
}

interface Next {
  what: Attachable
  /** Writes it, unless it is on disk already. @returns its path */
  file: () => Promise<string>
  name: string
  ending: string
  /** What was tested or judged, for the file's name. */
  subject: string
}

/** Report and results of the run, and of a second one, except what is already attached. */
function evidenceOf(outcome: LoadTestOutcome, { name: step }: Publication['inputs']): Next[] {
  const { run, report, results, confirmation } = outcome
  const of = (what: Attachable, evidence: ReportFile | undefined, name: string): Next[] => {
    if (!evidence || evidence.artifact) return []
    const subject = subjectOf(outcome, what.startsWith('second-') ? confirmation?.run : run)
    return [{ what, file: async () => evidence.path, name, ending: evidence.ending, subject }]
  }
  return [
    ...of('report', report, `${step}-report`),
    ...of('results', results, `${step}-results`),
    ...of('second-report', confirmation?.report, `${step}-report-second`),
    ...of('second-results', confirmation?.results, `${step}-results-second`),
  ]
}

function subjectOf({ report }: LoadTestOutcome, run: Run | undefined): string {
  return testedName(run?.number, report?.given?.name)
}

async function attachOne(
  { outcome, inputs, store, attempt, log }: Attaching,
  { what, file, name, ending, subject }: Next,
): Promise<Attached> {
  const { retentionDays } = inputs
  log.info(`Attaching ${name}${ending}`)
  try {
    const attachment = {
      ...{ path: await file(), name, ending, retentionDays },
      distinction: distinction(subject, attempt),
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
