import { defined } from '../text/fields.js'
import path from 'node:path'
import { readBaselineSource, sourcesIn, type BaselineSource } from '../baseline/source.js'
import { message } from '../errors.js'
import { faultMessage } from '../gates/fault.js'
import type { Gate } from '../gates/gate.js'
import { parseGatesFile } from '../gates/gates-file.js'
import { parseGates } from '../gates/grammar.js'
import type { CheckXPath } from '../gates/xpath-check.js'
import { inputReader, type InputReader } from './input-reader.js'
import { readNoLoadTest } from './no-load-test.js'
import { readReportSource, type ReportSource } from './report-source.js'
import { readProperties, type SuiteProperties } from './properties.js'
import { unknownInputs } from './unknown-inputs.js'
import { readBaseUrl } from '../service/address.js'
import type { Credentials } from '../service/token.js'
import type { Project } from '../service/operations.js'
import { isFileOrFolder, readRegularFile } from '../text/regular-file.js'

export const modes = ['run', 'start', 'collect', 'check', 'judge'] as const
export type Mode = (typeof modes)[number]

/**
 * All inputs of the step, read and checked. Durations are milliseconds, paths absolute. In mode judge those of
 * `noLoadTest` say nothing.
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
  /** The run to collect; in mode collect only. */
  runNumber?: number
  /** Address of a run's page with {organization}, {project} and {number}, where the service names none. */
  runPage?: string
  source: string
  /** A ZIP that exists already. */
  archive?: string
  exclude: string[]
  /** Appended to a file of the archive; the working tree stays as it is. */
  properties?: SuiteProperties
  upload: boolean
  deleteArchive: boolean
  /** Take up the run of an earlier attempt of the job. */
  resume: boolean
  /** Stop the run where the service offers that. */
  stopOnCancel: boolean
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
  /** Start a second run where nothing but gates that compare have failed in the first. */
  confirm: boolean
  comment: (typeof commentChoices)[number]
  /** Tells the comments of several steps or matrix legs apart. */
  commentKey: string
  githubToken: string
  failOn: (typeof failOnChoices)[number]
  /** Sentences for what is wrong: where there are any, what they are about has a value of no meaning. */
  faults: { inputs: readonly string[]; gates: readonly string[] }
  /** Sentences for what has no effect. */
  warnings: readonly string[]
}

const commentChoices = ['auto', 'always', 'never'] as const
const failOnChoices = ['failed', 'error', 'never'] as const

