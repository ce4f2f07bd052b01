import Big from 'big.js'
import { timersIn, timerKinds } from '../report/report.js'
import type { AskedDocument, Figures, Report, Scorecard, Timer, TimerKind } from '../report/report.js'
import { fewestRuns, type Baseline, type Unfit } from '../noise/baseline.js'
import { aboutAll, judgeFigures, withFewer, resultAt, settingOf } from './figure-gates.js'
import type { FigureGate, Against } from './figure-gates.js'
import { ReportFigures, timerWords, measured, withoutStatus, nameOf, placeKey } from '../figures/figures.js'
import type { Place } from '../figures/figures.js'
import {
  mayBeAccepted,
  missingResult,
  outcomeOf,
  scorecardSentence,
  verdictOf,
  written,
  placesJudged,
  type GateResult,
} from './result.js'
import { compares, holdsNumber, type Gate } from '../language/gate.js'
import { busyGenerator, comparableRuns, loadAt, wholeLoad } from './comparable.js'
import { overloadOf, runFaults, shortOf, shownTime } from '../comparison/run-faults.js'
import { Noise } from '../noise/noise.js'
import { runXPath, type XPathAnswer } from '../xml/xpath.js'
import { defined } from '../text/fields.js'
import { reasonsAbout } from '../text/reason.js'
import { presenceOf, placesOf } from './gate-places.js'
import { maxCpu, ruleOf, metricRule } from '../figures/metrics.js'
import { median } from '../figures/numbers.js'
import { formatDuration } from '../text/duration.js'
import { nameList, oneLine } from '../text/foreign-text.js'
import { parseGates } from '../language/language.js'
import { falseShares } from '../noise/distributions.js'

interface JudgeInput extends Omit<Figures, 'xml'> {
  gates: readonly Gate[]
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
    signal?: AbortSignal
  }
}

export type Judged = Awaited<ReturnType<typeof judge>>

/**
 * Judges a report by its gates. With no gates at all the scorecard decides, if there is one. A `warn:` gate
 * is passed or warned, never failed or not measured, so it cannot change a verdict. Errors count although no gate looks
 * at them, and a run that is not the one that was planned never passes.
 */
export async function judge(input: JudgeInput) {
  const { gates, report, scorecard, isFailureEnough } = input
  const { baseline, doubts } = comparableRuns(report, input.baseline)
  const run = new ReportFigures(report, input.lack)
  const noise = baseline && new Noise(run, baseline)
  const faults = runFaults(report, baseline?.reports)
  const answers = await xpathAnswers(input)
  const missing = input.baseline ? noneCompares : 'There is no baseline to compare with.'
  const against = { noise, missing, isOwn: input.first !== undefined }
  const doubt = {
    fault: faults.length > 0 ? { reason: notPlanned } : undefined,
    busy: baseline && busyGenerator(run, baseline),
    first: noise ? undefined : (input.first ?? { reason: missing }),
  }
  const own = gates.flatMap((gate): readonly GateResult[] => {
    const { check } = gate
    if (check.kind === 'scorecard') return [judgeScorecard(gate, scorecard)]
    if (check.kind === 'xpath') return [judgeXPath(gate, check, answers.get(gate))]
    const one = { ...gate, check }
    return withFewer(one, asTheyCount(one, judgeFigures(one, run, against, isFailureEnough), doubt))
  })
  const errors = errorFindings(run, against, { ...input, results: own })
  const results = [...own, ...errors.results]
  const isBusy = own.some(({ unfit }) => unfit === 'busy-generator')
  return {
    ...soundly(gates.length > 0 ? verdictOf(results) : besideScorecard(results, scorecard), faults),
    /** What to do about a run that does not count, as sentences. */
    advice: [...new Set(faults.map(({ advice }) => advice)), ...(isBusy ? [lessBusy] : [])],
    /**
     * In the order of the gates; a gate whose name has wildcards gives one for each match. Errors beyond what is built in
     * come last.
     */
    results,
    /** Far more failed than usual. */
    tooManyErrors: errors.isTooMany,
    /** Why the run is not the one that was planned. */
    faults,
    /** The baseline runs that can be compared with this one, and what noise alone does to the run's figures. */
    ...defined({ baseline, noise }),
    /** A sentence for each run of the baseline that cannot, or that failed its own gates. */
    doubts,
  }
}

