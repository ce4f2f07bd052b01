import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { baselineReport } from '../baseline/baseline.js'
import { message, NoArtifactServiceError } from '../errors.js'
import { timerWords } from '../figures/figures.js'
import { actionMetrics, timerMetrics } from '../figures/metrics.js'
import { resultCount } from '../gates/result.js'
import { goesRed, type ActionInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import { isGreen, withPart, type Artifact, type LoadTestOutcome } from '../outcome/outcome.js'
import type { MergeOutcome, Outcome, Part, Run, Verdict } from '../outcome/outcome.js'
import { tooLarge } from '../outcome/outcome-file.js'
import { chartsOf } from '../report/reading/kept-charts.js'
import { timerKinds } from '../report/report.js'
import { annotate, isOutput, putOutput, setOutput, summarize, tellRunner, turnRed } from '../runner.js'
import { distinction, testedName } from '../text/attempt-name.js'
import { defined, jsonPieces } from '../text/fields.js'
import { logLine, oneLine } from '../text/foreign-text.js'
import { reasonsAbout, sentence } from '../text/reason.js'
import { annotations, closingGroups, closingLines } from './annotations.js'
import { type ChartReader, digestWithCharts } from './digest/digest.js'
import { renderComment } from './markdown/comment.js'
import { renderSummary } from './markdown/summary.js'
import { busiestCpu, percentilesOf, summaryRow } from './words/timer-rows.js'
import { openFirst } from './words/verdict-words.js'
import { headline } from './words/words.js'

export interface Attaching {
  inputs: Pick<ActionInputs, 'name' | 'retentionDays'>
  temp: string
  /** Attaches a file to the workflow run whose page is given. @throws NoArtifactServiceError if there is no place for it */
  attach: (
    file: {
      path: string
      name: string
      ending: string
      distinction: (nth: number) => string
      retentionDays: number
    },
    workflowRunUrl: string,
  ) => Promise<Artifact>
  /** Distinguishes artifacts of other attempts. */
  attempt: string
  log: Log
}

interface Publication extends Omit<Attaching, 'attach'> {
  outcome: Outcome
  inputs: Attaching['inputs'] & Pick<ActionInputs, 'failOn'>
  /** Absent = nothing is attached. */
  attach?: Attaching['attach']
  comment?: Comment
  /** The status of the measured commit, as far as the outcome knows it; it gets the colour of the step. */
  status?: (
    outcome: Outcome,
  ) => ((state: ReturnType<typeof stateOf>, description: string) => Promise<void>) | undefined
}

/** The step's comment on a pull request. */
export interface Comment {
  key: string
  /**
   * @param text `isRed`: whether its verdict is red; absent if it has no final one: what was known about that stays.
   * `isPassing`: on its own it would be of no use to anybody
   * @returns the address of its page, if it was written
   */
  put(text: { body: string; isRed?: boolean; isPassing?: boolean }): Promise<string | undefined>
}

/**
 * Publishes the outcome. First what is attached, since that may change the outcome; then everything else, from the
 * final outcome, which it returns. Only then does the step go red, if it must.
 */
export async function publish(publication: Publication): Promise<Outcome> {
  const { inputs, log } = publication
  const outcome = await log.group('Publish', async () => {
    const { attach } = publication
    const whole = await withPage({ ...publication, outcome: softened(publication.outcome, inputs.failOn) })
    const attached = attach ? await attachAll(whole, { ...publication, attach }) : whole
    const final = await keepOutcome({ ...publication, outcome: attached })
    await tell({ ...publication, outcome: final, isRed: goesRed(final.verdict, inputs.failOn) })
    return final
  })
  for (const { title, lines } of closingGroups(outcome)) {
    await log.group(title, async () => write(lines, log))
  }
  const isRed = goesRed(outcome.verdict, inputs.failOn)
  annotateAll(outcome, isRed)
  write(closingLines(outcome), log)
  if (isRed) turnRed()
  return outcome
}

/** Who sees a sign of trouble beside a green check is told why. */
export function softened(outcome: Outcome, failOn: ActionInputs['failOn']): Outcome {
  const { verdict } = outcome
  if (isGreen(verdict) || ['started', 'cancelled'].includes(verdict) || goesRed(verdict, failOn))
    return outcome
  return withPart(outcome, { notes: [`The step is green all the same, by fail-on: ${failOn}.`] })
}

function write(lines: ReturnType<typeof closingLines>, log: Log): void {
  for (const { line, tone } of lines) log.info(line, tone)
}

function annotateAll(outcome: Outcome, isRed: boolean): void {
  for (const { kind, message, title, file, line } of annotations(outcome, isRed ? 'error' : 'warning')) {
    annotate(kind, message, { title, ...defined({ file, startLine: line }) })
  }
}

/**
 * Attaches what belongs to the outcome. Evidence first: after that the verdict is final, so that digest, outcome file and
 * everything else agree. The outcome file of a history does not belong to a run: later runs must not find it.
 *
 * @returns the outcome with it, or with why it is missing
 */
export async function attachAll(begun: Outcome, attaching: Attaching): Promise<Outcome> {
  const { temp } = attaching
  if (begun.kind === 'check') return begun
  if (begun.kind === 'history') {
    const { history, historyPage: page } = begun
    if (!history || !page) return begun
    const subject = history.branch.replace(/[^\w.-]+/g, '-').slice(-60)
    const piece = { subject, what: 'history', ending: '.html', isNeeded: true, write: async () => page.path }
    return withAttached(begun, attaching, piece, (artifact) => ({ historyPage: { ...page, artifact } }))
  }
  const judged = begun.kind === 'load-test' ? await withEvidence(begun, attaching) : begun
  const subject = begun.kind === 'merge' ? 'merged' : subjectOf(begun, begun.run)
  const digest = { subject, what: 'digest', ending: '.html', write: () => writeDigest(judged, temp) }
  const hasDigest = judged.kind === 'load-test' ? judged.figures : judged.legs
  const shown = hasDigest
    ? await withAttached(judged, attaching, digest, (artifact) => ({ digest: artifact }))
    : judged
  if (begun.verdict === 'started' || begun.verdict === 'cancelled') return shown
  const file = { subject, what: 'outcome', ending: '.json', write: () => readableOutcome(shown, temp) }
  return withAttached(shown, attaching, file, () => ({}))
}

/** With report and results of the run, and of a second one, except what is already attached. */
async function withEvidence(begun: LoadTestOutcome, attaching: Attaching): Promise<LoadTestOutcome> {
  let outcome = begun
  for (const isSecond of [false, true]) {
    for (const kind of ['report', 'results'] as const) {
      const from = isSecond ? begun.confirmation : begun
      const evidence = from?.[kind]
      if (!evidence || evidence.artifact) continue
      const { path: file, ending } = evidence
      const about = { subject: subjectOf(begun, from.run), what: `${kind}${isSecond ? '-second' : ''}` }
      const piece = { ...about, ending, isNeeded: true, write: async () => file }
      outcome = await withAttached(outcome, attaching, piece, (artifact, { confirmation }) => {
        const kept = { [kind]: { ...evidence, artifact } }
        return isSecond && confirmation ? { confirmation: { ...confirmation, ...kept } } : kept
      })
    }
  }
  return outcome
}

function subjectOf({ report }: LoadTestOutcome, run: Run | undefined): string {
  return testedName(run?.number, report?.given?.name)
}

interface Piece {
  /** What was tested or judged, for the file's name. */
  subject: string
  what: string
  ending: string
  /** Green is lost without it. */
  isNeeded?: boolean
  /** Unless it is on disk already. @returns its path */
  write: () => Promise<string>
}

/**
 * The outcome with what was attached. Report and results are the evidence: green is lost if one of them is asked for
 * and not attached. Digest and outcome file only show the verdict, like a comment: a note says that one is missing.
 *
 * @param part what the outcome then has
 */
async function withAttached<T extends Outcome>(
  outcome: T,
  { inputs, attach, attempt, log }: Attaching,
  { subject, what, ending, isNeeded, write }: Piece,
  part: (artifact: Artifact, outcome: T) => Part<T>,
): Promise<T> {
  const { retentionDays } = inputs
  const name = `${inputs.name}-${what}`
  log.info(`Attaching ${name}${ending}`)
  try {
    const attachment = {
      ...{ path: await write(), name, ending, retentionDays },
      distinction: (nth: number) => distinction(subject, attempt, nth),
    }
    const artifact = await attach(attachment, outcome.step.workflowRunUrl ?? '')
    log.info(`Attached ${artifact.name}: ${artifact.url}`)
    return withPart(outcome, part(artifact, outcome))
  } catch (error) {
    const lost = sentence(`${name}${ending} could not be attached to the workflow run: ${message(error)}`)
    log.info(lost)
    // Without an artifact service there is no place for it, which the workflow cannot change.
    if (!isNeeded || error instanceof NoArtifactServiceError) return withPart(outcome, { notes: [lost] })
    const { verdict } = outcome
    const reasons = reasonsAbout('report', lost)
    return withPart(outcome, { verdict: isGreen(verdict) ? 'error' : verdict, reasons })
  }
}

/** With the charts of the report that was judged, and of the baseline's where that was read. */
async function writeDigest(outcome: LoadTestOutcome | MergeOutcome, temp: string): Promise<string> {
  const own = outcome.kind === 'load-test' ? outcome.report?.path : undefined
  const charts = {
    now: own === undefined ? undefined : chartsOf(own),
    before: chartsOf(baselineReport(temp)),
  }
  const read: ChartReader = async (which, chart) => charts[which]?.(chart)
  const file = path.join(temp, 'digest.html')
  await writeFile(file, await digestWithCharts(outcome, read))
  return file
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

/** Summary, comment and status, which people read on GitHub's own pages. */
export async function tell(
  told: Pick<Publication, 'outcome' | 'comment' | 'status' | 'log'> & { isRed: boolean },
): Promise<void> {
  const { outcome, isRed, comment, status, log } = told
  try {
    await summarize(renderSummary(outcome))
  } catch (error) {
    log.warning(`The job summary could not be written: ${message(error)}`)
  }
  const putComment = async (to: Comment) => {
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

/** These say nothing about the tested code. */
const aboutTheStep: readonly Verdict[] = ['timed-out', 'cancelled', 'error']

/** The state that has the colour of the step. A run that was only started has none yet. */
export function stateOf(verdict: Verdict, isRed: boolean) {
  if (verdict === 'started') return 'pending'
  if (!isRed) return 'success'
  return aboutTheStep.includes(verdict) ? 'error' : 'failure'
}

/** For a step that has only moments left: publishes what needs no call to GitHub. The post step publishes the rest. */
export async function publishAtOnce(publication: Publication): Promise<void> {
  annotateAll(await keepOutcome(publication), true)
  turnRed()
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

/** The page of a history is there for later steps of the job, whether or not it can be attached. */
async function withPage({ outcome, temp }: Publication): Promise<Outcome> {
  if (outcome.kind !== 'history' || !outcome.history) return outcome
  const { renderHistory } = await import('./history/history-page.js')
  const file = path.join(temp, 'history.html')
  await writeFile(file, renderHistory(outcome, outcome.history))
  return withPart(outcome, { historyPage: { path: file } })
}

/** The outputs of action.yml, those in JSON made to fit; what is unknown is left out. */
export function outputsOf(
  outcome: Outcome,
  outcomePath: string | undefined,
): Record<string, string | number> {
  const archive = 'archive' in outcome ? outcome.archive : undefined
  const texts = {
    ...{ verdict: outcome.verdict, headline: headline(outcome), outcome: outcomePath },
    ...{ 'archive-id': archive?.id, 'archive-sha512': archive?.sha512 },
    ...textsOf(outcome),
  }
  const short = Object.entries(texts).filter(([, text]) => isOutput(text))
  const all = [...short, ...Object.entries(jsonOf(outcome))]
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function textsOf(outcome: Outcome): Readonly<Record<string, string | number | undefined>> {
  if (outcome.kind === 'history') return { 'history-path': outcome.historyPage?.path }
  if (outcome.kind === 'merge') return { 'digest-url': outcome.digest?.url }
  return outcome.kind === 'check' ? {} : textsOfRun(outcome)
}

function textsOfRun({ run, report, digest, figures }: LoadTestOutcome) {
  return {
    'run-number': run?.number,
    'run-url': run?.url,
    state: run && oneLine(logLine(run.state), 100),
    'report-number': report?.number,
    'report-path': report?.path,
    'report-artifact-id': report?.artifact?.id,
    'report-artifact-url': report?.artifact?.url,
    'digest-url': digest?.url,
    'duration-seconds': run?.durationSeconds ?? figures?.general.duration,
  }
}

function jsonOf(outcome: Outcome): Readonly<Record<string, string | undefined>> {
  if (outcome.kind === 'load-test') {
    return { gates: gatesJson(outcome), metrics: metricsJson(outcome), acceptance: acceptanceJson(outcome) }
  }
  // A workflow may parse what the action at the root has, whatever its mode.
  return outcome.kind === 'check' ? { gates: '[]', metrics: '{}' } : {}
}

/** All outputs of a job may have 1 MiB; an environment variable takes less. */
const gatesLimit = 100_000
/** The engine's reports have at most a few. */
const mostPercentiles = 50

/**
 * Output `gates`: the gate results as a JSON array, those that did not pass first. Past 100,000 characters the last
 * element is `{"omitted": number}`; the outcome file has them all.
 */
function gatesJson({ gates }: LoadTestOutcome): string {
  const ordered = openFirst(gates)
  const kept: string[] = []
  let size = 40
  for (const [at, gate] of ordered.entries()) {
    const text = inertJson(gate)
    size += text.length + 1
    if (size > gatesLimit) return `[${[...kept, `{"omitted":${resultCount(ordered.slice(at))}}`].join(',')}]`
    kept.push(text)
  }
  return `[${kept.join(',')}]`
}

/**
 * Output `metrics`: the key figures, named as in the gate language:
 * `{"requests":{"count":…,"p95":…},…,"agents":{"cpu":…},"baseline":{"requests":{…}}}`. Times are milliseconds, rates
 * and CPU percent, throughput per second; what is not known is absent.
 */
function metricsJson(outcome: LoadTestOutcome): string {
  const cpu = busiestCpu(outcome)
  const duration = outcome.run?.durationSeconds ?? outcome.figures?.general.duration
  const baseline = kindFigures(outcome, 'baseline')
  return inertJson({
    ...defined({ 'duration-seconds': duration }),
    ...kindFigures(outcome, 'value'),
    ...defined({
      agents: cpu === undefined ? undefined : { cpu },
      baseline: Object.keys(baseline).length === 0 ? undefined : baseline,
    }),
  })
}

function kindFigures(
  outcome: LoadTestOutcome,
  which: 'value' | 'baseline',
): Record<string, Record<string, number>> {
  const kinds = timerKinds.flatMap((kind): [string, Record<string, number>][] => {
    const row = summaryRow(outcome, kind)
    if (!row) return []
    const percentiles = percentilesOf(outcome, kind).slice(0, mostPercentiles)
    const figures = [...timerMetrics, ...percentiles, ...actionMetrics].flatMap(
      (metric): [string, number][] => {
        const figure = row.figure(metric)[which]
        return figure === undefined ? [] : [[metric, figure]]
      },
    )
    return figures.length === 0 ? [] : [[timerWords[kind].summary, Object.fromEntries(figures)]]
  })
  return Object.fromEntries(kinds)
}

/**
 * Output `acceptance`, with the verdict `accepted`: who accepted the gates that failed, when and for which commit. Each
 * text has at most 300 characters.
 */
function acceptanceJson({ verdict, acceptance }: LoadTestOutcome): string | undefined {
  if (verdict !== 'accepted' || !acceptance) return undefined
  const facts = Object.entries(acceptance).map(([name, text]) => [name, oneLine(text, 300)])
  return inertJson(Object.fromEntries(facts))
}

// Workflows paste outputs into scripts and logs: nothing in a name may end a string of the shell, issue a command of
// the runner or hide. In JSON strings, every character may be written as its number.
function inertJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[<>&'`$!%;]|[^ -~]/g, escaped)
    .replace(/:(?=:)|#(?=#)/g, escaped)
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
