import { buildBaseline, fewestRuns } from '../noise/baseline.js'
import { judgeFigures, type FigureGate } from './figure-gates.js'
import { ReportFigures, placeName, timerWords, type Place, type TimerPlace } from '../figures/figures.js'
import { parseGates } from '../language/language.js'
import { resolutionOf, ruleOf, standingMetric, unitOf, type Metric, type Unit } from '../figures/metrics.js'
import { areLong } from '../figures/numbers.js'
import { studentQuantile, studentTail } from '../noise/distributions.js'
import { type Finding, Noise, type Variation } from '../noise/noise.js'
import type { GateResult } from './result.js'
import type { Report } from '../report/report.js'
import { defined } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { quotedName } from '../text/name-pattern.js'

/** Gates that a run and its earlier ones support, and what the load test can show. */
export interface Suggestion {
  /** How many runs it rests on, this one included. */
  runs: number
  /** With fewer than three runs their noise is assumed. */
  isAssumed?: true
  gates: SuggestedGate[]
  /** Gates that the runs do not support. */
  leftOut: UnfitGate[]
  /**
   * How far a gate about the mean of a request sees, of those that take most of the time, where noise was measured.
   * Chances are from 0 to 1.
   */
  power: {
    subject: string
    /** What is to be found, in percent. */
    slower: number
    /** As the runs are, and if they were twice as long. */
    chance: number
    chanceIfTwice: number
    /** How many times as long runs have to be for 10% to stand out from noise in 8 of 10. Absent if 50 times are not enough. */
    longerForTenth?: number
  }[]
}

/** A line of the gate language, and the figures that it rests on. */
interface SuggestedGate {
  gate: string
  unit: Unit
  /** How many runs measured it, where not all of them did. */
  runs?: number
  /** The lowest and highest figure of the runs. */
  low: number
  high: number
  /** Standard deviation from one run to the next, in percent; absent for errors, which are counted. */
  noise?: number
  /** Samples of this run. */
  samples?: number
}

/** A gate that would be useful, and why it cannot be. */
type UnfitGate = { gate: string; reason: string }

/** The requests that take most of the time stand for what users wait for. */
const mostPages = 3
/** A fixed limit has at least this much room above the runs, and noise goes beyond it in one of 1,000 runs. */
const leastRoom = 0.2
const guardChance = 0.001
/** A limit further above the runs guards nothing. */
const mostRoom = 2
const tooNoisy = 'Noise alone may triple it: use a longer run.'
/** Tolerances are multiples of this, in percent. */
const toleranceStep = 5
const studied = 1.2
const tenth = 1.1
const likely = 0.8

/**
 * What a run that passed, and its earlier ones, support: gates that compare with the smallest tolerance that noise
 * does not hide anyway, and fixed limits beside them. Undefined if the run itself would not pass them, or if there
 * is nothing to suggest.
 *
 * @param earlier what it was compared with, where there was anything
 */
export function suggestionOf(report: Report, earlier?: Noise): Suggestion | undefined {
  const history = buildBaseline([report, ...(earlier?.baseline.reports ?? [])])
  if (!history) return undefined
  const run = new ReportFigures(report)
  // What the next run will be compared with.
  const past = new Noise(run, history)
  const pages = heaviest(run)
  const wishes = [
    fixedErrors(past),
    ...(earlier ? [comparedTime(past, requests), ...pages.map((page) => comparedTime(past, page))] : []),
    ...(earlier ? [requests] : [requests, ...pages]).map((place) => fixedTime(past, place)),
  ].filter((wish) => wish !== undefined)
  const gates: SuggestedGate[] = []
  // A figure that cannot be compared cannot be limited either: it is named once.
  const leftOut = new Map<string, string>()
  for (const wish of wishes) {
    const tried = 'reason' in wish ? wish : asJudged(wish, run, earlier)
    if (tried === 'failed') return undefined
    if ('reason' in tried) leftOut.set(tried.gate, tried.reason)
    else gates.push(tried)
  }
  if (gates.length === 0) return undefined
  const isAssumed = history.runs.length < fewestRuns
  return {
    runs: history.runs.length,
    ...(isAssumed ? { isAssumed: true as const } : {}),
    gates,
    leftOut: [...leftOut].map(([gate, reason]) => ({ gate, reason })),
    power: earlier ? pages.flatMap((page) => powerOf(past, earlier, page)) : [],
  }
}