/** What the job says of itself, as far as inputs depend on it. */
export interface Occasion {
  workspace: string
  /** Why secrets are missing here, where that has a reason of its own. */
  withoutSecrets?: string
  /** Why nothing must be packed here: the job has secrets and is about a change of somebody else. */
  foreignHead?: string
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Reads the inputs of action.yml.
 *
 * @param get the value of an input, defaults applied by the runner
 * @param checkXPath looks at the expressions of xpath gates; without it they are taken as they are
 * @returns with every fault of every input
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
  const inputs = {
    ...(mode === 'judge' ? readNoLoadTest(read) : readLoadTest(read, mode, occasion)),
    mode,
    ...readReportSource(read, mode === 'judge', (text) => path.resolve(occasion.workspace, text)),
    ...readArtifacts(read),
    ...readBaseline(read, mode, occasion.workspace),
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

/** Whether no run can be made of these inputs. Mode check takes them all: what is wrong with them is what it tells. */
export function areRefused({ mode, faults }: Pick<Inputs, 'mode' | 'faults'>): boolean {
  return mode !== 'check' && faults.inputs.length + faults.gates.length > 0
}

function readLoadTest(read: InputReader, mode: Exclude<Mode, 'judge'>, occasion: Occasion) {
  return {
    ...readService(read, occasion),
    ...readTest(read, mode),
    ...readArchive(read, mode, occasion),
    ...readWaiting(read),
  }
}

function readService(read: InputReader, { withoutSecrets }: Occasion) {
  const address = read.required('base-url')
  const baseUrl = address === '' ? { url: '' } : readBaseUrl(address)
  if ('fault' in baseUrl) read.fault(baseUrl.fault)
  const secret = (name: string) =>
    read.required(
      name,
      `${name} is empty: ${withoutSecrets ?? 'the secret may not exist in this repository, or not for this event. Add it to the secrets of the repository.'}`,
    )
  return {
    baseUrl: 'url' in baseUrl ? baseUrl.url : '',
    credentials: { clientId: secret('client-id'), clientSecret: secret('client-secret') },
    project: { organization: shortName(read, 'organization'), project: shortName(read, 'project') },
    ...readRunPage(read),
  }
}

function readRunPage(read: InputReader): { runPage?: string } {
  const runPage = read.text('run-page')
  if (runPage === '') return {}
  if (!runPage.includes('{number}') || !/^https?:\/\//.test(runPage) || !URL.canParse(runPage)) {
    read.fault(
      'run-page must be an address with {number} in it, such as https://loadtest.example.com/runs/{number}',
    )
  }
  return { runPage }
}

function shortName(read: InputReader, name: string): string {
  const given = read.required(name)
  if (/[\s/\\?#%]|^\.+$/.test(given)) {
    read.fault(`${name} is "${given.slice(0, 60)}": write its short name, as in the service's addresses.`)
  }
  return given
}

function readTest(read: InputReader, mode: Mode): Pick<Inputs, 'template' | 'runNumber'> {
  const loadTest = read.text('load-test')
  const runNumber = read.text('run-number')
  if (mode === 'collect') {
    if (runNumber === '') {
      read.fault(
        'run-number is required in mode collect: the number that the starting step gave as its output run-number.',
      )
      return {}
    }
    return { runNumber: read.whole('run-number', 1, 999_999_999) }
  }
  if (runNumber !== '') read.fault('run-number is only for mode collect: remove it, or set mode: collect.')
  if (loadTest === '') {
    if (mode === 'check') return {}
    read.fault(
      `load-test is required in mode ${mode}: the number or the exact name of the load test to copy.`,
    )
    return {}
  }
  return { template: /^\d{1,9}$/.test(loadTest) ? { number: Number(loadTest) } : { name: loadTest } }
}

function readArchive(read: InputReader, mode: Mode, { workspace, foreignHead }: Occasion) {
  const archive = read.text('archive')
  const exclude = read.lines('exclude')
  const upload = read.flag('upload')
  const deleteArchive = read.choice('delete-archive', ['never', 'after-run']) === 'after-run'
  if (archive !== '' && exclude.length > 0) {
    read.fault('exclude has no effect on archive, which is used as it is: remove one of them.')
  }
  if (!upload && archive !== '') read.fault('archive has no effect with upload: false: remove one of them.')
  const unpacked =
    archive !== '' ? 'on archive, which is used as it is' : upload ? undefined : 'with upload: false'
  const properties = readProperties(read, mode === 'collect' ? 'in mode collect' : unpacked)
  if (foreignHead !== undefined && upload && archive === '' && mode !== 'collect') read.fault(foreignHead)
  if (deleteArchive && (!upload || (mode !== 'run' && mode !== 'check'))) {
    read.fault(
      "delete-archive: after-run needs mode: run and upload: true, so that the archive is this step's own.",
    )
  }
  return {
    source: path.resolve(workspace, read.text('source') || '.'),
    ...defined({ archive: archive === '' ? undefined : path.resolve(workspace, archive) }),
    exclude,
    ...properties,
    upload,
    deleteArchive,
  }
}

function readWaiting(read: InputReader) {
  const pollInterval = read.optionalDuration('poll-interval')
  return {
    ...defined({ pollInterval }),
    resume: read.flag('resume'),
    stopOnCancel: read.choice('on-cancel', ['leave', 'stop']) === 'stop',
    timeout: read.duration('timeout'),
    reportTimeout: read.duration('report-timeout'),
  }
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

/** Far more than gates for every timer of a report take. */
const mostGatesBytes = 1_000_000

/** Gates are parsed before the first request: a typo must not show after a paid run. */
function readGates(
  read: InputReader,
  workspace: string,
  checkXPath?: CheckXPath,
): { gates: Gate[]; faults: string[] } {
  const options = defined({ checkXPath })
  const parsed = [parseGates(read.raw('gates'), options)]
  const unreadable: string[] = []
  const file = read.text('gates-file')
  if (file !== '') {
    try {
      const text = readRegularFile(path.resolve(workspace, file), mostGatesBytes).toString('utf8')
      parsed.push(parseGatesFile(text, file, options))
    } catch (error) {
      unreadable.push(`gates-file could not be read: ${message(error)}`)
    }
  }
  return {
    gates: parsed.flatMap(({ gates }) => gates),
    faults: [...unreadable, ...parsed.flatMap(({ faults }) => faults).map(faultMessage)],
  }
}

function readBaseline(
  read: InputReader,
  mode: Mode,
  workspace: string,
): Pick<Inputs, 'baseline' | 'confirm'> {
  const runs = read.whole('baseline-runs', 1, 20)
  const baseline = readBaselineSource(read.text('baseline'), runs, (text) => path.resolve(workspace, text))
  if (baseline && 'fault' in baseline) read.fault(baseline.fault)
  for (const source of baseline && 'kind' in baseline ? sourcesIn(baseline) : []) {
    if (source.kind === 'load-test' && mode === 'judge') {
      read.fault(
        `baseline: load-test:${source.number} needs the service, which mode judge does not ask: write artifact, or a path.`,
      )
    }
    if (source.kind !== 'path' || isFileOrFolder(source.path)) continue
    const given = path.relative(workspace, source.path)
    read.fault(
      `baseline is not a file or folder in the workspace: ${given}. Put it there in an earlier step.`,
    )
  }
  if (runs > 1 && !baseline)
    read.fault('baseline-runs needs a baseline: set baseline: artifact, or remove it.')
  const confirm = read.whole('confirm', 0, 1) === 1
  if (confirm && mode !== 'run' && mode !== 'check')
    read.fault('confirm: 1 needs mode: run, in which the step can start a second run.')
  if (confirm && !baseline)
    read.fault('confirm: 1 needs a baseline: only gates that compare are looked at twice.')
  return { confirm, ...(baseline && !('fault' in baseline) ? { baseline } : {}) }
}

function readPublishing(read: InputReader) {
  return {
    comment: read.choice('comment', commentChoices),
    commentKey: read.text('comment-key'),
    githubToken: read.text('github-token'),
    failOn: read.choice('fail-on', failOnChoices),
  }
}
