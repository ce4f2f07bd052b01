import type { BaselineRuns, FoundBaseline } from '../baseline/baseline.js'
import { buildBaseline, type Baseline } from '../gates/baseline/baseline.js'
import type { Gate } from '../gates/language/gate.js'
import { judge } from '../gates/gates.js'
import { compareRuns, type ComparisonInfo } from '../gates/baseline/compare.js'
import type { BaselineInfo } from '../gates/baseline/comparison.js'
import { validityNotes } from '../gates/notes.js'
import { trendOf } from '../gates/baseline/trend.js'
import { defined } from '../text/fields.js'
import type { Outcome, Part } from '../outcome/outcome.js'
import type { ReportFiles } from '../unpack/xml-files.js'
import { readReport } from '../report/report-files.js'
import type { World } from '../world.js'

/** The judgement of a report. */
export type ReportJudgement = Part & Pick<Outcome, 'verdict' | 'reasons' | 'notes' | 'advice' | 'gates'>

export interface Case {
  files: Pick<ReportFiles, 'testReport' | 'scorecard'>
  gates: readonly Gate[]
  /** Where one is asked for. */
  baseline?: FoundBaseline
  /** The built worker that xpath gates are evaluated in. */
  xpathWorker: URL
  signal: AbortSignal
  /** Removes secrets from names before anything else happens to them: a name may be cut in the middle of a secret. */
  redact: World['redact']
  /** The report's, where the service lists one. */
  label?: string
}

/**
 * Judges the report by the gates and the baseline.
 *
 * @throws ReportError if the report cannot be read
 */
export async function judgeReport({
  files,
  gates,
  baseline: given,
  xpathWorker,
  signal,
  redact,
  label,
}: Case): Promise<ReportJudgement> {
  const { report, scorecard, earlier } = redact({ ...(await readReport(files)), earlier: given?.runs })
  const found = earlier && buildBaseline(earlier.reports, earlier.origins)
  const judged = await judge({
    gates,
    report,
    ...defined({ scorecard, baseline: found, first: given?.first }),
    xpath: { file: files.testReport, worker: xpathWorker, signal },
  })
  // If the cancellation ended the evaluation of a gate, the gate was judged as not measured.
  signal.throwIfAborted()
  const { baseline, doubts, noise, results } = judged
  const isNew = results.some(({ result }) => result === 'not-compared')
  const isOpen = !baseline && results.some(({ result }) => result === 'not-measured')
  const comparison =
    earlier &&
    baseline &&
    compareRuns(report, baseline, labelled(used(earlier, baseline), label), noise, judged.results)
  const trend = earlier && trendOf(earlier.reports, earlier.pages)
  return {
    verdict: judged.verdict,
    reasons: judged.reasons,
    notes: [
      ...(given && !found && !isNew ? [noneYet] : []),
      ...(given?.notes ?? []),
      ...doubts,
      ...validityNotes(report, { ...defined({ baseline, found, scorecard }), gates }),
    ],
    advice: [...judged.advice, ...(isOpen ? (given?.advice ?? []) : [])],
    gates: results,
    figures: report,
    ...defined({ scorecard, comparison: comparison && { ...comparison, ...defined({ trend }) } }),
  }
}

const noneYet =
  'There is no baseline yet: no earlier successful run on the base branch has an outcome artifact about its code.'

/** Of the runs that were found, those that can be compared. */
function used({ info, reports }: BaselineRuns, baseline: Baseline): BaselineInfo {
  const runs = baseline.reports.length
  return { ...info, runs, ...(runs < reports.length ? { leftOut: reports.length - runs } : {}) }
}

/** Labels are only useful if they differ; the service's own are all the same. */
function labelled(baseline: BaselineInfo, label: string | undefined): ComparisonInfo {
  const { label: theirs, ...info } = baseline
  if (theirs === label) return { baseline: info }
  return { baseline, ...defined({ label }) }
}
