import type { BaselineSource } from '../baseline/source.js'
import type { Gate, CheckXPath, SuitePercentiles } from '../gates/language/gate.js'
import type { MatrixPlace } from '../outcome/outcome.js'
import type { Credentials, Project } from '../service/project.js'
import { defined } from '../text/fields.js'
import type { ActionName } from '../outcome/kinds.js'
import { failOnChoices, type FailOn } from './fail-on.js'
import { InputReader, unknownInputs } from './input-reader.js'
import {
  checkComparisons,
  checkPercentiles,
  checkServiceless,
  readBaseline,
  readConfirm,
  readGates,
  readLabel,
  readPlace,
} from './judging.js'
import {
  readArchive,
  readMode,
  readService,
  readTest,
  readWaiting,
  type SuiteProperties,
} from './load-test.js'
import { readMergeSource } from './merge-source.js'
import { readReportSource, type ReportSource } from './report-source.js'

/** What every action reads. */
interface SharedInputs {
  /** This step's leg of the matrix, where the runner says which. */
  place?: MatrixPlace
  /** The names of the step's artifacts begin with it; also the name of its status. */
  name: string
  /** 0 = the repository's setting. */
  retentionDays: number
  githubToken: string
  failOn: FailOn
  /** Sentences for all mistakes; the value of an input with a mistake has no meaning. */
  faults: { inputs: readonly string[]; gates: readonly string[] }
  /** Sentences for what has no effect, or is most likely not meant. */
  warnings: readonly string[]
}

/** What an action reads that comments. */
interface CommentingInputs extends SharedInputs {
  comment: (typeof commentChoices)[number]
  /** The pull request that the step is for, where no pull request started the workflow. */
  pullRequest?: number
  /** The name as it was given, which the comment belongs to; absent = the comment is this step's own. */
  commentKey?: string
  /** Whether the measured commit gets a status. */
  status: boolean
}

/** What an action reads that judges a report. */
interface JudgingInputs extends CommentingInputs {
  gates: Gate[]
  baseline?: BaselineSource
  /** The label that accepts failed gates; absent = none does. */
  accept?: string
}

/** What names a load test. */
export type LoadTestName = { number: number } | { name: string }

/** What every mode about a load test reads. Durations are milliseconds, paths absolute. */
interface ServiceInputs extends JudgingInputs {
  baseUrl: string
  credentials: Credentials
  project: Project
  /** Address of a run's page with {organization}, {project} and {number}, where the service names none. */
  runPage?: string
  timeout: number
  reportTimeout: number
  /** Whether results are downloaded, too. */
  results: boolean
}

/** What the code archive is made of, and what becomes of it. */
export interface ArchiveInputs {
  /** The folder to pack; the workspace if nothing is packed. */
  source: string
  /** A ZIP that exists already. */
  archive?: string
  exclude: string[]
  /** Appended to a file of the archive; the working tree does not change. */
  properties?: SuiteProperties
  upload: boolean
  deleteArchive: boolean
  /** Absent if it is not known which the suite asks for. */
  percentiles?: SuitePercentiles
}

interface NewRunInputs extends ServiceInputs, ArchiveInputs {
  /** Continue with the run of an earlier attempt of the job. */
  resume: boolean
  /** Start a second run if only gates that compare failed in the first. */
  confirm: boolean
}

/** A new run, followed to its end or only started. */
export interface StartInputs extends NewRunInputs {
  mode: 'run' | 'start'
  template: LoadTestName
}

/** The run of another step. */
export interface CollectInputs extends ServiceInputs {
  mode: 'collect'
  runNumber: number
}

/** What a run with these inputs would need. */
export interface CheckInputs extends NewRunInputs {
  mode: 'check'
  /** Absent if it is not named. */
  template?: LoadTestName
}

/** The inputs of the action at the root of the repository, which is about a load test. */
export type Inputs = StartInputs | CollectInputs | CheckInputs

export interface JudgeInputs extends JudgingInputs {
  mode: 'judge'
  report: ReportSource
}

export interface MergeInputs extends CommentingInputs {
  mode: 'merge'
  /** Those that there should be, as the outcomes name them; empty = as many as their matrix has. */
  legs: readonly string[]
  /** How each job that this one needs ended, in GitHub's words, such as `success`. */
  needs: Readonly<Record<string, string>>
}

export interface HistoryInputs extends SharedInputs {
  mode: 'history'
  /** How many runs at most. */
  runs: number
  /** Tried on the runs. */
  gates: Gate[]
}

/** The inputs of one of the actions, read and checked. */
export type ActionInputs = Inputs | JudgeInputs | MergeInputs | HistoryInputs

