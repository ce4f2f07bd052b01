import Big from 'big.js'
import type { AskedDocument, Lack } from '../report/report.js'
import type { Report, Scorecard } from '../report/report.js'
import type { Baseline, Unfit } from './noise/baseline.js'
import { comparableRuns } from './comparable.js'
import { errorFindings } from './built-in-errors.js'
import { judgeFigures, type FigureGate } from './figure-gates.js'
import { ReportFigures } from '../figures/figures.js'
import {
  missingResult,
  outcomeOf,
  written,
  type GateResult,
  type GatesVerdict,
  scorecardSentence,
  verdictOf,
  verdictOfScorecard,
  type Judgement,
} from './result.js'
import { type Gate, type XPathCheck, compares, holdsNumber } from './language/gate.js'
import { busyGenerator } from './load.js'
import { Noise } from './noise/noise.js'
import { runFaults, type RunFault } from './run-faults.js'
import { runXPath, type XPathAnswer, type XPathBounds } from './xpath/xpath.js'
import { defined } from '../text/fields.js'
import { reasonsAbout, type Reason } from '../text/reason.js'
import { wholeSubject } from './gate-places.js'
import { ruleOf } from '../figures/metrics.js'

export interface JudgeInput {
  gates: readonly Gate[]
  report: Report
  scorecard?: Scorecard
  /** What the report's format has no figures of. */
  lack?: Lack
  /** What `buildBaseline` made of the earlier runs. */
  baseline?: Baseline
  /**
   * Why gates that compare have nothing to compare with, in a run that others will be compared with. Absent = they are
   * not measured.
   */
  first?: Unfit
  /** Whether a gate fails is all that is asked: of the matches of a wildcard, none after the first failure is judged. */
  isFailureEnough?: true
  /** Needed by xpath gates only; without it they are not measured. */
  xpath?: AskedDocument & {
    /** The built xpath-worker. */
    worker: string | URL
    bounds?: Partial<XPathBounds>
    signal?: AbortSignal
  }
}

export interface Judged {
  verdict: GatesVerdict
  /**
   * In the order of the gates; a gate whose name has wildcards gives one for each match. Errors beyond what is built in
   * come last.
   */
  results: GateResult[]
  /** Far more failed than usual, whatever the gates say. */
  tooManyErrors: boolean
  /** Why the verdict is not `passed`. */
  reasons: Reason[]
  /** Why the run is not the one that was planned. */
  faults: RunFault[]
  /** What to do about a run that does not count, as sentences. */
  advice: string[]
  /** The baseline runs that can be compared with this one; undefined if there are none. */
  baseline?: Baseline
  /** A sentence for each run of the baseline that cannot, or that failed its own gates. */
  doubts: string[]
  /** What noise alone does to the run's figures, where there is a baseline. */
  noise?: Noise
}

/**
 * Judges a report by its gates. With no gates at all the scorecard decides, if there is one. A `warn:` gate
 * is passed or warned, never failed or not measured, so it cannot change a verdict. Errors count although no gate looks
 * at them, and a run that is not the one that was planned never passes.
 */
export async function judge(input: JudgeInput): Promise<Judged> {
  const { gates, report, scorecard, first, isFailureEnough } = input
  const { baseline, doubts } = input.baseline
    ? comparableRuns(report, input.baseline)
    : { baseline: undefined, doubts: [] }
  const run = new ReportFigures(report, input.lack)
  const noise = baseline && new Noise(run, baseline)
  const about = { ...defined({ baseline, noise }), doubts }
  const faults = runFaults(report, baseline?.reports)
  const answers = await xpathAnswers(input)
  const against =
    baseline && noise
      ? { baseline, noise }
      : { missing: input.baseline ? noneCompares : 'There is no baseline to compare with.' }
  const busy = baseline && busyGenerator(run, baseline)
  const circumstances = {
    fault: faults[0] && { reason: notPlanned },
    busy,
    first: baseline ? undefined : first,
  }
  const own = gates.flatMap((gate): readonly GateResult[] => {
    switch (gate.check.kind) {
      case 'scorecard':
        return [judgeScorecard(gate, scorecard)]
      case 'xpath':
        return [judgeXPath(gate, gate.check, answers.get(gate))]
      case 'figure': {
        const one = { ...gate, check: gate.check }
        return asTheyCount(one, judgeFigures(one, run, against, isFailureEnough), circumstances)
      }
    }
  })
  const isBusy = own.some(({ unfit }) => unfit === 'busy-generator')
  const errors = errorFindings(run, against, {
    ...{ gates, results: own, scorecard },
    ...defined({ errorsIn: input.xpath?.errorsIn }),
  })
  const results = [...own, ...errors.results]
  const judgement = verdictOf(results)
  return {
    ...soundly(gates.length > 0 ? judgement : besideScorecard(judgement, scorecard), faults),
    advice: [...adviceOn(faults), ...(isBusy ? [lessBusy] : [])],
    results,
    tooManyErrors: errors.isTooMany,
    faults,
    ...about,
  }
}

