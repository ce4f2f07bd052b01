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
  type Run,
} from '../outcome/outcome.js'
import { tooLarge } from '../outcome/outcome-file.js'
import { chartsOf } from '../report/reading/kept-charts.js'
import { distinction, testedName } from '../text/attempt-name.js'
import { jsonPieces } from '../text/fields.js'
import { reasonsAbout, sentence } from '../text/reason.js'
import { type ChartReader, digestWithCharts } from './digest/digest.js'

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

/**
 * Attaches what belongs to the outcome. Evidence first: after that the verdict is final, so that digest, outcome file and
 * everything else agree.
 *
 * @returns the outcome with it, or with why it is missing
 */
export async function attachAll(begun: Outcome, attaching: Attaching): Promise<Outcome> {
  if (begun.kind === 'history') return attachPage(begun, attaching)
  if (begun.kind === 'check') return begun
  const { temp } = attaching
  let outcome = begun.kind === 'load-test' ? await withEvidence(begun, attaching) : begun
  const subject = begun.kind === 'merge' ? 'merged' : subjectOf(begun, begun.run)
  const judged = outcome
  if (judged.kind === 'load-test' ? judged.figures : judged.legs) {
    const file = async () => {
      const digest = path.join(temp, 'digest.html')
      await writeFile(digest, await digestWithCharts(judged, bothCharts(judged, temp)))
      return digest
    }
    const next = { file, what: 'digest', ending: '.html', subject, isNeeded: false }
    outcome = await withAttached(outcome, attaching, { ...next, part: (digest) => ({ digest }) })
  }
  if (begun.verdict !== 'started' && begun.verdict !== 'cancelled') {
    const whole = outcome
    const file = () => readableOutcome(whole, temp)
    const next = { file, what: 'outcome', ending: '.json', subject, isNeeded: false }
    outcome = await withAttached(outcome, attaching, { ...next, part: () => ({}) })
  }
  return outcome
}

/** The outcome file of a history does not belong to a run: later runs must not find it. */
async function attachPage(outcome: HistoryOutcome, attaching: Attaching): Promise<Outcome> {
  const { history, historyPage: page } = outcome
  if (!history || !page) return outcome
  return withAttached(outcome, attaching, {
    ...{ file: async () => page.path, what: 'history', ending: '.html', isNeeded: true },
    subject: history.branch.replace(/[^\w.-]+/g, '-').slice(-60),
    part: (artifact) => ({ historyPage: { ...page, artifact } }),
  })
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

interface Next<T extends Outcome> {
  /** Writes it, unless it is on disk already. @returns its path */
  file: () => Promise<string>
  what: string
  ending: string
  /** What was tested or judged, for the file's name. */
  subject: string
  /** Green is lost without it. */
  isNeeded: boolean
  /** What the outcome then has. */
  part: (artifact: Artifact, outcome: T) => Part<T>
}

/** With report and results of the run, and of a second one, except what is already attached. */
async function withEvidence(begun: LoadTestOutcome, attaching: Attaching): Promise<LoadTestOutcome> {
  let outcome = begun
  for (const isSecond of [false, true]) {
    for (const kind of ['report', 'results'] as const) {
      const from = isSecond ? begun.confirmation : begun
      const evidence = from?.[kind]
      if (!evidence || evidence.artifact) continue
      outcome = await withAttached(outcome, attaching, {
        ...{ file: async () => evidence.path, ending: evidence.ending, isNeeded: true },
        what: `${kind}${isSecond ? '-second' : ''}`,
        subject: subjectOf(begun, from.run),
        part(artifact, { confirmation }) {
          const kept = { [kind]: { ...evidence, artifact } }
          return isSecond && confirmation ? { confirmation: { ...confirmation, ...kept } } : kept
        },
      })
    }
  }
  return outcome
}

function subjectOf({ report }: LoadTestOutcome, run: Run | undefined): string {
  return testedName(run?.number, report?.given?.name)
}

/**
 * The outcome with what was attached. Report and results are the evidence: green is lost if one of them is asked for
 * and not attached. Digest and outcome file only show the verdict, like a comment: a note says that one is missing.
 */
async function withAttached<T extends Outcome>(
  outcome: T,
  { inputs, attach, attempt, log }: Attaching,
  { file, what, ending, subject, isNeeded, part }: Next<T>,
): Promise<T> {
  const { retentionDays } = inputs
  const name = `${inputs.name}-${what}`
  log.info(`Attaching ${name}${ending}`)
  try {
    const attachment = {
      ...{ path: await file(), name, ending, retentionDays },
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
