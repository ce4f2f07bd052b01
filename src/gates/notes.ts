import { formatDuration } from '../text/duration.js'
import { oneLine, nameList } from '../text/foreign-text.js'
import { timerKinds, type Report, type Scorecard } from '../report/report.js'
import { fewestRuns, spreadOf, type Baseline } from './noise/baseline.js'
import { ReportFigures, timerWords } from '../figures/figures.js'
import type { Gate } from './language/gate.js'
import { maxCpu } from '../figures/metrics.js'
import { overloadOf, loadAt, wholeLoad } from './load.js'
import { shortOf, shownTime } from './run-faults.js'
import { presenceOf, type NamedKind } from './gate-places.js'

/** A run shorter than this share of its baseline is much shorter. */
const muchShorter = 0.8

/** What else the notes depend on. */
interface NoteContext {
  baseline?: Baseline
  scorecard?: Scorecard
  gates?: readonly Gate[]
}

/**
 * What a reader should know before trusting the verdict, as sentences; it never changes the verdict. The run is
 * compared with the latest run of the baseline, its length with the median of all.
 */
export function validityNotes(report: Report, context: NoteContext = {}): string[] {
  const { baseline, scorecard, gates } = context
  const latest = baseline?.reports[0]
  return [
    ...loadGenerators(report),
    ...cut(report),
    ...unaskedScorecard(scorecard, gates),
    ...(baseline && latest
      ? [
          ...age(report, latest),
          ...loadNotes(report, baseline),
          ...presence(report, baseline),
          ...engine(report, latest),
        ]
      : []),
  ]
}

function loadGenerators(report: Report): string[] {
  const overload = overloadOf(report)
  if (!overload) return []
  return [
    `The mean CPU use ${overload.of} was above ${maxCpu}%: ${overload.figures}. Measured times may be too high; use more or larger load generators.`,
  ]
}

function cut(report: Report): string[] {
  const time = shortOf(report)
  return time?.isCut ? [`The report covers ${shownTime(time)}, although the load test ran on.`] : []
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
    'The baseline is newer than the run. Better and worse are reversed: compare with the older run instead.',
  ]
}

/** How the load and the length differ from the baseline's. */
export function loadNotes(report: Report, baseline: Baseline): string[] {
  // Where a run has too few transactions to tell, its requests may.
  const run = new ReportFigures(report)
  const load = loadAt({ kind: 'requests' }, run, baseline, wholeLoad(run, baseline))
  return [
    ...length(report, baseline),
    ...(load ? [`The load is not that of the baseline: ${load.sentence}`] : []),
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

function presence(report: Report, baseline: Baseline): string[] {
  const run = new ReportFigures(report)
  const why =
    baseline.runs.length < fewestRuns
      ? 'so few earlier runs cannot tell which names come and go'
      : 'names come and go from run to run'
  return namedKinds.flatMap(([kind, word]) => {
    const { vanished, absent, added } = presenceOf(kind, run, baseline)
    const one = (all: readonly string[]): string => `${all.length} ${all.length === 1 ? word : `${word}s`}`
    const gone = `${one(vanished)} of the baseline ${vanished.length === 1 ? 'is' : 'are'} missing from this run: ${nameList(vanished)}.`
    const usual = `${one(absent)} of the baseline ${absent.length === 1 ? 'is' : 'are'} missing from this run, which decides nothing, as ${why}: ${nameList(absent)}.`
    const more = `${one(added)} ${added.length === 1 ? 'is' : 'are'} new since the baseline: ${nameList(added)}.`
    return [
      ...(vanished.length > 0 ? [gone] : []),
      ...(absent.length > 0 ? [usual] : []),
      ...(added.length > 0 ? [more] : []),
    ]
  })
}

const namedKinds: readonly (readonly [NamedKind, string])[] = [
  ...timerKinds.map((kind) => [kind, timerWords[kind].single] as const),
  ['web-vitals', 'row of web vitals'],
]

function engine(report: Report, latest: Report): string[] {
  const now = report.engineVersion
  const before = latest.engineVersion
  if (now === undefined || before === undefined || now === before) return []
  return [
    `The engine's version differs from the baseline's: ${oneLine(now, 60)} instead of ${oneLine(before, 60)}.`,
  ]
}