const noneCompares = 'No baseline run can be compared with this one; the notes say why.'
const notPlanned = 'The run is not the one that was planned, so the comparison is not valid.'
const lessBusy =
  'Give the load test more or larger load generators, or fewer users, and run it again. If its values are still too high then, the product is slower.'

/** The verdict that the run would have if the failed gates had passed. */
export function besideFailures(results: readonly GateResult[], report: Report): Judgement {
  return soundly(verdictOf(results.filter(({ result }) => result !== 'failed')), runFaults(report))
}

/** Without gates the scorecard decides, beside the errors. */
function besideScorecard(errors: Judgement, scorecard: Scorecard | undefined): Judgement {
  const { verdict, reasons } = verdictOfScorecard(scorecard)
  return {
    verdict: errors.verdict === 'failed' ? 'failed' : verdict,
    reasons: [...errors.reasons, ...reasons],
  }
}

/** What would pass is invalid if the run is not the one that was planned. */
export function soundly(judgement: Judgement, faults: readonly RunFault[]): Judgement {
  if (faults.length === 0) return judgement
  const reasons = [...judgement.reasons, ...faults.flatMap(({ sentence }) => reasonsAbout('run', sentence))]
  return { verdict: judgement.verdict === 'failed' ? 'failed' : 'invalid', reasons }
}

function adviceOn(faults: readonly RunFault[]): string[] {
  return [...new Set(faults.map(({ advice }) => advice))]
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
    return { ...about, result: missingResult(gate), reason: 'The report is no XML that could be evaluated.' }
  if ('missing' in answer) return { ...about, result: missingResult(gate), reason: answer.missing }
  return {
    ...about,
    value: answer.value,
    result: outcomeOf(gate, holdsNumber(answer.value, check.operator, limit)),
  }
}

/** What decides about the gates that compare, beside the figures. */
interface Circumstances {
  /** Why the run is not the one that was planned. */
  fault?: Pick<Unfit, 'reason'> | undefined
  /** Why its load generator may be the slow one. */
  busy?: Unfit | undefined
  /** Why there is nothing to compare with, where nobody is to blame for that. */
  first?: Unfit | undefined
}

/**
 * The results of a gate as they count. In a first run there is nothing to compare with. If the run itself or its load
 * generator is in doubt, a comparison that fails says nothing about the product: it is not measured. With `strict`,
 * only the figures decide.
 */
function asTheyCount(
  gate: FigureGate,
  results: readonly GateResult[],
  { fault, busy, first }: Circumstances,
): readonly GateResult[] {
  if (!compares(gate)) return results
  if (first !== undefined) return inFirstRun(gate, results, first)
  const { metric, strict } = gate.check
  const { about } = ruleOf(metric)
  // A busy load generator shows in its own CPU use, and does not make a product answer with errors.
  const doubt = fault ?? (about === 'machines' || about === 'errors' ? undefined : busy)
  if (doubt === undefined || strict) return results
  return results.map((one) => (isFailure(one) ? { ...one, result: missingResult(gate), ...doubt } : one))
}

/** One result for all names that the gate is about. What the run itself did not measure stays so. */
function inFirstRun(gate: FigureGate, results: readonly GateResult[], first: Unfit): GateResult[] {
  const [one, ...others] = results.filter(({ value }) => value !== undefined)
  const missing = results.filter(({ value }) => value === undefined)
  if (!one) return missing
  const { subject, metric, operator } = gate.check
  const of = { ...wholeSubject(subject), metric, unit: one.unit, operator }
  return [
    { ...(others.length === 0 ? one : { ...written(gate), ...of }), result: 'not-compared', ...first },
    ...missing,
  ]
}

/** A gate that only warns can fail, too. */
function isFailure({ result, value, limit }: GateResult): boolean {
  return result === 'failed' || (result === 'warned' && value !== undefined && limit !== undefined)
}