/** A run costs two requests to GitHub, and a job's token may send 1,000 per hour. */
const mostRuns = 200

/** What a step is called that has no name. */
const usualName = 'load-test'

const commentChoices = ['auto', 'always', 'never'] as const

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
 * Reads the inputs of an action.
 *
 * @param get the value of an input, defaults applied by the runner
 * @param checkXPath looks at the expressions of xpath gates; without it they are not checked
 * @returns the inputs, with every fault of every input
 */
export function readInputs(
  action: ActionName,
  get: (name: string) => string,
  occasion: Occasion,
  checkXPath?: CheckXPath,
): ActionInputs {
  const read = new InputReader(get)
  if (occasion.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    read.fault(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off, which this step does not allow. ' +
        'Remove it; name your own CA in NODE_EXTRA_CA_CERTS.',
    )
  }
  const wish = readWish(action, read, occasion, checkXPath)
  const unknown = unknownInputs(occasion.env, [...read.names])
  const { inputs, gates } = read.faults
  const warnings = [...read.warnings, ...unknown.warnings]
  return { ...wish, faults: { inputs: [...inputs, ...unknown.faults], gates }, warnings }
}

/** The inputs with mistakes that only showed outside of them. */
export function withFaults(inputs: ActionInputs, more: readonly string[]): ActionInputs {
  if (more.length === 0) return inputs
  return { ...inputs, faults: { ...inputs.faults, inputs: [...inputs.faults.inputs, ...more] } }
}

/** Whether these inputs do not allow a run. Mode check accepts them all: it reports the mistakes. */
export function areRefused({ mode, faults }: Pick<ActionInputs, 'mode' | 'faults'>): boolean {
  return mode !== 'check' && faults.inputs.length + faults.gates.length > 0
}

function readWish(action: ActionName, read: InputReader, occasion: Occasion, checkXPath?: CheckXPath) {
  switch (action) {
    case 'load-test':
      return readLoadTest(read, occasion, checkXPath)
    case 'judge': {
      const report = readReportSource(read, occasion.workspace)
      const judging = readJudging(read, occasion, checkXPath)
      checkServiceless(read, judging.baseline)
      return { mode: action, report, ...judging, ...readCommenting(read) }
    }
    case 'merge':
      return { mode: action, ...readMergeSource(read), ...readCommenting(read) }
    case 'history': {
      const runs = read.whole('history-runs', 1, mostRuns)
      const gates = readGates(read, occasion.workspace, checkXPath)
      return { mode: action, runs, gates, ...readShared(read) }
    }
  }
}

function readLoadTest(read: InputReader, occasion: Occasion, checkXPath?: CheckXPath) {
  const mode = readMode(read)
  const judging = readJudging(read, occasion, checkXPath)
  const service = readService(read, occasion)
  // What is not for this mode is read as well, for its mistakes.
  const { template, runNumber } = readTest(read, mode)
  const archive = readArchive(read, mode, occasion)
  // A baseline shows more, and is looked at before the start.
  if (mode === 'start' || (mode !== 'collect' && !judging.baseline))
    checkPercentiles(read, judging.gates, archive.percentiles)
  const resume = read.flag('resume')
  const common = {
    ...service,
    ...readWaiting(read),
    ...judging,
    ...readCommenting(read),
    results: read.flag('results'),
  }
  const forStart = { ...archive, resume, confirm: readConfirm(read, mode, judging.baseline) }
  if (mode === 'collect') return { mode, ...common, runNumber }
  if (mode === 'check') return { mode, ...common, ...forStart, ...defined({ template }) }
  return { mode, ...common, ...forStart, template: template ?? { number: 0 } }
}

function readJudging(read: InputReader, { workspace, env }: Occasion, checkXPath?: CheckXPath) {
  const gates = readGates(read, workspace, checkXPath)
  checkComparisons(read, gates)
  return {
    gates,
    ...readBaseline(read, workspace),
    ...defined({ accept: readLabel(read) }),
    ...readPlace(read, env.GITHUB_JOB),
  }
}

function readCommenting(read: InputReader) {
  return {
    comment: read.choice('comment', commentChoices),
    ...defined({
      commentKey: read.text('name') || undefined,
      pullRequest: read.optionalNumber('pull-request'),
    }),
    status: read.flag('status'),
    ...readShared(read),
  }
}

function readShared(read: InputReader) {
  return {
    name: read.artifactName('name', usualName),
    retentionDays: read.whole('retention-days', 0, 400),
    githubToken: read.text('github-token'),
    failOn: read.choice('fail-on', failOnChoices),
  }
}
