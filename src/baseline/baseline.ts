import path from 'node:path'
import { mkdir } from 'node:fs/promises'
import { message, ReportError, UserError } from '../errors.js'
import { oneLine } from '../text/foreign-text.js'
import { nameIn } from '../text/regular-file.js'
import type { RunOrigin, Unfit } from '../noise/baseline.js'
import type { BaselineInfo } from '../comparison/comparison.js'
import { compares, placeOf, reportPercentiles, strangePercentiles } from '../language/gate.js'
import type { Gate, SuitePercentiles } from '../language/gate.js'
import { didYouMean } from '../text/nearest.js'
import type { Log } from '../log.js'
import { readReport, receiveReport, reportFiles } from '../report/reading/report-reader.js'
import type { Percentile, Report } from '../report/report.js'
import type { Client } from '../service/service.js'
import { deadline, isoTime } from '../clock.js'
import { defined } from '../text/fields.js'
import { formatDuration } from '../text/duration.js'
import { earlierRun, mostOutcomeBytes, readOutcome, type ParsedOutcome } from '../outcome/outcome-file.js'
import type { Measured } from '../outcome/code-origin.js'
import { judgedVerdicts, type Step } from '../outcome/outcome.js'
import { latest } from '../service/project.js'
import { absenceAdvice, whyFirst, type BaselineSource, type EarlierRuns, type OwnPlace } from './source.js'

/** The earlier runs that a run is compared with, the latest first, and how to name them. */
export interface BaselineRuns {
  reports: Report[]
  /** What is known about each besides its report, in the same order. */
  origins: RunOrigin[]
  info: BaselineInfo
  /** Runs that set no level, but say how much runs differ. */
  reds?: Report[]
}

/** The outcome file of an earlier run of the workflow, on disk. */
export interface EarlierOutcome {
  path: string
  url: string
  branch: string
  commit: string
}

/** An earlier run of the workflow that may be a baseline. */
export interface BaselineCandidate extends Omit<EarlierOutcome, 'path'> {
  outcome: ParsedOutcome
}

/** A workflow's earlier runs, the latest first. */
export interface EarlierOutcomes {
  outcomes: BaselineCandidate[]
  /** Runs that set no level, but say how much runs differ. */
  reds: BaselineCandidate[]
  /** A sentence for each that cannot be used. */
  unread: string[]
  own: OwnPlace
  /** Those of the repository, if it has none of the wanted name. */
  branches?: string[]
}

export interface FoundBaseline {
  /** Absent if there are none yet. */
  runs?: BaselineRuns
  /** If there is nothing to compare with, that is nobody's fault: why. */
  first?: Unfit
  /** What readers should know about it, as sentences. */
  notes: string[]
  /** What to do if something is not measured because there are none, as sentences. */
  advice: string[]
}

export interface BaselineWorld {
  /** Absent in modes without the service. */
  client?: Pick<Client, 'details' | 'open'>
  /** The outcomes of the latest successful runs on the base branch. */
  earlierOutcomes(wanted: EarlierRuns, measured?: Measured): Promise<EarlierOutcomes>
  /** What is judged, where this step did not start it. */
  measured?: Measured
  /** That gates ask for, of samples. */
  percentiles?: readonly Percentile[]
  /** Milliseconds that a report of the service may take. */
  timeout: number
  temp: string
  /** Absolute; names below it are shown without it. */
  workspace: string
  /** Where the step runs; absent if nothing is to be compared. */
  step?: Pick<Step, 'workflowRunUrl'>
  log: Log
  signal: AbortSignal
}

/** The baseline, told in the log; undefined if none is asked for. @throws UserError and ReportError of `loadBaseline` */
export async function findBaseline(sources: readonly BaselineSource[] | undefined, world: BaselineWorld) {
  if (!sources) return undefined
  return world.log.group('Find the baseline', async () => {
    const found = await loadBaseline(sources, world)
    world.log.info(found.runs ? `The baseline is ${found.runs.info.name}` : 'There is no baseline yet')
    return found
  })
}

/** Whether a gate that can fail compares with nothing, other than in a first run. */
export function lacksBaseline(
  { gates }: { gates: readonly Gate[] },
  { runs, first }: Pick<FoundBaseline, 'runs' | 'first'>,
): boolean {
  return !runs && !first && gates.some((gate) => !gate.warn && compares(gate))
}