/** The gate, or why the run cannot meet it. */
function asJudged(wish: SuggestedGate, run: ReportFigures, noise: Noise | undefined) {
  const [gate] = parseGates(wish.gate).gates
  const unwritten = 'It cannot be written as a gate: give it a plainer name in the test suite.'
  if (gate?.check.kind !== 'figure') return { gate: wish.gate, reason: unwritten }
  const written: FigureGate = { ...gate, check: gate.check }
  const results = judgeFigures(written, run, { noise, missing: '' })
  const is = (result: GateResult['result']) => results.find((one) => one.result === result)
  if (is('failed')) return 'failed'
  const reason = is('not-measured')?.reason
  return reason === undefined ? wish : { gate: wish.gate, reason }
}

const transactions: TimerPlace = { kind: 'transactions' }
const requests: TimerPlace = { kind: 'requests' }

function fixedErrors(past: Noise): SuggestedGate | UnfitGate | undefined {
  const about = foundAt(past, transactions, 'error-rate')
  if (!about || 'reason' in about) return undefined
  const limit = upTo(Math.max(about.finding.exceededWith(guardChance), about.high * (1 + leastRoom)))
  return limit < 100 ? { ...about.figures, gate: `${about.words} <= ${decimal(limit)}%` } : undefined
}

/** Of all requests together their percentile, of one its mean, in which a change shows first. */
function comparedTime(past: Noise, place: TimerPlace): SuggestedGate | UnfitGate | undefined {
  const metric = place.name === undefined ? metricOf(past.run, place) : 'mean'
  const about = foundAt(past, place, metric)
  if (!about || about.reason !== undefined) return about
  const tolerance = toleranceOf(about)
  if (tolerance >= 100 * mostRoom) return { gate: about.words, reason: tooNoisy }
  return { ...about.figures, gate: `${about.words} <= baseline + ${tolerance}%` }
}

function fixedTime(past: Noise, place: TimerPlace): SuggestedGate | UnfitGate | undefined {
  const metric = metricOf(past.run, place)
  const about = foundAt(past, place, metric)
  if (!about || about.reason !== undefined) return about
  const noise = about.finding.exceededWith(guardChance) / about.median - 1
  if (noise > mostRoom) return { gate: about.words, reason: tooNoisy }
  const limit = Math.max(about.median * (1 + Math.max(leastRoom, noise)), about.high)
  const [unit, of] = areLong('ms', limit) ? ['s', 1000] : ['ms', 1]
  const step = Math.max(of, resolutionOf(metric, [past.run]))
  const rounded = Math.ceil(upTo(limit) / step) * step
  return { ...about.figures, gate: `${about.words} <= ${rounded / of} ${unit}` }
}

function subjectOf({ kind, name }: TimerPlace): string {
  const words = timerWords[kind]
  return name === undefined ? words.summary : `${words.single} ${quotedName(name)}`
}

/** A figure of the runs with its noise, and what a gate says about it; or why it has none; undefined if it is missing. */
function foundAt(past: Noise, place: TimerPlace, metric: Metric) {
  const finding = past.find(place, metric)
  const figure = past.baseline.figure(place, metric)
  if (!finding || !figure || (figure.median <= 0 && metric !== 'error-rate')) return undefined
  const words = `${subjectOf(place)} ${metric}`
  if ('unfit' in finding) return { gate: words, reason: finding.reason }
  if (finding.unsure) return { gate: words, reason: finding.unsure.reason }
  const { median, low, high, n } = figure
  const { percent, samples } = finding
  const isCounted = ruleOf(metric).about === 'errors'
  const runs = n < past.baseline.runs.length ? n : undefined
  const figures = { unit: unitOf(metric), ...defined({ runs, samples }), low, high }
  return { words, finding, median, high, figures: isCounted ? figures : { ...figures, noise: percent } }
}