const noneCompares = 'No baseline run can be compared with this one; the notes say why.'
const notPlanned = 'The run did not go as planned, so the comparison is not valid.'
const lessBusy =
  'Give the load test more or larger load generators, or fewer users, and run it again. If its values are still too high then, the product is slower.'

/** The verdict that the run would have without what a label accepts. */
export function besideAccepted(results: readonly GateResult[], report: Report) {
  return soundly(verdictOf(results.filter((one) => !mayBeAccepted(one))), runFaults(report))
}

/** Without gates the scorecard decides, beside the errors; a run without one passes. */
function besideScorecard(errors: readonly GateResult[], scorecard: Scorecard | undefined) {
  const judgement = verdictOf(errors)
  if (!scorecard || scorecard.verdict === 'passed') return judgement
  const isFailed = judgement.verdict === 'failed' || scorecard.verdict === 'failed'
  const reasons = [...judgement.reasons, ...reasonsAbout('scorecard', scorecardSentence(scorecard))]
  return { verdict: isFailed ? ('failed' as const) : ('invalid' as const), reasons }
}

/** What would pass is invalid if the run is not the one that was planned. The reasons say why it does not pass. */
export function soundly(
  judgement: ReturnType<typeof verdictOf>,
  faults: ReturnType<typeof runFaults>,
): ReturnType<typeof verdictOf> {
  if (faults.length === 0) return judgement
  const reasons = faults.flatMap(({ sentence }) => reasonsAbout('run', sentence))
  const verdict = judgement.verdict === 'failed' ? 'failed' : 'invalid'
  return { verdict, reasons: [...judgement.reasons, ...reasons] }
}

async function xpathAnswers({ gates, xpath }: JudgeInput): Promise<Map<Gate, XPathAnswer>> {
  const asking = new Map<Gate, string>()
  for (const gate of gates) if (gate.check.kind === 'xpath') asking.set(gate, gate.check.expression)
  if (asking.size === 0 || !xpath) return new Map()
  const answers = await runXPath({ ...xpath, expressions: [...asking.values()] })
  return new Map([...asking.keys()].flatMap((gate, at) => (answers[at] ? [[gate, answers[at]]] : [])))
}

function judgeScorecard(gate: Gate, scorecard: Scorecard | undefined): GateResult {
  const about = { ...written(gate), subject: 'scorecard', unit: 'number' as const }
  if (!scorecard) return { ...about, result: missingResult(gate), reason: 'The report has no scorecard.' }
  if (scorecard.verdict === 'passed') return { ...about, result: 'passed' }
  const result = scorecard.verdict === 'error' ? missingResult(gate) : outcomeOf(gate, false)
  return { ...about, result, reason: scorecardSentence(scorecard) }
}

function judgeXPath(
  gate: Gate,
  { operator, number }: Extract<Gate['check'], { kind: 'xpath' }>,
  answer: XPathAnswer = { missing: 'The report is no XML that could be evaluated.' },
): GateResult {
  const limit = new Big(number)
  const about = {
    ...written(gate),
    subject: 'xpath',
    unit: 'number' as const,
    operator,
    limit: limit.toNumber(),
  }
  if ('missing' in answer) return { ...about, result: missingResult(gate), reason: answer.missing }
  const { value } = answer
  return { ...about, value, result: outcomeOf(gate, holdsNumber(value, operator, limit)) }
}

/** Without more, somebody has to do something about it. */
type Why = Pick<GateResult, 'reason' | 'unfit'>

/**
 * The results of a gate as they count. In a first run there is nothing to compare with, and nobody is to blame for that.
 * If the run itself or its load generator is in doubt, a comparison that fails says nothing about the product: it is not
 * measured. With `strict`, only the figures decide.
 */
