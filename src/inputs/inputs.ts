import path from 'node:path'
import type { BaselineSource } from '../baseline/source.js'
import type { Gate } from '../gates/gate.js'
import type { CheckXPath } from '../gates/xpath-check.js'
import type { MatrixPlace } from '../outcome.js'
import type { Project } from '../service/operations.js'
import type { Credentials } from '../service/token.js'
import { defined } from '../text/fields.js'
import { inputReader, type InputReader } from './input-reader.js'
import { readHistory, type HistoryWish } from './history-wish.js'
import { readBaseline, readGates } from './judging.js'
import { readLoadTestInputs } from './load-test.js'
import { readPlace } from './matrix-place.js'
import { readMergeSource, type MergeSource } from './merge-source.js'
import { isWithoutService, modes, type Mode } from './modes.js'
import { readNoLoadTest } from './no-load-test.js'
import type { SuiteProperties } from './properties.js'
import { readReportSource, type ReportSource } from './report-source.js'
import { unknownInputs } from './unknown-inputs.js'

/**
 * All inputs of the step, read and checked. Durations are milliseconds, paths absolute. In modes without a service,
 * those of `noLoadTest` have no meaning.
 */
export interface Inputs {
  baseUrl: string
  credentials: Credentials
  project: Project
  mode: Mode
  /** The template; absent in mode collect, and in mode check where it is not named. */
  template?: { number: number } | { name: string }
  /** What is judged; in mode judge only. */
  report?: ReportSource
  /** What is read and attached; in mode history only. */
  history?: HistoryWish
  /** What is merged; in mode merge only. */
  merge?: MergeSource
  /** This step's leg of the matrix, where the runner says which. */
  place?: MatrixPlace
  /** The run to collect; in mode collect only. */
  runNumber?: number
  /** Address of a run's page with {organization}, {project} and {number}, where the service names none. */
  runPage?: string
  source: string
  /** A ZIP that exists already. */
  archive?: string
  exclude: string[]
  /** Appended to a file of the archive; the working tree does not change. */
  properties?: SuiteProperties
  upload: boolean
  deleteArchive: boolean
  /** Continue with the run of an earlier attempt of the job. */
  resume: boolean
  /** Absent = adaptive. */
  pollInterval?: number
  timeout: number
  reportTimeout: number
  reportArtifact: string
  /** Absent = results are not downloaded. */
  resultsArtifact?: string
  outcomeArtifact: string
  /** 0 = the repository's setting. */
  retentionDays: number
  gates: Gate[]
  baseline?: BaselineSource
  /** Start a second run if only gates that compare failed in the first. */
  confirm: boolean
  /** The label that accepts failed gates; absent = none does. */
  accept?: string
  comment: (typeof commentChoices)[number]
  /** Distinguishes the comments of several steps or matrix legs. */
  commentKey: string
  githubToken: string
  failOn: (typeof failOnChoices)[number]
  /** Sentences for all mistakes; the value of an input with a mistake has no meaning. */
  faults: { inputs: readonly string[]; gates: readonly string[] }
  /** Sentences for what has no effect. */
  warnings: readonly string[]
}

const commentChoices = ['auto', 'always', 'never'] as const
const failOnChoices = ['failed', 'error', 'never'] as const

/** Facts about the job on which inputs depend. */
export interface Occasion {
  workspace: string
  /** Why secrets are missing here, if there is a special reason. */
  withoutSecrets?: string
  /** Why a folder must not be packed here: the job has secrets, and its code is not, or not only, the repository's. */
  whyNotPacked?: (folder: string) => string | undefined
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the inputs of action.yml.
 *
 * @param get the value of an input, defaults applied by the runner
 * @param checkXPath looks at the expressions of xpath gates; without it they are not checked
 * @returns the inputs, with every fault of every input
 */
export function readInputs(
  get: (name: string) => string,
  occasion: Occasion,
  checkXPath?: CheckXPath,
): Inputs {
  const read = inputReader(get)
  if (occasion.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    read.fault(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off, which this step does not allow. ' +
        'Remove it; name your own CA in NODE_EXTRA_CA_CERTS.',
    )
  }
  const mode = read.choice('mode', modes)
  const { gates, faults } = readGates(read, occasion.workspace, checkXPath)
  const artifacts = readArtifacts(read)
  const inputs = {
    ...(isWithoutService(mode) ? readNoLoadTest(read, mode) : readLoadTestInputs(read, mode, occasion)),
    mode,
    ...readReportSource(read, mode === 'judge', (text) => path.resolve(occasion.workspace, text)),
    ...artifacts,
    ...readHistory(read, mode),
    ...readMergeSource(read, mode === 'merge', artifacts.outcomeArtifact),
    ...readPlace(read, occasion.env.GITHUB_JOB),
    ...readBaseline(read, mode, occasion.workspace),
    ...defined({ accept: read.text('accept') || undefined }),
    ...readPublishing(read),
    gates,
  }
  const unknown = unknownInputs(occasion.env, [...read.names])
  return {
    ...inputs,
    faults: { inputs: [...read.faults, ...unknown.faults], gates: faults },
    warnings: unknown.warnings,
  }
}

/** Whether these inputs do not allow a run. Mode check accepts them all: it reports the mistakes. */
export function areRefused({ mode, faults }: Pick<Inputs, 'mode' | 'faults'>): boolean {
  return mode !== 'check' && faults.inputs.length + faults.gates.length > 0
}

function readArtifacts(read: InputReader) {
  const reportArtifact = read.artifactName('report-artifact')
  const resultsArtifact = read.artifactName('results-artifact')
  if (reportArtifact === '')
    read.fault('report-artifact is empty: write the name of the artifact for the report.')
  const outcomeArtifact = read.artifactName('outcome-artifact')
  if (outcomeArtifact === '')
    read.fault('outcome-artifact is empty: write the name of the artifact for the outcome file.')
  const names = [reportArtifact, resultsArtifact, outcomeArtifact].filter((name) => name !== '')
  if (new Set(names).size < names.length) {
    read.fault('report-artifact, results-artifact and outcome-artifact must be different names.')
  }
  return {
    reportArtifact,
    outcomeArtifact,
    ...defined({ resultsArtifact: resultsArtifact || undefined }),
    retentionDays: read.whole('artifact-retention-days', 0, 400),
  }
}

function readPublishing(read: InputReader) {
  return {
    comment: read.choice('comment', commentChoices),
    commentKey: read.text('comment-key'),
    githubToken: read.text('github-token'),
    failOn: read.choice('fail-on', failOnChoices),
  }
}
