import Big from 'big.js'
import type { Report, Scorecard } from '../report/report.js'
import type { Baseline, BaselineFigure } from './baseline-figures.js'
import {
  ReportFigures,
  placeName,
  showFigure,
  unitOf,
  type Figure,
  type Place,
  type RateUnit,
} from './figures.js'
import type { FigureCheck, Gate, Limit, Subject, XPathCheck } from './gate.js'
import { differenceOf, holds, limitOf, resolution } from './limit.js'
import { plainText } from './name-pattern.js'
import type { GateResult, GatesVerdict, Operator, Unit } from './result.js'
import { scorecardSentence, verdictOf, verdictOfScorecard } from './verdict.js'
import { runXPath, type XPathAnswer, type XPathBounds } from './xpath.js'

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
}

/**
 * Holds a report against its gates. With no gates at all the scorecard decides, where there is one. A `warn:` gate
 * is passed or warned, never failed or not measured, so that it cannot turn a verdict.
 */
export async function judge(input: JudgeInput): Promise<Judged> {
  if (input.gates.length === 0) return { ...verdictOfScorecard(input.scorecard), results: [] }
  const answers = await xpathAnswers(input)
  const run = new ReportFigures(input.report)
  const results = input.gates.flatMap((gate): GateResult[] => {
    switch (gate.check.kind) {
      case 'scorecard':
        return [judgeScorecard(gate, input.scorecard)]
      case 'xpath':
        return [judgeXPath(gate, gate.check, answers.get(gate))]
      case 'figure':
        return judgeFigures(gate, gate.check, run, input.baseline)
    }
  })
  return { ...verdictOf(results), results }
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

type Written = Pick<GateResult, 'gate' | 'name' | 'file' | 'line'>

function written(gate: Gate): Written {
  return {
    gate: gate.text,
    ...(gate.name === undefined ? {} : { name: gate.name }),
    ...(gate.file === undefined ? {} : { file: gate.file }),
    line: gate.line,
  }
}

function outcome(gate: Gate, held: boolean): GateResult['result'] {
  return held ? 'passed' : gate.warn ? 'warned' : 'failed'
}

function missing(gate: Gate): GateResult['result'] {
  return gate.warn ? 'warned' : 'not-measured'
}

function judgeScorecard(gate: Gate, scorecard: Scorecard | undefined): GateResult {
  const about = { ...written(gate), subject: 'scorecard', unit: 'number' as const }
  if (!scorecard) return { ...about, result: missing(gate), reason: 'The report has no scorecard.' }
  if (scorecard.verdict === 'passed') return { ...about, result: 'passed' }
  const result = scorecard.verdict === 'error' ? missing(gate) : outcome(gate, false)
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
  if (!answer) return { ...about, result: missing(gate), reason: 'There is no testreport.xml to look into.' }
  if ('missing' in answer) return { ...about, result: missing(gate), reason: answer.missing }
  return { ...about, value: answer.value, result: outcome(gate, holds(answer.value, check.operator, limit)) }
}

function judgeFigures(
  gate: Gate,
  check: FigureCheck,
  run: ReportFigures,
  baseline: Baseline | undefined,
): GateResult[] {
  const rate = rateOf(check.limit)
  const unit = unitOf(check.metric, rate)
  const places = run.places(check.subject)
  if ('missing' in places) {
    const subject = subjectName(check.subject)
    const about = { ...written(gate), subject, metric: check.metric, unit, operator: check.operator }
    return [{ ...about, result: missing(gate), reason: places.missing }]
  }
  return places.map((place) =>
    judgeFigure(gate, check, run.figure(place, check.metric, rate), baseline, place, rate),
  )
}

function judgeFigure(
  gate: Gate,
  check: FigureCheck,
  figure: Figure,
  baseline: Baseline | undefined,
  place: Place,
  rate: RateUnit,
): GateResult {
  const { metric, operator } = check
  const unit = unitOf(metric, rate)
  const earlier = baseline?.figure(place, metric, rate)
  const limit = limitOf(check.limit, earlier?.median)
  const about = {
    ...written(gate),
    subject: placeName(place),
    metric,
    unit,
    operator,
    ...(limit ? { limit: limit.toNumber() } : {}),
    ...(earlier ? { baseline: earlier.median } : {}),
  }
  if ('missing' in figure) return { ...about, result: missing(gate), reason: figure.missing }
  const { value } = figure
  const measured = { ...about, value, ...(earlier ? differenceOf(value, earlier.median) : {}) }
  if (!limit) {
    const reason = baseline
      ? `The baseline has no ${metric} of ${placeName(place)}.`
      : 'There is no baseline to compare with.'
    return { ...measured, result: missing(gate), reason }
  }
  if (holds(value, operator, limit)) return { ...measured, result: 'passed' }
  const comparison =
    check.limit.from === 'baseline' && earlier ? compared(value, operator, unit, earlier) : undefined
  const reason = comparison ? { reason: comparison.reason } : {}
  return { ...measured, result: outcome(gate, comparison?.excused ?? false), ...reason }
}

/**
 * Whether noise excuses a value that does not hold against its baseline. Two rules, either is enough:
 * a time that differs from the baseline by 10 ms or less is no different; and with several baseline runs a value
 * must also lie beyond the lowest or highest of them, on the side where the gate fails.
 */
function compared(
  value: number,
  operator: Operator,
  unit: Unit,
  earlier: BaselineFigure,
): { excused: boolean; reason: string } | undefined {
  const apart = new Big(value).minus(earlier.median).abs()
  if (unit === 'ms' && apart.lte(resolution)) {
    const reason = `The difference of ${showFigure(apart, unit)} is within the report's resolution of ${resolution} ms.`
    return { excused: true, reason }
  }
  if (earlier.n < 2) return undefined
  const above = new Big(value).gt(earlier.high)
  const below = new Big(value).lt(earlier.low)
  const outside = operator === '=' ? above || below : operator.startsWith('<') ? above : below
  const spread = `${showFigure(earlier.low, unit)} to ${showFigure(earlier.high, unit)}`
  const where = outside ? 'It also lies outside' : 'It does not lie beyond'
  return { excused: !outside, reason: `${where} the spread of the ${earlier.n} baseline runs, ${spread}.` }
}

function rateOf(limit: Limit): RateUnit {
  const amounts = limit.from === 'zero' ? [limit.amount] : limit.amounts
  for (const { unit } of amounts) if (unit === '/s' || unit === '/min' || unit === '/h') return unit
  return '/s'
}

/** The subject as the gate wrote it, for a name that the report does not have. */
function subjectName(subject: Subject): string {
  if (subject.kind === 'agents') return placeName(subject)
  const name = subject.pattern ? { name: plainText(subject.pattern) } : {}
  if (subject.kind === 'timers') return placeName({ kind: 'timers', timers: subject.timers, ...name })
  return placeName({ kind: 'web-vitals', name: plainText(subject.pattern) })
}
