import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { baselineReport } from '../baseline/baseline.js'
import { message, NoArtifactServiceError } from '../errors.js'
import type { ActionInputs } from '../inputs/inputs.js'
import type { Log } from '../log.js'
import {
  isGreen,
  withPart,
  type Artifact,
  type HistoryOutcome,
  type LoadTestOutcome,
  type MergeOutcome,
  type Outcome,
  type Part,
  type ReportFile,
  type Run,
} from '../outcome/outcome.js'
import { tooLarge } from '../outcome/outcome-file.js'
import { chartsOf } from '../report/reading/kept-charts.js'
import { distinction, testedName } from '../text/attempt-name.js'
import { jsonPieces } from '../text/fields.js'
import { reasonsAbout } from '../text/reason.js'
import { type ChartReader, digestWithCharts } from './digest/digest.js'

export interface Attaching {
  inputs: Pick<ActionInputs, 'name' | 'retentionDays'>
  temp: string
  /** Attaches a file to the workflow run whose page is given. @throws NoArtifactServiceError if there is no place for it */
  attach: (
    file: Pick<Next, 'name' | 'ending'> & {
      path: string
      distinction: (nth: number) => string
      retentionDays: number
    },
    workflowRunUrl: string,
  ) => Promise<Artifact>
  /** Distinguishes artifacts of other attempts. */
  attempt: string
  log: Log
}

/** Attaches what belongs to the outcome. @returns the outcome with it, or with why it is missing */
export async function attachAll(outcome: Outcome, attaching: Attaching): Promise<Outcome> {
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
  return withAttached(outcome, await attachOne(outcome, attaching, next))
}

/** Evidence first: after that the verdict is final, so that digest, outcome file and everything else agree. */
async function attachEvidence(begun: LoadTestOutcome | MergeOutcome, attaching: Attaching): Promise<Outcome> {
  const { inputs, temp } = attaching
  let outcome: Outcome = begun
  const attachNext = async (next: Next) => {
    outcome = withAttached(outcome, await attachOne(outcome, attaching, next))
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
function evidenceOf(outcome: LoadTestOutcome, { name: step }: Attaching['inputs']): Next[] {
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
  { step }: Outcome,
  { inputs, attach, attempt, log }: Attaching,
  { what, file, name, ending, subject }: Next,
): Promise<Attached> {
  const { retentionDays } = inputs
  log.info(`Attaching ${name}${ending}`)
  try {
    const attachment = {
      ...{ path: await file(), name, ending, retentionDays },
      distinction: (nth: number) => distinction(subject, attempt, nth),
    }
    const artifact = await attach(attachment, step.workflowRunUrl ?? '')
    log.info(`Attached ${artifact.name}: ${artifact.url}`)
    return { what, artifact }
  } catch (error) {
    const sentence = `${name}${ending} could not be attached to the workflow run: ${message(error)}`
    log.info(sentence)
    const isNowhere = error instanceof NoArtifactServiceError
    return { what, fault: { sentence, isNowhere } }
  }
}

/** What the step attaches to the workflow run. */
type Attachable = 'report' | 'results' | 'second-report' | 'second-results' | 'digest' | 'history' | 'outcome'

/** The result: the artifact, or why there is none. */
interface Attached {
  what: Attachable
  artifact?: Artifact
  fault?: {
    sentence: string
    /** There is no artifact service at all; the workflow cannot change that. */
    isNowhere: boolean
  }
}

/**
 * The outcome with what was attached. Report and results are the evidence: green is lost if one of them is asked for
 * and not attached. Digest and outcome file only show the verdict, like a comment: a note says that one is missing.
 */
export function withAttached(outcome: Outcome, { what, artifact, fault }: Attached): Outcome {
  if (fault) {
    const isShown = what === 'digest' || what === 'outcome'
    if (isShown || fault.isNowhere) return withPart(outcome, { notes: [fault.sentence] })
    const { verdict } = outcome
    const reasons = reasonsAbout('report', fault.sentence)
    return withPart(outcome, { verdict: isGreen(verdict) ? 'error' : verdict, reasons })
  }
  if (!artifact || what === 'outcome') return outcome
  switch (outcome.kind) {
    case 'load-test':
      return withPart(outcome, partOf(outcome, what, artifact))
    case 'merge':
      return withPart(outcome, { digest: artifact })
    case 'history': {
      const { historyPage: page } = outcome
      return page ? withPart(outcome, { historyPage: { ...page, artifact } }) : outcome
    }
    default:
      return outcome
  }
}

function partOf(outcome: LoadTestOutcome, what: Attachable, artifact: Artifact): Part {
  const { confirmation } = outcome
  const kind = what.endsWith('report') ? 'report' : 'results'
  const withArtifact = ({ [kind]: file }: Pick<LoadTestOutcome, 'report' | 'results'>) =>
    file && { [kind]: { ...file, artifact } }
  if (what === 'digest') return { digest: artifact }
  if (!what.startsWith('second-')) return { ...withArtifact(outcome) }
  return confirmation ? { confirmation: { ...confirmation, ...withArtifact(confirmation) } } : {}
}

export async function writeOutcome(outcome: Outcome, temp: string): Promise<string> {
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