/** Sentences on gates that could not be measured: neither the baseline nor the suite shows their percentile. */
export function unmeasurable(
  { gates, percentiles: suite }: { gates: readonly Gate[]; percentiles?: SuitePercentiles },
  baseline: { runs?: Pick<BaselineRuns, 'reports'> } | undefined,
): string[] {
  const measured = baseline?.runs?.reports.flatMap(reportPercentiles) ?? []
  // What the load test sets on the service only shows in earlier reports.
  const asked = measured.length > 0 && suite?.isUsual ? [] : (suite?.all ?? [])
  const known = [...measured, ...asked]
  if (known.length === 0 && !suite) return []
  const failing = gates.filter(({ warn }) => !warn)
  return strangePercentiles(failing, known).map(({ gate, sentence }) => `${placeOf(gate)}: ${sentence}`)
}

/**
 * Fetches the baseline: all runs of all sources, which have the same weight. A source that has none yet is skipped.
 *
 * @throws UserError, ReportError or ServiceError if it is named but cannot be read
 */
export async function loadBaseline(sources: readonly BaselineSource[], world: BaselineWorld) {
  const all: FoundBaseline[] = []
  for (const [index, source] of sources.entries()) {
    const temp = sources.length > 1 ? path.join(world.temp, `baseline-${index + 1}`) : world.temp
    all.push(await fromSource(source, { ...world, temp }))
  }
  const runs = together(all.flatMap((one) => one.runs ?? []))
  return {
    ...defined({ runs, first: all.find(({ first }) => first !== undefined)?.first }),
    notes: all.flatMap(({ notes }) => notes),
    advice: all.flatMap(({ advice }) => advice),
  }
}

async function fromSource(source: BaselineSource, world: BaselineWorld): Promise<FoundBaseline> {
  if (source.kind === 'artifact') return fromArtifacts(source, world)
  const isPath = source.kind === 'path'
  const runs = await (isPath ? fromPath(source.path, world) : fromService(source.number, world))
  return { runs, notes: [], advice: [] }
}

function together(found: readonly BaselineRuns[]): BaselineRuns | undefined {
  if (found.length <= 1) return found[0]
  const runs = found.reduce((sum, { info }) => sum + info.runs, 0)
  const names = found.map(({ info }) => info.name).join(', ')
  return {
    reports: found.flatMap(({ reports }) => reports),
    origins: found.flatMap(({ origins }) => origins),
    reds: found.flatMap(({ reds = [] }) => reds),
    info: { name: `${runs} runs: ${oneLine(names, 200)}`, runs },
  }
}

function named(name: string): BaselineInfo {
  return { name: oneLine(name, 100), runs: 1 }
}

function single(info: BaselineInfo, report: Report, known: Partial<RunOrigin> = {}): BaselineRuns {
  const origin = { name: info.name, ...known }
  return { reports: [report], origins: [origin], info }
}

