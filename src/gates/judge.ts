import Big from 'big.js'
import type { Report, Scorecard } from '../report/report.js'
import { timerKinds } from '../report/report.js'
import { oneLine } from '../text/foreign-text.js'
import type { Baseline } from './baseline-figures.js'
import { comparableRuns } from './comparable.js'
import { judgeFigures } from './figure-gates.js'
import { ReportFigures } from './figures.js'
import { missingResult, outcomeOf, written, type Gate, type XPathCheck } from './gate.js'
import { holdsNumber } from './limit.js'
import { Noise } from './noise.js'
import type { GateResult, GatesVerdict } from './result.js'
import { scorecardSentence, verdictOf, verdictOfScorecard, type Judgement } from './verdict.js'
import { runXPath, type XPathAnswer, type XPathBounds } from './xpath.js'
import { defined } from '../text/fields.js'

export interface JudgeInput {
  gates: readonly Gate[]
  report: Report
  scorecard?: Scorecard
  /** What `buildBaseline` made of the earlier runs. */
  baseline?: Baseline
  /** Needed by xpath gates only; without it they are not measured. */
  xpath?: {
    /** Path of testreport.xml. */
    file: string
    /** The built xpath-worker. */
    worker: string | URL
    bounds?: Partial<XPathBounds>
    signal?: AbortSignal
  }
}

export interface Judged {
  verdict: GatesVerdict
  /** In the order of the gates; a gate whose name has wildcards gives one for each match. */
  results: GateResult[]
  /** Why the verdict is not `passed`, as sentences. */
  reasons: string[]
  /** The baseline runs that can be compared with this one; undefined if there are none. */
  baseline?: Baseline
  /** A sentence for each run of the baseline that cannot, or that failed its own gates. */
  doubts: string[]
  /** What noise alone does to the run's figures, where there is a baseline. */
  noise?: Noise
}

/**
 * Judges a report by its gates. With no gates at all the scorecard decides, if there is one. A `warn:` gate
 * is passed or warned, never failed or not measured, so it cannot change a verdict.
 */
export async function judge(input: JudgeInput): Promise<Judged> {
  const { gates, report, scorecard } = input
  const { baseline, doubts } = input.baseline
    ? comparableRuns(report, input.baseline)
    : { baseline: undefined, doubts: [] }
  const run = new ReportFigures(report)
  const noise = baseline && new Noise(run, baseline)
  const about = { ...defined({ baseline, noise }), doubts }
  if (gates.length === 0) return { ...soundly(verdictOfScorecard(scorecard), report), results: [], ...about }
  const answers = await xpathAnswers(input)
  const against =
    baseline && noise
      ? { baseline, noise }
      : { missing: input.baseline ? noneCompares : 'There is no baseline to compare with.' }
  const results = gates.flatMap((gate): GateResult[] => {
    switch (gate.check.kind) {
      case 'scorecard':
        return [judgeScorecard(gate, scorecard)]
      case 'xpath':
        return [judgeXPath(gate, gate.check, answers.get(gate))]
      case 'figure':
        return judgeFigures({ ...gate, check: gate.check }, run, against)
    }
  })
  return {
    ...soundly(verdictOf(results), report),
    results,
    ...about,
  }
}

const noneCompares = 'No baseline run can be compared with this one; the notes say why.'

/** The verdict that the run would have if the failed gates had passed. */
export function besideFailures(results: readonly GateResult[], report: Report): Judgement {
  return soundly(verdictOf(results.filter(({ result }) => result !== 'failed')), report)
}

/** What would pass is invalid if the report measured nothing, or only a part of the load. */
function soundly(judgement: Judgement, report: Report): Judgement {
  if (judgement.verdict === 'failed') return judgement
  const reasons = [
    ...(report.partial === undefined
      ? []
      : [`The run has partial results only: ${oneLine(report.partial, 160).replace(/\.$/, '')}.`]),
    ...(hasMeasured(report) ? [] : ['Nothing was measured: no timer of the report was used.']),
  ]
  if (reasons.length === 0) return judgement
  return { verdict: 'invalid', reasons: [...judgement.reasons, ...reasons] }
}

function hasMeasured({ timers }: Report): boolean {
  return timerKinds.some((kind) =>
    [timers[kind].summary, ...timers[kind].timers].some((timer) => timer !== undefined && timer.count !== 0),
  )
}

async function xpathAnswers({ gates, xpath }: JudgeInput): Promise<Map<Gate, XPathAnswer>> {
  const asking = gates.flatMap((gate) => (gate.check.kind === 'xpath' ? [{ gate, check: gate.check }] : []))
  if (asking.length === 0 || !xpath) return new Map()
  const expressions = asking.map(({ check }) => check.expression)
  const answers = await runXPath({ ...xpath, expressions })
  return new Map(
    asking.map(({ gate }, index) => [
      gate,
      answers[index] ?? { missing: 'The expression was not evaluated.' },
    ]),
  )
}

function judgeScorecard(gate: Gate, scorecard: Scorecard | undefined): GateResult {
  const about = { ...written(gate), subject: 'scorecard', unit: 'number' as const }
  if (!scorecard) return { ...about, result: missingResult(gate), reason: 'The report has no scorecard.' }
  if (scorecard.verdict === 'passed') return { ...about, result: 'passed' }
  const result = scorecard.verdict === 'error' ? missingResult(gate) : outcomeOf(gate, false)
  return { ...about, result, reason: scorecardSentence(scorecard) }
}

function judgeXPath(gate: Gate, check: XPathCheck, answer: XPathAnswer | undefined): GateResult {
  const limit = new Big(check.number)
  const about = {
    ...written(gate),
    subject: 'xpath',
    unit: 'number' as const,
    operator: check.operator,
    limit: limit.toNumber(),
  }
  if (!answer)
    return { ...about, result: missingResult(gate), reason: 'There is no testreport.xml to evaluate.' }
  if ('missing' in answer) return { ...about, result: missingResult(gate), reason: answer.missing }
  return {
    ...about,
    value: answer.value,
    result: outcomeOf(gate, holdsNumber(answer.value, check.operator, limit)),
  }
}
