import type { BaselineRuns, FoundBaseline } from '../baseline/baseline.js'
import { buildBaseline, type Baseline, fewestRuns } from '../noise/baseline.js'
import type { Gate } from '../language/gate.js'
import { isUncompared } from '../gates/result.js'
import { judge, loadNotes, validityNotes, type Judged } from '../gates/gates.js'
import { compareRuns } from '../comparison/comparison.js'
import type { BaselineInfo, Comparison, ComparisonRow } from '../comparison/comparison.js'
import { isoTime } from '../clock.js'
import { suggestionOf } from '../gates/suggested-gates.js'
import { defined } from '../text/fields.js'
import { plural } from '../text/plural.js'
import type { LoadTestOutcome, Part } from '../outcome/outcome.js'
import { ReportFigures } from '../figures/figures.js'
import { isMetric, metricsOf } from '../figures/metrics.js'
import { timerKinds, type Figures, type Report } from '../report/report.js'

export type ReportJudgement = Part &
  Pick<LoadTestOutcome, 'verdict' | 'reasons' | 'notes' | 'advice' | 'gates'>

export interface Case {
  read: Figures
  gates: readonly Gate[]
  /** Where one is asked for. */
  baseline?: FoundBaseline
  /** The built worker that xpath gates are evaluated in. */
  xpathWorker: URL
  signal: AbortSignal
  /** The report's, where the service lists one. */
  label?: string
  /** That the run is a copy of, where it is known. */
  template?: { number: number }
}

/** Judges the report by the gates and the baseline. */
export async function judgeReport(asked: Case): Promise<ReportJudgement> {
  const { read, gates, baseline: given, xpathWorker, signal, label, template } = asked
  const { report, scorecard, lack } = read
  const earlier = given?.runs
  const found = earlier && buildBaseline(earlier.reports, earlier.origins, earlier.reds)
  const judged = await judge({
    gates,
    report,
    ...defined({
      scorecard,
      lack,
      baseline: found,
      first: given?.first,
      xpath: read.xml && { ...read.xml, worker: xpathWorker, signal },
    }),
  })
  // If the cancellation ended the evaluation of a gate, the gate was judged as not measured.
  signal.throwIfAborted()
  const { baseline, doubts, results } = judged
  const isNew = results.some(({ result }) => result === 'not-compared')
  // Where the figure itself is missing, an earlier run would not help.
  const isOpen = !baseline && results.some(isUncompared)
  return {
    verdict: judged.verdict,
    reasons: judged.reasons,
    notes: [
      ...(given && !found && !isNew ? [noneYet] : []),
      ...(given?.notes ?? []),
      ...doubts,
      ...otherTemplates(template, baseline),
      ...validityNotes(report, { ...defined({ baseline, scorecard }), gates }),
    ],
    advice: [...judged.advice, ...(isOpen ? (given?.advice ?? []) : [])],
    gates: results,
    tooManyErrors: judged.tooManyErrors,
    figures: report,
    ...defined({
      scorecard,
      comparison: earlier && comparisonOf(report, earlier, judged, label),
      suggestion: suggestionFor(report, gates, judged),
    }),
  }
}

/** For those who have no gates yet, and those whose earlier runs show how much they vary. */
function suggestionFor(report: Report, gates: readonly Gate[], { verdict, baseline, noise }: Judged) {
  const isAsked = gates.length === 0 || (baseline && baseline.runs.length >= fewestRuns)
  if (verdict !== 'passed' || !isAsked) return undefined
  return suggestionOf(report, noise)
}

/** Of earlier runs that may have been of another load test, as a sentence. */
function otherTemplates(own: Case['template'], baseline: Pick<Baseline, 'origins'> | undefined): string[] {
  if (!own || !baseline) return []
  const { origins } = baseline
  const others = origins.flatMap(({ template = own }) => {
    if (template === 'unknown') return 'an unknown template'
    return template.number === own.number ? [] : `load test ${template.number}`
  })
  if (others.length === 0) return []
  const of = [...new Set(others)].join(', ')
  return [
    `${others.length} of ${plural(origins.length, 'baseline run')} measured copies of ${of}, this one a copy of load test ${own.number}: what differs may be the load test.`,
  ]
}