function asTheyCount(
  gate: FigureGate,
  results: readonly GateResult[],
  of: { fault: Why | undefined; busy: Unfit | undefined; first: Why | undefined },
): readonly GateResult[] {
  if (!compares(gate)) return results
  if (of.first !== undefined) return uncompared(gate, results, of.first)
  const { metric, strict } = gate.check
  const { about } = ruleOf(metric)
  // A busy load generator shows in its own CPU use, and does not make a product answer with errors.
  const doubt = of.fault ?? (about === 'machines' || about === 'errors' ? undefined : of.busy)
  if (doubt === undefined || strict) return results
  return results.map((one) => (isFailure(one) ? { ...one, result: missingResult(gate), ...doubt } : one))
}

/** One result for all names that the gate is about. What the run itself did not measure stays so. */
function uncompared(gate: FigureGate, results: readonly GateResult[], why: Why): GateResult[] {
  const measured = results.filter(({ value }) => value !== undefined)
  const missing = results.filter(({ value }) => value === undefined)
  const [one, ...others] = measured
  if (!one) return missing
  const matches = measured.flatMap(({ place }) => place ?? [])
  const all = others.length === 0 ? one : { ...aboutAll(gate), ...(why.unfit ? {} : { matches }) }
  return [{ ...all, result: why.unfit ? 'not-compared' : missingResult(gate), ...why }, ...missing]
}

/** A gate that only warns can fail, too. */
function isFailure({ result, value, limit }: GateResult): boolean {
  return result === 'failed' || (result === 'warned' && value !== undefined && limit !== undefined)
}

/** A run shorter than this share of its baseline is much shorter. */
const muchShorter = 0.8

/**
 * What a reader should know before trusting the verdict, as sentences; it never changes the verdict. The run is
 * compared with the latest run of the baseline, its length with the median of all.
 */
export function validityNotes(
  report: Report,
  { baseline, scorecard, gates = [] }: Partial<Pick<JudgeInput, 'baseline' | 'scorecard' | 'gates'>> = {},
): string[] {
  const overload = overloadOf(report)
  const time = shortOf(report)
  const isAsked = gates.length === 0 || gates.some(({ check }) => check.kind === 'scorecard')
  const outcome = scorecard?.verdict === 'failed' ? 'failed' : 'could not be evaluated'
  return said(
    overload &&
      `The mean CPU use ${overload.of} was above ${maxCpu}%: ${overload.figures}. Measured times may be too high; use more or larger load generators.`,
    lacksErrors(report) &&
      'The report does not say what failed, so errors were not judged. Let the tool write it: for JMeter, the column "success".',
    time?.isCut && `The report covers ${shownTime(time)}, although the load test ran on.`,
    scorecard &&
      scorecard.verdict !== 'passed' &&
      !isAsked &&
      `The report's scorecard ${outcome}, and no gate asks for it. Add the gate "scorecard passes" to count it.`,
    ...(baseline ? notesBeside(report, baseline) : []),
  )
}

/** Whether something was measured, but of nothing whether it failed. */
function lacksErrors(report: Report): boolean {
  const rows = timersIn(report)
  return (
    rows.length > 0 && rows.every(({ errors, errorPercentage }) => (errors ?? errorPercentage) === undefined)
  )
}

/** @param baseline its latest run is the first one */
function notesBeside(report: Report, baseline: Baseline): string[] {
  const [latest] = baseline.reports
  const start = report.general.startTime
  const earlier = latest?.general.startTime
  const now = report.engineVersion
  const before = latest?.engineVersion
  const isReversed = start !== undefined && earlier !== undefined && earlier > start
  const isOther = now !== undefined && before !== undefined && now !== before
  return said(
    isReversed &&
      'The baseline is newer than the run. Better and worse are reversed: compare with the older run instead.',
    ...loadNotes(report, baseline),
    ...presence(report, baseline),
    isOther &&
      `The engine's version differs from the baseline's: ${oneLine(now, 60)} instead of ${oneLine(before, 60)}.`,
  )
}

function said(...sentences: readonly (string | false | undefined)[]): string[] {
  return sentences.filter((one) => typeof one === 'string')
}

