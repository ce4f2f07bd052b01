import path from 'node:path'
import type { CheckXPath } from '../language/gate.js'
import type { ActionName, Verdict } from '../outcome/outcome.js'
import type { Scope } from '../service/project.js'
import { defined, isFields, parsedJson } from '../text/fields.js'
import { InputReader, misspelled } from './input-reader.js'
import { checkServiceless, readCommenting, readGates, readJudging, readShared } from './judging.js'
import { readRootInputs } from './root-inputs.js'

/** The inputs of one of the actions, read and checked. Durations are milliseconds, paths absolute. */
export type ActionInputs = ReturnType<typeof readWish> & {
  /** Sentences for all mistakes; the value of an input with a mistake has no meaning. */
  faults: { inputs: readonly string[]; gates: readonly string[] }
  /** Sentences for what is most likely not meant. */
  warnings: readonly string[]
}

/** The inputs of the action at the root of the repository, which is about a load test. */
export type Inputs = Extract<ActionInputs, { baseUrl: string }>
/** A new run, followed to its end or only started. */
export type StartInputs = Extract<Inputs, { mode: 'run' | 'start' }>
/** The run of another step. */
export type CollectInputs = Extract<Inputs, { mode: 'collect' }>
/** What a run with these inputs would need; no template if none is named. */
export type CheckInputs = Extract<Inputs, { mode: 'check' }>

/** Facts about the job on which inputs depend. */
export interface Occasion {
  workspace: string
  /** Why secrets are missing here, if there is a special reason. */
  withoutSecrets?: string
  /** Why a folder must not be packed here: the job has secrets, and its code is not, or not only, the repository's. */
  whyNotPacked?: (folder: string) => string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** Looks at the expressions of xpath gates; without it they are not checked: its engine is large. */
  checkXPath?: CheckXPath
}