const noneYet =
  'There is no baseline yet: no earlier successful run on the base branch has attached its figures. The first that does is the baseline.'

/** Undefined if no run of the baseline can be compared. */
function comparisonOf(
  report: Report,
  earlier: BaselineRuns,
  { baseline, noise, results: gates, faults }: Judged,
  label: string | undefined,
): Comparison | undefined {
  // Figures of a run that is not the one that was planned would look like a change, or like none.
  if (!baseline || faults.length > 0) return undefined
  const runs = baseline.reports.length
  const leftOut = earlier.reports.length - runs || undefined
  const info = labelled({ ...earlier.info, runs, ...defined({ leftOut }) }, label)
  const otherLoad = loadNotes(report, baseline).length > 0 || undefined
  const trend = trendOf(earlier.reports, earlier.origins)
  const comparison = compareRuns(report, baseline, info, { ...defined({ noise }), gates })
  return {
    ...comparison,
    rows: withEarlier(comparison.rows, earlier.reports),
    ...defined({ trend, otherLoad, timeline: baseline.reports.find((one) => one.timeline)?.timeline }),
  }
}

/** Labels are only useful if they differ; the service's own are all the same. */
function labelled(baseline: BaselineInfo, label: string | undefined): Pick<Comparison, 'baseline' | 'label'> {
  const { label: theirs, ...info } = baseline
  if (theirs === label) return { baseline: info }
  return { baseline, ...defined({ label }) }
}

/**
 * The earlier runs one by one, the oldest first; undefined for fewer than two.
 *
 * @param origins of each run, in the same order
 */
export function trendOf(reports: readonly Report[], origins?: BaselineRuns['origins']) {
  if (reports.length < 2) return undefined
  const runs = reports.map((report, index) => ({ report, origin: origins?.[index] }))
  runs.sort((a, b) => byStart(a.report, b.report))
  return runs.map(({ report, origin: { page: url, commit } = {} }) => {
    const startTime = isoTime(report.general.startTime)
    return { ...defined({ url, commit, startTime }), figures: summaryFigures(report) }
  })
}

/** Where more got worse, the whole run shows it, and the outcome file stays small. */
const mostWithTrend = 1000

/** The rows, with the earlier figures of what got worse where there is a trend. */
export function withEarlier(rows: readonly ComparisonRow[], reports: readonly Report[]): ComparisonRow[] {
  const runs = reports.toSorted(byStart).map((report) => new ReportFigures(report))
  const worseIn = ({ changes = {} }: ComparisonRow) =>
    Object.keys(changes).filter((metric) => changes[metric] === 'worse')
  const count = rows.filter((row) => worseIn(row).length > 0).length
  const isTold = runs.length > 1 && count <= mostWithTrend
  return rows.map((row) => {
    const worse = isTold ? worseIn(row).filter(isMetric) : []
    const earlier = worse.map(
      (metric) => [metric, runs.map((run) => run.value(row, metric) ?? null)] as const,
    )
    return worse.length === 0 ? row : { ...row, earlier: Object.fromEntries(earlier) }
  })
}

function byStart(a: Report, b: Report): number {
  return (a.general.startTime ?? 0) - (b.general.startTime ?? 0)
}

function summaryFigures(report: Report) {
  const run = new ReportFigures(report)
  const kinds = timerKinds.flatMap((timers) => {
    const summary = run.timer(timers, undefined)
    if (!summary) return []
    const figures = metricsOf(timers, Object.keys(summary.percentiles)).flatMap((metric) => {
      const figure = run.figure({ kind: timers }, metric)
      return 'value' in figure ? [[metric, figure.value] as const] : []
    })
    return [[timers, Object.fromEntries(figures)] as const]
  })
  return Object.fromEntries(kinds)
}