/** How the load and the length differ from the baseline's. */
export function loadNotes(report: Report, baseline: Baseline): string[] {
  // Where a run has too few transactions to tell, its requests may.
  const run = new ReportFigures(report)
  const load = loadAt({ kind: 'requests' }, run, baseline, wholeLoad(run, baseline))
  const now = report.general.duration
  const usual = median(baseline.reports.flatMap(({ general }) => general.duration ?? []))
  return said(
    now !== undefined &&
      now < usual * muchShorter &&
      `The run was much shorter than its baseline: ${formatDuration(now * 1000)} instead of ${formatDuration(usual * 1000)}.`,
    load && `The load is not that of the baseline: ${load.sentence}`,
  )
}

function presence(report: Report, baseline: Baseline): string[] {
  const run = new ReportFigures(report)
  const why =
    baseline.runs.length < fewestRuns
      ? 'so few earlier runs cannot tell which names come and go'
      : 'names come and go from run to run'
  return ([...timerKinds, 'web-vitals'] as const).flatMap((kind) => {
    const word = kind === 'web-vitals' ? 'web-vitals row' : timerWords[kind].single
    const { vanished, absent, added } = presenceOf(kind, run, baseline)
    const one = (all: readonly string[], of: string, rest: string) => {
      const are = all.length === 1 ? `${word} ${of}is` : `${word}s ${of}are`
      return all.length === 0 ? [] : [`${all.length} ${are} ${rest}: ${nameList(all)}.`]
    }
    const missing = 'missing from this run'
    return [
      ...one(vanished, 'of the baseline ', missing),
      ...one(absent, 'of the baseline ', `${missing}, which decides nothing, as ${why}`),
      ...one(added, '', 'new since the baseline'),
    ]
  })
}

/**
 * A run may have this share of errors, and one with a baseline this many percentage points more than that: a burst of
 * 10 percent on one request is no regression, and one answer in five is.
 */
const tolerated = 13
/** A burst of errors hits this share of a request's answers, and in one of twenty, by chance, this many deviations more of them. */
const burst = { share: 0.1, deviations: 1.64 }
/** Chance alone hardly gets that far, so less is left to it than for limits of one's own. */
const errorShares = { ...falseShares, timers: 0.2 }

/** What looks at errors beside the rule. */
interface Lookers extends Pick<JudgeInput, 'gates' | 'scorecard' | 'xpath'> {
  results: readonly GateResult[]
}

/**
 * Errors always count. With a baseline each request, and all transactions together, or all requests where the errors of
 * those are not known, are judged as gates that compare would judge them; without one, all requests and all transactions
 * have a fixed limit, or each where the errors of all are not known. Only what is too high gives a result.
 *
 * @returns those that no gate looks at, and whether there are far more errors than usual
 */
function errorFindings(run: ReportFigures, against: Against, lookers: Lookers) {
  const gates = builtInGates(run, against)
  const noise = against.noise && new Noise(run, against.noise.baseline, errorShares)
  const found = gates.map((gate) => ({ gate, failed: failuresOf(gate, run, { ...against, noise }) }))
  if (found.every(({ failed }) => failed.length === 0)) return { results: [], isTooMany: false }
  const isJudged = ({ value, limit, matches }: GateResult) =>
    matches !== undefined || (value !== undefined && limit !== undefined)
  const seen = seenBy(run, lookers, isJudged)
  // Without a baseline, a gate that was met says what is usual.
  const { scorecard, ...others } = lookers
  const met = scorecard?.verdict === 'passed' ? lookers : others
  const usual = !noise ? seenBy(run, met, ({ result }) => result === 'passed') : undefined
  return {
    results: found.flatMap(({ gate, failed }) =>
      withFewer(gate, failed.filter((one) => !seen(one)).map(explained)),
    ),
    isTooMany: found.some(({ failed }) => failed.some((one) => !usual?.(one))),
  }
}

/** Above the limit, and of too many answers for a burst; what is not above it without a baseline is not with one. */
function isHigh(timer: Timer | undefined): boolean {
  const rate = timer && measured(timer, 'error-rate')
  if (timer === undefined || rate === undefined || rate < tolerated) return false
  const { count } = timer
  if (count === undefined) return true
  const { share, deviations } = burst
  return (rate / 100 - share) * count > deviations * Math.sqrt(share * (1 - share) * count)
}

