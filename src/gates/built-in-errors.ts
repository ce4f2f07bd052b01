import { timerKinds, type Scorecard, type TimerKind } from '../report/report.js'
import { errorsIn } from '../report/scorecard.js'
import { judgeFigures, type Against, type FigureGate } from './figure-gates.js'
import { placeName, withoutStatus, type ReportFigures } from './figures.js'
import { timerWords, type Gate } from './language/gate.js'
import { parseGate } from './language/language.js'
import { metricRule } from './metrics.js'
import type { GateResult } from './result.js'

/** A run may have this share of errors, and one with a baseline this many percentage points more than that. */
const tolerated = 10

/** What an error rate came to, by the rule that holds where no gate looks at it. */
export interface ErrorFindings {
  /** The rates that are too high, where no gate looks at them. */
  results: GateResult[]
  /** Far more errors than usual, whatever the gates say: such a run sets no standard for later ones. */
  isTooMany: boolean
}

/** What looks at errors beside the rule. */
interface Lookers {
  gates: readonly Gate[]
  results: readonly GateResult[]
  scorecard?: Scorecard | undefined
}

/**
 * Errors always count. With a baseline each request, and all transactions together, are judged as gates that compare
 * would judge them; without one, all requests and all transactions have a fixed limit. Only what is too high gives a
 * result.
 */
export function errorFindings(run: ReportFigures, against: Against, lookers: Lookers): ErrorFindings {
  const failed = builtInGates(run, against).flatMap((gate) =>
    judgeFigures(gate, run, against).filter(({ result }) => result === 'failed'),
  )
  if (failed.length === 0) return { results: [], isTooMany: false }
  const seen = seenBy(run, lookers, ({ value, limit }) => value !== undefined && limit !== undefined)
  // Without a baseline, a gate that was met says what is usual.
  const isMet = lookers.scorecard?.verdict === 'passed'
  const met = { ...lookers, scorecard: isMet ? lookers.scorecard : undefined }
  const usual = 'missing' in against ? seenBy(run, met, ({ result }) => result === 'passed') : undefined
  return {
    results: failed.filter(({ subject }) => !seen.has(subject)).map(explained),
    isTooMany: failed.some(({ subject }) => !usual?.has(subject)),
  }
}

/** Transactions and requests; a report with neither has other timers. */
function builtInGates(run: ReportFigures, against: Against): FigureGate[] {
  const used = timerKinds.filter((kind) =>
    [...run.timers(kind).values(), run.timer(kind, undefined)].some((timer) => timer?.count),
  )
  const main = used.filter((kind) => kind === 'transactions' || kind === 'requests')
  return (main.length > 0 ? main : used).flatMap((kind) => {
    const { single, summary } = timerWords[kind]
    const isCompared = !('missing' in against)
    const isEach = (isCompared && kind === 'requests') || !run.timer(kind, undefined)
    const limit = isCompared ? `baseline + ${tolerated} pp` : `${tolerated}%`
    const { gate } = parseGate(`${isEach ? `${single} "*"` : summary} error-rate < ${limit}`)
    return gate?.check.kind === 'figure' ? [{ ...gate, line: 0, check: gate.check }] : []
  })
}

function explained(result: GateResult): GateResult {
  const subject = result.gate.replace(/ error-rate .*/, '')
  const how = `The limit is built in, because no gate looks at these errors. A gate of your own replaces it, such as: ${subject} error-rate <= 20%`
  return { ...result, builtIn: true, reason: result.reason === undefined ? how : `${result.reason} ${how}` }
}

/**
 * The subjects whose errors a gate or the scorecard looks at; a summary row covers all of its kind.
 *
 * @param counts whether a result of a gate makes it one that looks
 */
function seenBy(
  run: ReportFigures,
  { gates, results, scorecard }: Lookers,
  counts: (result: GateResult) => boolean,
): ReadonlySet<string> {
  const looking = results.filter((one) => metricRule(one.metric ?? '')?.about === 'errors' && counts(one))
  const seen = new Set(looking.map(({ subject }) => subject))
  const isAsked = gates.length === 0 || gates.some(({ check }) => check.kind === 'scorecard')
  const kinds = new Set(isAsked ? scorecard?.errorsOf : [])
  for (const { check } of gates) {
    if (check.kind === 'xpath') for (const kind of errorsIn(check.expression)) kinds.add(kind)
  }
  for (const timers of timerKinds) {
    const whole = placeName({ kind: 'timers', timers })
    const isSeen = (name: string) =>
      kinds.has(timers) || [whole, subjectOf(timers, name)].some((one) => seen.has(one))
    const names = [...run.timers(timers).keys()]
    const open = names.filter((name) => !isSeen(name) && !isSeen(withoutStatus(name)))
    if (kinds.has(timers) || (names.length > 0 && open.length === 0)) seen.add(whole)
    const unseen = new Set(open.flatMap((name) => [name, withoutStatus(name)]))
    for (const name of names.flatMap((one) => [one, withoutStatus(one)])) {
      if (!unseen.has(name)) seen.add(subjectOf(timers, name))
    }
  }
  return seen
}

function subjectOf(timers: TimerKind, name: string): string {
  return placeName({ kind: 'timers', timers, name })
}