/** A report, or an outcome file, recognized by its content. */
async function fromPath(file: string, { temp, step, workspace, percentiles = [] }: BaselineWorld) {
  const shown = oneLine(nameIn(workspace, file), 120)
  let outcome: ParsedOutcome | undefined
  const scratch = baselineReport(temp)
  await mkdir(path.dirname(scratch), { recursive: true })
  try {
    const files = await reportFiles([file], scratch, [
      {
        ...{ name: 'outcome file', files: /^\b$/, usualName: 'outcome.json', isRaw: false },
        mostBytes: mostOutcomeBytes,
        has: /^/,
        recognises: ({ text }) => /^\s*\{/.test(text),
        read: async () => (outcome = earlierOutcome(file, shown)),
      },
    ])
    const { report } = await readReport(files, { percentiles })
    const about: Partial<ParsedOutcome> = outcome ?? {}
    const { commit, verdict, tooManyErrors, workflowRunUrl } = about
    // What an earlier step of this workflow run has measured.
    const isOwn = workflowRunUrl !== undefined && workflowRunUrl === step?.workflowRunUrl
    const info = isOwn ? { ...named('the base'), ...defined({ commit }) } : named(path.basename(file))
    const template = verdict && (about.template ?? 'unknown')
    return single(info, report, defined({ verdict, tooManyErrors, template }))
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
    throw new ReportError(`baseline is "${shown}", which cannot be used. ${error.message}`, { cause: error })
  }
}

/** @param origin names it in a fault */
function earlierOutcome(file: string, origin: string): ParsedOutcome {
  let fault = 'contains no figures'
  try {
    const run = earlierRun(readOutcome(file))
    if (run && judgedVerdicts.includes(run.verdict)) return run
    if (run) fault = `has the verdict ${run.verdict}`
  } catch (error) {
    fault = message(error)
  }
  throw new ReportError(
    `The baseline ${origin} ${fault}. Name the outcome file of a run that was judged to its end.`,
  )
}

const unreadAdvice =
  'There are outcomes of earlier runs, but none that can be used: run the job again later. If they stay like that, delete these artifacts: the next run is then the first.'

/** How many outcomes that cannot be used are named one by one. */
const mostNamed = 10

async function fromArtifacts(wanted: EarlierRuns, world: BaselineWorld): Promise<FoundBaseline> {
  const earlier = await world.earlierOutcomes(wanted, world.measured)
  const { outcomes: found, unread, own, branches } = earlier
  if (branches) {
    const hint = didYouMean(own.branch, branches) ?? 'Correct its name.'
    throw new UserError(
      `baseline-branch is "${oneLine(own.branch, 100)}", but this repository has no such branch. ${hint}`,
    )
  }
  const rest = unread.length - mostNamed
  // What cannot be used is not absent.
  const isUnread = found.length === 0 && unread.length > 0
  const first = isUnread ? undefined : whyFirst(own, found.length > 0)
  return {
    ...defined({ runs: runsOf(earlier, wanted.runs, world.log), first }),
    notes: [
      ...unread.slice(0, mostNamed),
      ...(rest > 0 ? [`${rest} more outcomes could not be read and are left out.`] : []),
    ],
    advice: isUnread ? [unreadAdvice] : first ? [] : absenceAdvice(own, found.length > 0),
  }
}

function runsOf(earlier: EarlierOutcomes, wanted: number, log: Log): BaselineRuns | undefined {
  const { outcomes: found, reds } = earlier
  const [newest] = found
  if (!newest) return undefined
  const reports = found.map(({ outcome }) => outcome.report)
  if (reports.length < wanted)
    log.info(`${reports.length} of ${wanted} baseline runs were found on ${oneLine(newest.branch)}`)
  const of = oneLine(newest.branch, 60)
  return {
    reports,
    reds: reds.flatMap(({ outcome }) => (outcome.tooManyErrors ? [] : [outcome.report])),
    origins: found.map(({ url: page, commit, outcome }) => ({
      ...{ verdict: outcome.verdict, tooManyErrors: outcome.tooManyErrors, commit, page },
      ...{ template: outcome.template ?? 'unknown', name: commit.slice(0, 7) },
      ...defined({ isNewLevel: outcome.isNewLevel, runNoise: outcome.runNoise }),
    })),
    info: {
      name: reports.length === 1 ? `the latest run of ${of}` : `${reports.length} runs of ${of}`,
      runs: reports.length,
      url: newest.url,
      commit: newest.commit,
    },
  }
}

async function fromService(number: number, { client, temp, ...world }: BaselineWorld): Promise<BaselineRuns> {
  if (!client) throw new UserError(`The baseline, load test ${number}, cannot be read without a token.`)
  const late = deadline(world.timeout)
  const signal = AbortSignal.any([world.signal, late])
  const scratch = baselineReport(temp)
  await mkdir(path.dirname(scratch), { recursive: true })
  try {
    const details = await client.details(number, signal)
    const { number: report, label } = latest(details.reports)
    const info = {
      ...named(`load test ${number}`),
      ...defined({ label: label || undefined, url: details.page || undefined }),
      ...defined({ startTime: isoTime(details.startTime || undefined) }),
    }
    const opened = await client.open({ kind: 'report', loadTest: number, number: report }, signal)
    const received = await receiveReport(opened.bytes(signal), scratch)
    if (!received.files) throw received.fault ?? new ReportError('The report could not be read.')
    return single(info, (await readReport(received.files, defined({ label }))).report)
  } catch (error) {
    world.signal.throwIfAborted()
    if (!late.aborted) throw error
    throw new ReportError(
      `The report of load test ${number}, the baseline, was not completely downloaded within ${formatDuration(world.timeout)}. Check the connection to the service, or raise a timeout of less than 1 h.`,
      { cause: error },
    )
  }
}

export function baselineReport(temp: string): string {
  return path.join(temp, 'baseline', 'report')
}
