import schema from '../../docs/outcome.schema.json' with { type: 'json' }
import { unitOf } from '../gates/metrics.js'
import type { Place } from '../gates/place.js'
import { ReportError } from '../errors.js'
import { parseGate } from '../gates/language/language.js'
import { isMeasurable } from '../report/figure-range.js'
import { whyNotOfBranch } from './code-origin.js'
import type { Report, Scorecard } from '../report/report.js'
import { oneLine } from '../text/foreign-text.js'
import { hideSecrets } from '../text/redaction.js'
import { flawOf } from './json-schema.js'
import type { LoadTestOutcome } from './outcome.js'
import { isFields, parsedJson, type Fields } from '../text/fields.js'

/** What is taken from the outcome file of an earlier run. */
export interface EarlierFigures {
  report: Report
  /** The verdict that its step came to. */
  verdict: string
  /** The gates with fixed limits. */
  limits: EarlierLimit[]
  /** Who accepted the failed gates. */
  acceptedBy?: string
  /** Absent if the figures are those of a second run, whose scorecard is not kept. */
  scorecard?: Scorecard
}

/** An outcome file, and whose code it is about. */
export interface ParsedOutcome extends EarlierFigures {
  /** All gates that it was judged by, as they were written. */
  gates: string[]
  /** The template that its run is a copy of. */
  template?: { number: number; name?: string }
  /** A change was accepted with it: runs before it are no longer compared with. */
  isNewLevel?: true
  /** The commit that it names. */
  commit?: string
  /** The page of the workflow run that it is of. */
  workflowRunUrl?: string
  /** Why it is not about the code of a branch, as the end of a sentence. */
  whyNotOfBranch(branch: string): string | undefined
}

/** The limit that a gate set, whatever the baseline. */
interface EarlierLimit {
  place: Place
  /** A metric word. */
  metric: string
  /** In the metric's unit; of a throughput for each second. */
  limit: number
}

/**
 * The figures and the verdict of an outcome file (docs/outcome.schema.json), for a baseline.
 *
 * @param origin names the file in a fault
 * @throws ReportError
 */
export function readOutcome(text: string, origin: string): ParsedOutcome {
  const parsed = parseOutcome(text)
  if (!('fault' in parsed)) return parsed
  throw new ReportError(
    `The baseline ${origin} ${parsed.fault}. Name the outcome file of a run whose report was read.`,
  )
}

/**
 * An outcome file, checked before it is believed: another version of this action, or somebody else, may have written
 * it. `fault` is the end of a sentence; `withoutFigures` is set if the only fault is that there are no figures, as
 * after a run that read no report.
 */
export function parseOutcome(text: string): ParsedOutcome | { fault: string; withoutFigures?: true } {
  const read = outcomeFields(text)
  if ('fault' in read) return read
  const { outcome } = read
  const second = secondFigures(outcome)
  const figures = second ?? outcome.figures
  if (figures === undefined) return { fault: 'contains no figures', withoutFigures: true }
  if (!isReport(figures)) return { fault: 'contains figures in another form' }
  // Another step, which did not know them, may have written it.
  hideSecrets(figures, ['twice'])
  const { acceptance, scorecard, step, report } = outcome
  return {
    report: figures,
    verdict: String(outcome.verdict),
    limits: limitsIn(outcome.gates),
    gates: gatesIn(outcome.gates),
    ...(second === undefined && isScorecard(scorecard) ? { scorecard } : {}),
    ...(isFields(acceptance) && isString(acceptance.by) ? { acceptedBy: acceptance.by } : {}),
    ...measuredAs(outcome),
    ...(isFields(step) && isString(step.commit) ? { commit: step.commit } : {}),
    ...(isFields(step) && isString(step.workflowRunUrl) ? { workflowRunUrl: step.workflowRunUrl } : {}),
    // Of these parts alone: a history holds what it has read of a hundred outcomes, but not their comparisons.
    whyNotOfBranch: (branch) => whyNotOfBranch({ step, report }, branch),
  }
}

function measuredAs({ run, isNewLevel }: Fields): Pick<ParsedOutcome, 'template' | 'isNewLevel'> {
  const { number, name } = isFields(run) && isFields(run.template) ? run.template : {}
  return {
    ...(typeof number === 'number' ? { template: { number, ...(isString(name) ? { name } : {}) } } : {}),
    ...(isNewLevel === true ? { isNewLevel } : {}),
  }
}