function failuresOf(gate: FigureGate, run: ReportFigures, against: Against): GateResult[] {
  const places = placesOf(gate.check, run, against.noise?.baseline)
  if ('missing' in places) return []
  const high = places.filter((place) => isHigh(run.timerAt(place)))
  const setting = settingOf(gate, run, against)
  return high.map((place) => resultAt(gate, place, setting)).filter(({ result }) => result === 'failed')
}

/** Transactions and requests; a report with neither has other timers. */
function builtInGates(run: ReportFigures, against: Against): FigureGate[] {
  const used = timerKinds.filter((kind) =>
    [...run.timers(kind).values(), run.timer(kind, undefined)].some((timer) => timer?.count),
  )
  const main = used.filter((kind) => kind === 'transactions' || kind === 'requests')
  const isKnownOf = (kind: TimerKind) => run.value({ kind }, 'error-rate') !== undefined
  const [together] = main.filter(isKnownOf)
  const isCompared = against.noise !== undefined
  return (main.length > 0 ? main : used).flatMap((kind) => {
    const { single, summary } = timerWords[kind]
    const all = run.timer(kind, undefined)
    const isEach = (isCompared && kind === 'requests') || !isKnownOf(kind)
    // Many names with few answers each are only judged together.
    const isTogether = !isEach || kind === together
    // All statuses of a request together cannot fail more often than each of them.
    const subjects = [
      ...(isTogether && isHigh(all) ? [summary] : []),
      ...(isEach && [...run.timers(kind).values()].some(isHigh) ? [`${single} "*"`] : []),
    ]
    const limit = isCompared ? `baseline + ${tolerated} pp` : `${tolerated}%`
    return subjects.flatMap((subject) => {
      const [gate] = parseGates(`${subject} error-rate < ${limit}`).gates
      return gate?.check.kind === 'figure' ? [{ ...gate, line: 0, check: gate.check }] : []
    })
  })
}

function explained(result: GateResult): GateResult {
  // Beside a timer with errors another kind of custom timer, such as a trend, has none: a pattern is not measured.
  const isOne = result.isMatch && result.place?.kind === 'customTimers'
  const subject = isOne ? result.subject : result.gate.replace(/ error-rate .*/, '')
  const how = `The limit is built in, because no gate looks at these errors. A gate of your own replaces it, such as: ${subject} error-rate <= 20%`
  return { ...result, builtIn: true, reason: result.reason === undefined ? how : `${result.reason} ${how}` }
}

/**
 * Says of a place whether a gate or the scorecard looks at its errors; a summary row covers all of its kind.
 *
 * @param counts whether a result of a gate makes it one that looks
 */
function seenBy(
  run: ReportFigures,
  { gates, results, scorecard, xpath }: Lookers,
  counts: (result: GateResult) => boolean,
): (result: GateResult) => boolean {
  const places = results.flatMap((one) =>
    metricRule(one.metric ?? '')?.about === 'errors' && counts(one) ? placesJudged(one) : [],
  )
  const isAsked = gates.length === 0 || gates.some(({ check, warn }) => check.kind === 'scorecard' && !warn)
  const kinds = new Set<Place['kind']>(isAsked ? scorecard?.errorsOf : [])
  for (const { check, text } of gates) {
    // One that could not be evaluated has seen nothing.
    if (check.kind !== 'xpath' || !results.some((one) => one.gate === text && counts(one))) continue
    for (const kind of xpath?.errorsIn(check.expression) ?? []) kinds.add(kind)
  }
  for (const place of places) if (nameOf(place) === undefined) kinds.add(place.kind)
  const seen = new Set(places.map(placeKey))
  const open = timerKinds.flatMap((kind) => {
    const keysOf = (name: string) => [
      placeKey({ kind, name }),
      placeKey({ kind, name: withoutStatus(name), anyStatus: true }),
    ]
    const keys = [...run.timers(kind).keys()].map(keysOf).filter((all) => !all.some((key) => seen.has(key)))
    return keys.length > 0 || run.timers(kind).size === 0 ? [kind, ...keys.flat()] : []
  })
  const unseen = new Set(open)
  return ({ place }) => place !== undefined && (kinds.has(place.kind) || !unseen.has(placeKey(place)))
}
