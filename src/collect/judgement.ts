import type { BaselineRuns } from '../baseline/baseline.js'
import { buildBaseline, type Baseline } from '../gates/baseline-figures.js'
import type { Gate } from '../gates/gate.js'
import { judge } from '../gates/judge.js'
import { compareRuns, type ComparisonInfo } from '../gates/compare.js'
import type { BaselineInfo } from '../gates/comparison.js'
import { validityNotes } from '../gates/notes.js'
import { trendOf } from '../gates/trend.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import type { Inputs } from '../inputs/inputs.js'
import type { Outcome, Part } from '../outcome.js'
import type { ReportFiles } from '../report/xml-files.js'
import { readReport } from '../report/report-files.js'
import type { World } from '../world.js'

/** The judgement of a report. */
export type ReportJudgement = Part & Pick<Outcome, 'verdict' | 'reasons' | 'notes' | 'gates'>

export interface Case {
  files: Pick<ReportFiles, 'testReport' | 'scorecard'>
  gates: readonly Gate[]
  /** The baseline. */
  earlier?: BaselineRuns
  /** The built worker that xpath gates are evaluated in. */
  xpathWorker: URL
  signal: AbortSignal
  /** Removes secrets from names before anything else happens to them: a name may be cut in the middle of a secret. */
  redact: World['redact']
  /** The report's, where the service lists one. */
  label?: string
}

/** What to say if a baseline is asked for and none is found. */
export function withoutBaseline(
  verdict: Outcome['verdict'],
  { failOn }: Pick<Inputs, 'failOn'>,
  { step, baseBranch = 'the base branch' }: Pick<World, 'step' | 'baseBranch'>,
): Pick<Outcome, 'notes' | 'advice'> {
  const notes = [
    'There is no baseline yet: no earlier successful run on the base branch has an outcome artifact.',
  ]
  // Gates that compare have nothing to compare with yet; that is nobody's mistake.
  if (verdict !== 'invalid') return { notes, advice: [] }
  const branch = oneLine(baseBranch, 60)
  const isMerged = step.pullRequest === undefined && failOn === 'failed'
  const expected = isMerged
    ? `Expected in the first run on ${branch}: set fail-on: error for that branch, so that this run can become the baseline.`
    : `Expected until this workflow has run once on ${branch}: merge it.`
  return { notes, advice: [expected] }
}

/**
 * Judges the report by the gates and the baseline.
 *
 * @throws ReportError if the report cannot be read
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
  // If the cancellation ended the evaluation of a gate, the gate was judged as not measured.
  signal.throwIfAborted()
  const { baseline, doubts, noise } = judged
  const comparison =
    earlier &&
    baseline &&
    compareRuns(report, baseline, labelled(used(earlier, baseline), label), noise, judged.results)
  const trend = earlier && trendOf(earlier.reports, earlier.pages)
  return {
    verdict: judged.verdict,
    reasons: judged.reasons,
    notes: [...doubts, ...validityNotes(report, { ...defined({ baseline, found, scorecard }), gates })],
    gates: judged.results,
    figures: report,
    ...defined({ scorecard, comparison: comparison && { ...comparison, ...defined({ trend }) } }),
  }
}

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