function metricOf(run: ReportFigures, place: Place): Metric {
  return standingMetric((metric) => run.value(place, metric) !== undefined)
}

/** The requests that take most of the time together, by their mean and count, whose names a gate can hold. */
function heaviest(run: ReportFigures): TimerPlace[] {
  const weighed = [...run.timers('requests').keys()].flatMap((name) => {
    const place = { kind: 'requests', name } as const
    const weight = (run.value(place, 'mean') ?? 0) * (run.value(place, 'count') ?? 0)
    return canBeWritten(name) ? [{ place, weight }] : []
  })
  weighed.sort((a, b) => b.weight - a.weight || (a.place.name < b.place.name ? -1 : 1))
  return weighed.slice(0, mostPages).map(({ place }) => place)
}

/** Names with signs that nobody sees are left out, and what GitHub would replace in a workflow file. */
function canBeWritten(name: string): boolean {
  return name !== '' && oneLine(name, 120) === name && !name.includes('${{')
}

/** What the run was judged by, since the next one will be. */
function powerOf(past: Noise, noise: Noise, place: TimerPlace): Suggestion['power'] {
  const about = foundAt(past, place, 'mean')
  const finding = noise.find(place, 'mean')
  if (!about || 'reason' in about || !finding || 'unfit' in finding) return []
  const { variation, isAssumed } = finding
  if (!variation || isAssumed) return []
  const change = { slower: studied, tolerance: toleranceOf(about) / 100 }
  return [
    {
      subject: placeName(place),
      slower: Math.round((studied - 1) * 100),
      chance: chanceToFind(variation, change),
      chanceIfTwice: chanceToFind(variation, { ...change, longer: 2 }),
      ...defined({ longerForTenth: lengthFor(variation, tenth, likely) }),
    },
  ]
}

/** In percent. A smaller one would change nothing: noise hides as much of the whole run, or else of the timer. */
function toleranceOf({ finding, median }: { finding: Finding; median: number }): number {
  const hidden = finding.run ? Math.expm1(finding.run.reach) : (finding.reach(true) ?? median) / median - 1
  return Math.max(toleranceStep, Math.floor((100 * hidden) / toleranceStep + 1e-9) * toleranceStep)
}

/** Rounded up to two digits. */
function upTo(value: number): number {
  if (value <= 0) return 0
  const step = 10 ** (Math.floor(Math.log10(value)) - 1)
  return Math.ceil(value / step - 1e-9) * step
}

/** Without the trace of binary fractions, and without an exponent. */
function decimal(value: number): string {
  return value.toFixed(12).replace(/\.?0+$/, '')
}

/**
 * The chance, from 0 to 1, that a gate that compares finds a timer slower: that its figure is beyond the limit, and
 * beyond what noise explains. Student's t around the true change stands for the noncentral one.
 *
 * @param change the factor by which it is slower, the share that the gate tolerates, such as 0.1, and how many times as
 *   long the runs are, and so how many times as many samples they have
 */
export function chanceToFind(
  { steady, sampling, freedom, cut }: Variation,
  { slower, tolerance, longer = 1 }: { slower: number; tolerance: number; longer?: number },
): number {
  const deviation = Math.sqrt(steady + sampling / longer)
  const needed = Math.max(studentQuantile(cut, freedom) * deviation, Math.log1p(tolerance))
  return studentTail((needed - Math.log(slower)) / deviation, freedom)
}

/** Nobody runs a load test for longer than this many times its length to see more. */
const mostLonger = 50

/** How many times as long runs have to be for noise to leave that chance to a change; undefined if no length does. */
export function lengthFor(variation: Variation, slower: number, chance: number): number | undefined {
  for (let longer = 1; longer <= mostLonger; longer++) {
    if (chanceToFind(variation, { slower, tolerance: 0, longer }) >= chance) return longer
  }
  return undefined
}
