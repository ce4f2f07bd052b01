import type { BaselineRuns } from '../baseline/baseline.js'
import { buildBaseline, type Baseline } from '../gates/baseline-figures.js'
import type { Gate } from '../gates/gate.js'
import { judge } from '../gates/judge.js'
import { compareRuns, type ComparisonInfo } from '../gates/compare.js'
import type { BaselineInfo } from '../gates/comparison.js'
import { validityNotes } from '../gates/notes.js'
import { trendOf } from '../gates/trend.js'
import { defined } from '../text/fields.js'
import type { Outcome, Part } from '../outcome.js'
import type { ReportFiles } from '../report/xml-files.js'
import { readReport } from '../report/report-files.js'
import type { World } from '../world.js'

/** What a report is worth. */
export type ReportJudgement = Part & Pick<Outcome, 'verdict' | 'reasons' | 'notes' | 'gates'>

export interface Case {
  files: Pick<ReportFiles, 'testReport' | 'scorecard'>
  gates: readonly Gate[]
  /** The baseline. */
  earlier?: BaselineRuns
  /** The built worker that xpath gates are evaluated in. */
  xpathWorker: URL
  signal: AbortSignal
  /** Takes secrets out of names before anything is made of them: a name may be cut in the middle of one. */
  redact: World['redact']
  /** The report's, where the service lists one. */
  label?: string
}

/**
 * Holds the report against the gates and the baseline.
 *
 * @throws ReportError where the report cannot be read
 */
export async function judgeReport({
  files,
  gates,
  earlier: earlierRuns,
  xpathWorker,
  signal,
  redact,
  label,
}: Case): Promise<ReportJudgement> {
  const { report, scorecard, earlier } = redact({ ...(await readReport(files)), earlier: earlierRuns })
  const found = earlier && buildBaseline(earlier.reports, earlier.origins)
  const judged = await judge({
    gates,
    report,
    ...defined({ scorecard, baseline: found }),
    xpath: { file: files.testReport, worker: xpathWorker, signal },
  })
  // A gate whose evaluation the cancellation ended was judged as not measured.
  signal.throwIfAborted()
  const { baseline, doubts, noise } = judged
  const comparison =
    earlier && baseline && compareRuns(report, baseline, labelled(used(earlier, baseline), label))
  const trend = earlier && trendOf(earlier.reports, earlier.pages)
  return {
    verdict: judged.verdict,
    reasons: judged.reasons,
    notes: [...doubts, ...validityNotes(report, { ...defined({ baseline, found, scorecard }), gates })],
    gates: judged.results,
    figures: report,
    ...defined({ scorecard, comparison: comparison && { ...comparison, ...defined({ noise, trend }) } }),
  }
}

/** Of the runs that were found, those that compare. */
function used({ info, reports }: BaselineRuns, baseline: Baseline): BaselineInfo {
  const runs = baseline.reports.length
  return { ...info, runs, ...(runs < reports.length ? { leftOut: reports.length - runs } : {}) }
}

/** Labels say something where they differ; the service's own are all the same. */
function labelled(baseline: BaselineInfo, label: string | undefined): ComparisonInfo {
  const { label: theirs, ...info } = baseline
  if (theirs === label) return { baseline: info }
  return { baseline, ...defined({ label }) }
}
