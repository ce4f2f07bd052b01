import { formatDuration } from '../text/duration.js'
import { oneLine } from '../text/foreign-text.js'
import type { LoadProfileEntry, Report, Scorecard } from '../report/report.js'
import type { Baseline } from './baseline-figures.js'
import { spreadOf } from './baseline-figures.js'
import { showFigure } from './figures.js'
import type { Gate } from './gate.js'

/** Above this, a load generator measures itself. */
const maxCpu = 80
/** A run shorter than this share of its baseline is much shorter. */
const muchShorter = 0.8
const maxNamed = 5

/** What else the notes can look at. */
export interface NoteContext {
  baseline?: Baseline
  scorecard?: Scorecard
  gates?: readonly Gate[]
}

/**
 * What a reader should know before trusting the verdict, as sentences; it changes no verdict. Compared is with the
 * latest of the baseline's runs, lengths with the median of all.
 */
export function validityNotes(report: Report, context: NoteContext = {}): string[] {
  const { baseline, scorecard, gates } = context
  const latest = baseline?.reports[0]
  return [
    ...loadGenerators(report),
    ...partial(report, 'The run'),
    ...unaskedScorecard(scorecard, gates),
    ...(baseline && latest
      ? [
          ...baseline.reports.flatMap((earlier) => partial(earlier, 'A run of the baseline')),
          ...age(report, latest),
          ...length(report, baseline),
          ...requests(report, baseline),
          ...engine(report, latest),
          ...loadProfile(report, latest),
        ]
      : []),
  ]
}

function loadGenerators(report: Report): string[] {
  const hot = report.agents
    .flatMap(({ name, totalMean }) =>
      totalMean !== undefined && totalMean > maxCpu ? [{ name, totalMean }] : [],
    )
    .sort((a, b) => b.totalMean - a.totalMean)
  const of = hot.length === 1 ? '1 load generator' : `${hot.length} load generators`
  const names = list(hot.map(({ name, totalMean }) => `${oneLine(name, 60)} ${showFigure(totalMean, '%')}`))
  const advice = 'Measured times may be too high; use more or larger load generators.'
  if (hot.length > 0) return [`The mean CPU use of ${of} was above ${maxCpu} %: ${names}. ${advice}`]
  const mean = report.agents.length === 0 ? report.agentSummary?.totalMean : undefined
  if (mean === undefined || mean <= maxCpu) return []
  return [
    `The mean CPU use over all load generators was above ${maxCpu} %: ${showFigure(mean, '%')}. ${advice}`,
  ]
}

function partial(report: Report, which: string): string[] {
  if (report.partial === undefined) return []
  return [`${which} has partial results only: ${oneLine(report.partial, 160).replace(/\.$/, '')}.`]
}

function unaskedScorecard(scorecard: Scorecard | undefined, gates: readonly Gate[] | undefined): string[] {
  if (!scorecard || scorecard.verdict === 'passed' || !gates || gates.length === 0) return []
  if (gates.some((gate) => gate.check.kind === 'scorecard')) return []
  const what = scorecard.verdict === 'failed' ? 'failed' : 'could not be evaluated'
  return [
    `The report's scorecard ${what}, and no gate asks for it. Add the gate "scorecard passes" to count it.`,
  ]
}

function age(report: Report, latest: Report): string[] {
  const start = report.general.startTime
  const earlier = latest.general.startTime
  if (start === undefined || earlier === undefined || earlier <= start) return []
  return [
    'The baseline is younger than the run. The older run is the baseline: read better as worse, or swap them.',
  ]
}

function length(report: Report, baseline: Baseline): string[] {
  const now = report.general.duration
  const usual = spreadOf(baseline.reports.flatMap(({ general }) => general.duration ?? []))?.median
  if (now === undefined || usual === undefined || now >= usual * muchShorter) return []
  return [
    `The run was much shorter than its baseline: ${formatDuration(now * 1000)} instead of ${formatDuration(usual * 1000)}.`,
  ]
}

function requests(report: Report, baseline: Baseline): string[] {
  const now = measuredRequests([report])
  const before = measuredRequests(baseline.reports)
  if (now.size === 0 && before.size === 0) return []
  const gone = [...before].filter((name) => !now.has(name))
  const added = [...now].filter((name) => !before.has(name))
  return [
    ...(gone.length > 0
      ? [`${requestsWord(gone)} of the baseline ${haveOr(gone)} vanished: ${names(gone)}.`]
      : []),
    ...(added.length > 0
      ? [`${requestsWord(added)} ${isOr(added)} new since the baseline: ${names(added)}.`]
      : []),
  ]
}

/** A request with count 0 was not made. */
function measuredRequests(reports: readonly Report[]): Set<string> {
  return new Set(
    reports.flatMap((report) =>
      report.timers.requests.timers.filter(({ count }) => count !== 0).map(({ name }) => name),
    ),
  )
}

function engine(report: Report, latest: Report): string[] {
  const now = report.engineVersion
  const before = latest.engineVersion
  if (now === undefined || before === undefined || now === before) return []
  return [
    `The engine's version is another than the baseline's: ${oneLine(now, 60)} instead of ${oneLine(before, 60)}.`,
  ]
}

function loadProfile(report: Report, latest: Report): string[] {
  if (report.loadProfile.length === 0 || latest.loadProfile.length === 0) return []
  const now = profileOf(report.loadProfile)
  const before = profileOf(latest.loadProfile)
  const other = [...new Set([...now.keys(), ...before.keys()])].filter(
    (name) => now.get(name) !== before.get(name),
  )
  return other.length > 0 ? [`The load profile is another than the baseline's, for: ${names(other)}.`] : []
}

function profileOf(entries: readonly LoadProfileEntry[]): Map<string, string> {
  return new Map(entries.map(({ name, settings }) => [name, JSON.stringify(Object.entries(settings).sort())]))
}

function names(all: readonly string[]): string {
  return list(all.map((name) => `"${oneLine(name, 60)}"`))
}

function list(all: readonly string[]): string {
  const rest = all.length - maxNamed
  return rest > 0 ? `${all.slice(0, maxNamed).join(', ')} and ${rest} more` : all.join(', ')
}

const requestsWord = (all: readonly string[]): string =>
  `${all.length} ${all.length === 1 ? 'request' : 'requests'}`
const haveOr = (all: readonly string[]): string => (all.length === 1 ? 'has' : 'have')
const isOr = (all: readonly string[]): string => (all.length === 1 ? 'is' : 'are')
