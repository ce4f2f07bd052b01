import Big from 'big.js'
import type { Baseline } from './baseline-figures.js'
import {
  placeName,
  showFigure,
  unitOf,
  type Figure,
  type Place,
  type RateUnit,
  type ReportFigures,
} from './figures.js'
import {
  missingResult,
  outcomeOf,
  written,
  type FigureCheck,
  type Gate,
  type Limit,
  type Subject,
} from './gate.js'
import { differenceOf, holds, holdsRate, limitOf, resolution } from './limit.js'
import { otherLoadAt } from './load.js'
import { isStepped } from './metrics.js'
import { hasWildcard, matcher, plainText } from '../text/name-pattern.js'
import { judgeNoise, type Compared, type NoiseFinding, type NoiseJudgement } from './noise.js'
import { presenceOf } from './presence.js'
import type { GateResult, RunNoise } from './result.js'
import { defined } from '../text/fields.js'

export interface FigureGate extends Gate {
  check: FigureCheck
}

export interface JudgedFigures {
  /** For each gate, one for each place that it is about. */
  results: Map<Gate, GateResult[]>
  /** How the whole run differs from its baseline, where a gate compares. */
  run?: RunNoise
}

/** A result and, if its gate compares, what noise says about it. */
interface Draft {
  result: GateResult
  compared?: Compared
}

/**
 * Judges a run by the gates about its figures. Noise is judged over all results that compare, together.
 *
 * @param given the baseline, or why there is none
 */
export function judgeFigures(
  gates: readonly FigureGate[],
  run: ReportFigures,
  given: Baseline | { missing: string },
): JudgedFigures {
  const baseline = 'missing' in given ? undefined : given
  const drafts = gates.map((gate) => ({ gate, drafts: draftsOf(gate, run, given) }))
  const all = drafts.flatMap(({ gate, drafts: some }) =>
    some.flatMap(({ result, compared }) => (compared ? [{ gate, result, compared }] : [])),
  )
  const noise: NoiseJudgement | undefined = baseline
    ? judgeNoise(
        all.map(({ compared }) => compared),
        run,
        baseline,
      )
    : undefined
  const findings = new Map(all.map(({ compared }, index) => [compared, noise?.findings[index]]))
  const results = drafts.map(({ gate, drafts: some }): [Gate, GateResult[]] => [
    gate,
    some.map(({ result, compared }) =>
      compared ? excused(result, compared, findings.get(compared)) : result,
    ),
  ])
  return { results: new Map(results), ...(noise?.run ? { run: noise.run } : {}) }
}

function draftsOf(gate: FigureGate, run: ReportFigures, baseline: Baseline | { missing: string }): Draft[] {
  const { check } = gate
  const rate = rateOf(check.limit)
  const places = placesOf(check, run, baseline)
  if ('missing' in places) {
    const { metric, operator } = check
    const about = { subject: subjectName(check.subject), metric, unit: unitOf(metric, rate), operator }
    return [{ result: { ...written(gate), ...about, result: missingResult(gate), reason: places.missing } }]
  }
  return places.map((place) => draftOf(gate, place, rate, run, baseline))
}

/**
 * The places of a gate. Where it compares names by a wildcard, those of the baseline count too: a missing name is
 * not measured, and a new one has nothing to be compared with.
 */
function placesOf(
  { subject, limit }: FigureCheck,
  run: ReportFigures,
  baseline: Baseline | { missing: string },
): Place[] | { missing: string } {
  const places = run.places(subject)
  if ('missing' in baseline || limit.from === 'zero' || subject.kind === 'agents') return places
  if (!subject.pattern || !hasWildcard(subject.pattern)) return places
  const kind = subject.kind === 'timers' ? subject.timers : subject.kind
  const { vanished, added } = presenceOf(kind, run, baseline)
  const isNew = new Set(added)
  const old =
    'missing' in places ? [] : places.filter((place) => !('name' in place && isNew.has(place.name ?? '')))
  const known = new Set(old.map((place) => ('name' in place ? place.name : undefined)))
  const gone = vanished.filter(matcher(subject.pattern)).filter((name) => !known.has(name))
  const all = [
    ...old,
    ...gone.map((name): Place =>
      subject.kind === 'timers'
        ? { kind: 'timers', timers: subject.timers, name }
        : { kind: 'web-vitals', name },
    ),
  ]
  return all.length > 0 ? all : places
}