/** @param get the value of an input, defaults applied by the runner. @returns the inputs, with every fault of each */
export function readInputs(action: ActionName, get: (name: string) => string, occasion: Occasion) {
  const read = new InputReader(get, occasion.workspace)
  if (occasion.env.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    read.fault(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off, which this step does not allow. Remove it; name your own CA in NODE_EXTRA_CA_CERTS.',
    )
  const wish = readWish(action, read, occasion)
  const { faults, warnings } = read
  return withFaults({ ...wish, faults, warnings }, misspelled(occasion.env, [...read.names]))
}

/** The inputs with mistakes that only showed outside of them. */
export function withFaults(inputs: ActionInputs, more: readonly string[]): ActionInputs {
  return { ...inputs, faults: { ...inputs.faults, inputs: [...inputs.faults.inputs, ...more] } }
}

/** Whether these inputs do not allow a run. Mode check accepts them all: it reports the mistakes. */
export function areRefused({ mode, faults }: Pick<ActionInputs, 'mode' | 'faults'>): boolean {
  return mode !== 'check' && faults.inputs.length + faults.gates.length > 0
}

/** A run costs two requests to GitHub, and a job's token may send 1,000 per hour. */
const mostRuns = 200

function readWish(action: ActionName, read: InputReader, occasion: Occasion) {
  switch (action) {
    case 'load-test':
      return readRootInputs(read, occasion)
    case 'judge': {
      const report = readReport(read)
      const judging = readJudging(read, occasion)
      checkServiceless(read, judging.baseline)
      return { mode: action, report, ...judging, ...readCommenting(read) }
    }
    case 'merge':
      return { mode: action, legs: readLegs(read), needs: readNeeds(read), ...readCommenting(read) }
    case 'history': {
      const runs = read.whole('history-runs', 1, mostRuns)
      return { mode: action, runs, gates: readGates(read, occasion), ...readShared(read) }
    }
  }
}

/** A workflow run by its number, or the newest one of this workflow and commit that has the artifact. */
export type ReportRun = number | typeof sameCommit

export const sameCommit = 'same-commit' as const

const artifactPrefix = 'artifact:'

/** What is judged: an absolute path, which may have wildcards, or an artifact of this or another workflow run. */
function readReport(read: InputReader) {
  const report = read.required('report', 'report is required: a path of the report, or artifact:NAME.')
  const given = read.text('report-run')
  if (!report.startsWith(artifactPrefix)) {
    if (/^(?:https?:\/\/|load-test:|artifacts?$)/i.test(report))
      read.fault(
        'report is no path: download the report in an earlier step and write its path, or write artifact:NAME.',
      )
    if (given !== '')
      read.fault('report-run has no effect on a path: write report: artifact:NAME, or remove report-run.')
    return { kind: 'path' as const, path: path.resolve(read.workspace, report) }
  }
  const name = report.slice(artifactPrefix.length).trim()
  if (name === '') read.fault('report names no artifact: write its name, such as artifact:load-test-report.')
  const run: ReportRun | undefined = given === sameCommit ? sameCommit : read.optionalNumber('report-run')
  return { kind: 'artifact' as const, name, ...defined({ run }) }
}

/** A matrix has at most 256 legs. */
const mostLegs = 256

/** Those that there should be: one per line, or a list of JSON. None = as many as their matrix has. */
function readLegs(read: InputReader): string[] {
  const text = read.text('legs')
  const listed: unknown = text.startsWith('[') ? parsedJson(text) : read.lines('legs')
  // No artifact may be called otherwise, and a list of YAML has dashes.
  const isName = (one: unknown): one is string => typeof one === 'string' && !/^\s*- |[":<>|*?\\/]/.test(one)
  if (!Array.isArray(listed) || !listed.every(isName)) {
    read.fault('legs is not a list of names: write one per line, or a JSON list of texts.')
    return []
  }
  const legs = new Set(listed.map((one) => one.trim()).filter((one) => one !== ''))
  if (legs.size > mostLegs) read.fault(`legs names more than ${mostLegs} legs, which no matrix has.`)
  return [...legs]
}

/** How each job that this one needs ended, in GitHub's words, such as `success`. */
function readNeeds(read: InputReader): Record<string, string> {
  const jobs = parsedJson(read.text('needs') || '{}')
  const results = Object.entries(isFields(jobs) ? jobs : { '': jobs })
  const needs: Record<string, string> = {}
  for (const [job, one] of results) {
    if (isFields(one) && typeof one.result === 'string') needs[job] = one.result
    else {
      read.fault('needs does not say how the jobs ended: write needs: ${{ toJSON(needs) }}.')
      return {}
    }
  }
  return needs
}

/** With which `fail-on` a step with this verdict goes red. */
const redWith: Record<Verdict, readonly ActionInputs['failOn'][]> = {
  passed: [],
  accepted: [],
  started: [],
  invalid: ['failed'],
  failed: ['failed'],
  'load-test-failed': ['failed', 'error'],
  'timed-out': ['failed', 'error'],
  cancelled: ['failed', 'error'],
  error: ['failed', 'error'],
}

export function goesRed(verdict: Verdict, failOn: ActionInputs['failOn']): boolean {
  return redWith[verdict].includes(failOn)
}

/** What credentials may lack: the list only follows up a start whose answer is lost, and details do for a status. */
export const optionalScopes: readonly Scope[] = ['LOADTEST_LIST', 'LOADTEST_STATUS']

/**
 * Only the scopes that the calls of a step need (interface section 4), so that credentials with few scopes are enough.
 * Mode check checks those of mode run.
 */
export function scopesFor(inputs: Inputs): Scope[] {
  const scopes: Scope[] = ['LOADTEST_DETAILS']
  if (inputs.mode !== 'collect') {
    // The list shows the result of a start whose answer was lost.
    scopes.push('LOADTEST_LIST', 'LOADTEST_COPY_RUN')
    if (inputs.upload) scopes.push('CODEARCHIVE_UPLOAD')
    if (inputs.deleteArchive) scopes.push('CODEARCHIVE_DELETE')
  }
  if (inputs.mode !== 'start') {
    scopes.push('LOADTEST_STATUS', 'LOADTEST_REPORT_DOWNLOAD')
    if (inputs.results) scopes.push('LOADTEST_RESULT_DOWNLOAD')
  }
  return scopes
}