function gatesIn(gates: unknown): string[] {
  if (!Array.isArray(gates)) return []
  const texts = gates.flatMap((result: unknown) =>
    isFields(result) && isString(result.gate) ? [result.gate] : [],
  )
  return [...new Set(texts)]
}

/** The limits that gates set themselves: that of a comparing gate follows the baseline. */
function limitsIn(gates: unknown): EarlierLimit[] {
  if (!Array.isArray(gates)) return []
  const fixed = new Map<string, boolean>()
  return gates.flatMap((result: unknown) => {
    if (!isFields(result)) return []
    const { gate, place, metric, unit, limit } = result
    if (
      !isString(gate) ||
      !isPlace(place) ||
      !isString(metric) ||
      typeof limit !== 'number' ||
      !isMeasurable(limit)
    )
      return []
    // A gate with wildcards has a result for each of its timers.
    if (!fixed.has(gate)) fixed.set(gate, isFixed(gate))
    return fixed.get(gate) && unit === unitOf(metric) ? [{ place, metric, limit }] : []
  })
}

function isFixed(gate: string): boolean {
  const check = parseGate(gate).gate?.check
  return check?.kind === 'figure' && check.limit.from === 'zero'
}

/** The record of an outcome file, before any of its fields but its format is believed. */
function outcomeFields(text: string): { outcome: Fields } | { fault: string } {
  if (isNestedBeyond(mostLevels, text)) return { fault: `is nested more than ${mostLevels} levels deep` }
  const outcome = parsedJson(text)
  if (outcome === undefined) return { fault: 'is not JSON' }
  if (!isFields(outcome) || !('verdict' in outcome)) return { fault: 'is not an outcome file' }
  if (outcome.format !== 1) return { fault: 'is an outcome file in another format' }
  return { outcome }
}

/** An outcome with legs has some fifteen. */
const mostLevels = 100

/** Whatever looks at each value of it would run out of stack. */
function isNestedBeyond(most: number, text: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (isQuoted) {
      if (char === '\\') at++
      else if (char === '"') isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    if (depth > most) return true
  }
  return false
}

/**
 * A run that needed a second look is more likely than others to be an outlier: its second run shows the level without
 * that bias.
 */
function secondFigures({ confirmation }: Fields): unknown {
  return isFields(confirmation) && confirmation.result !== 'open' ? confirmation.figures : undefined
}

function isReport(value: unknown): value is Report {
  return flawOf(value, schema, schema.$defs.report) === undefined && everyNumberIsMeasurable(value)
}

function isPlace(value: unknown): value is Place {
  return flawOf(value, schema, schema.$defs.place) === undefined
}

function isScorecard(value: unknown): value is Scorecard {
  return value !== undefined && flawOf(value, schema, schema.$defs.scorecard) === undefined
}

function everyNumberIsMeasurable(value: unknown): boolean {
  if (typeof value === 'number') return isMeasurable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(everyNumberIsMeasurable)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/**
 * All of the outcome file of a step that judges a load test, checked by docs/outcome.schema.json before it is believed:
 * somebody else may have written it.
 *
 * @throws ReportError that can follow the file's name, such as `is not JSON`
 */
export function readJudgedOutcome(text: string): LoadTestOutcome {
  const read = outcomeFields(text)
  if ('fault' in read) throw new ReportError(read.fault)
  const fields: unknown = read.outcome
  const { kind, mode } = read.outcome
  if (kind === 'merge') throw new ReportError('is the merged outcome of a matrix, not of a load test')
  const other = ['check', 'history', 'start'].find((one) => one === kind || one === mode)
  if (other !== undefined)
    throw new ReportError(`is the outcome of a step that judges no load test: ${other}`)
  if (!isOfLoadTest(fields)) {
    throw new ReportError(
      `does not conform to docs/outcome.schema.json: ${oneLine(flawOf(fields, schema, schema.$defs.loadTest) ?? '', 120)}`,
    )
  }
  return fields
}

function isOfLoadTest(value: unknown): value is LoadTestOutcome {
  return flawOf(value, schema, schema.$defs.loadTest) === undefined
}