function draftOf(
  gate: FigureGate,
  place: Place,
  rate: RateUnit,
  run: ReportFigures,
  given: Baseline | { missing: string },
): Draft {
  const { check } = gate
  const baseline = 'missing' in given ? undefined : given
  const { metric, operator } = check
  const unit = unitOf(metric, rate)
  const figure = run.figure(place, metric, rate)
  const compares = check.limit.from === 'baseline'
  const seconds = compares && !check.strict ? run.report.general.duration : undefined
  const earlier = baseline?.figure(place, metric, rate, seconds)
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
  const missing = (reason: string): Draft => ({ result: { ...about, result: missingResult(gate), reason } })
  if ('missing' in figure) return missing(figure.missing)
  const { value } = figure
  const measured = { ...about, value, ...(earlier ? differenceOf(value, earlier.median) : {}) }
  if (!limit || !baseline || !earlier) {
    if (limit) return { result: { ...measured, result: outcomeOf(gate, holdsFigure(figure, check, limit)) } }
    const reason =
      'missing' in given ? given.missing : `The baseline has no ${metric} of ${placeName(place)}.`
    return { result: { ...measured, result: missingResult(gate), reason } }
  }
  const held = holdsFigure(figure, check, limit)
  const result: GateResult = { ...measured, result: outcomeOf(gate, held) }
  if (!compares) return { result }
  const load = metric === 'count' || metric === 'throughput' ? undefined : otherLoadAt(place, run, baseline)
  // What is too slow under less load would be even slower under more; what is fast enough under more load would be so
  // under less.
  if (load && load.less === held) {
    return { result: { ...measured, result: missingResult(gate), reason: load.sentence } }
  }
  // If the baseline itself would not meet the limit, noise excuses nothing.
  if (check.strict || !holds(earlier.median, operator, limit)) return { result }
  const above = operator === '=' ? value > earlier.median : operator.startsWith('<')
  const compared = { place, metric, rate, value, limit: limit.toNumber(), baseline: earlier.median, above }
  return { result, compared }
}

/** An error rate with a fixed limit is compared as a fraction, everything else as decimals. */
function holdsFigure(figure: Extract<Figure, { value: number }>, check: FigureCheck, limit: Big): boolean {
  return figure.fraction && check.limit.from === 'zero'
    ? holdsRate(figure.fraction, check.operator, limit)
    : holds(figure.value, check.operator, limit)
}

/**
 * The result with what noise says about it: a value beyond the limit passes if noise alone could have moved it there.
 */
function excused(
  result: GateResult,
  { metric, value, baseline }: Compared,
  finding: NoiseFinding | 'too few' | undefined,
): GateResult {
  const held = result.result === 'passed'
  const { unit } = result
  if (finding === 'too few') {
    return held ? result : { ...result, result: 'passed', reason: 'There are too few samples to compare.' }
  }
  const noise = finding ? { noise: noiseOf(finding) } : {}
  if (held) return { ...result, ...noise }
  const apart = new Big(value).minus(baseline).abs()
  if (isStepped(metric) && apart.lte(resolution)) {
    const reason = `The difference of ${showFigure(apart, unit)} is within the report's resolution of ${resolution} ms.`
    return { ...result, result: 'passed', reason, ...noise }
  }
  if (!finding) return result
  return finding.isBeyond
    ? { ...result, ...noise }
    : { ...result, result: 'passed', reason: 'It is beyond the limit, but within noise.', ...noise }
}

function noiseOf({ percent, samples, failsBeyond }: NoiseFinding): NonNullable<GateResult['noise']> {
  return {
    percent,
    ...defined({ samples, failsBeyond }),
  }
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
