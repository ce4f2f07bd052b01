import { unitOf } from '../gates/metrics.js'
import { ReportError } from '../errors.js'
import { parseGate } from '../gates/language/language.js'
import { isMeasurable } from '../report/figure-range.js'
import { whyNotOfBranch } from './code-origin.js'
import { timerKinds, type Report } from '../report/report.js'
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
}

/** An outcome file, and whose code it is about. */
export interface ParsedOutcome extends EarlierFigures {
  /** The commit that it names. */
  commit?: string
  /** The page of the workflow run that it is of. */
  workflowRunUrl?: string
  /** Why it is not about the code of a branch, as the end of a sentence. */
  whyNotOfBranch(branch: string): string | undefined
}

/** The limit that a gate set, whatever the baseline. */
export interface EarlierLimit {
  /** As `placeName` writes it. */
  subject: string
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
  const figures = secondFigures(outcome) ?? outcome.figures
  if (figures === undefined) return { fault: 'contains no figures', withoutFigures: true }
  if (!isReport(figures)) return { fault: 'contains figures in another form' }
  const { acceptance, step } = outcome
  return {
    report: figures,
    verdict: String(outcome.verdict),
    limits: limitsIn(outcome.gates),
    ...(isFields(acceptance) && isString(acceptance.by) ? { acceptedBy: acceptance.by } : {}),
    ...(isFields(step) && isString(step.commit) ? { commit: step.commit } : {}),
    ...(isFields(step) && isString(step.workflowRunUrl) ? { workflowRunUrl: step.workflowRunUrl } : {}),
    whyNotOfBranch: (branch) => whyNotOfBranch(outcome, branch),
  }
}

/** Of gates that compare, the limit follows the baseline. */
function limitsIn(gates: unknown): EarlierLimit[] {
  if (!Array.isArray(gates)) return []
  const fixed = new Map<string, boolean>()
  return gates.flatMap((result: unknown) => {
    if (!isFields(result)) return []
    const { gate, subject, metric, unit, limit } = result
    if (!isString(gate) || !isString(subject) || !isString(metric) || !isFigure(limit)) return []
    // A gate with wildcards has a result for each of its timers.
    if (!fixed.has(gate)) fixed.set(gate, isFixed(gate))
    return fixed.get(gate) && unit === unitOf(metric) ? [{ subject, metric, limit }] : []
  })
}

function isFixed(gate: string): boolean {
  const check = parseGate(gate).gate?.check
  return check?.kind === 'figure' && check.limit.from === 'zero'
}

/** The record of an outcome file, before any of its fields but its format is believed. */
export function outcomeFields(text: string): { outcome: Fields } | { fault: string } {
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
  return (
    isFields(value) &&
    optional(value, ['engineVersion', 'projectName', 'partial'], isString) &&
    isListOf(value.comments, isString) &&
    isFields(value.general) &&
    Object.values(value.general).every(isFigure) &&
    isFields(value.timers) &&
    timerKinds.every((kind) => isFields(value.timers) && isSection(value.timers[kind])) &&
    isListOf(value.webVitals, isWebVitals) &&
    isListOf(value.agents, isAgent) &&
    (value.agentSummary === undefined ||
      (isFields(value.agentSummary) && Object.values(value.agentSummary).every(isFigure))) &&
    isListOf(
      value.errors,
      (entry) =>
        isFields(entry) &&
        isString(entry.message) &&
        isFigure(entry.count) &&
        isListOf(entry.places, isString),
    ) &&
    isListOf(
      value.responseCodes,
      (entry) => isFields(entry) && isFigure(entry.code) && isString(entry.text) && isFigure(entry.count),
    ) &&
    isListOf(
      value.loadProfile,
      (entry) =>
        isFields(entry) &&
        isString(entry.name) &&
        isFields(entry.settings) &&
        Object.values(entry.settings).every(isString),
    )
  )
}

function isSection(value: unknown): boolean {
  return (
    isFields(value) &&
    (value.summary === undefined || isTimer(value.summary)) &&
    isListOf(value.timers, isTimer)
  )
}

function isTimer(value: unknown): boolean {
  if (!isFields(value)) return false
  const { name, labels, percentiles, twice = [], ...figures } = value
  return (
    isString(name) &&
    isListOf(labels, isString) &&
    isListOf(twice, isString) &&
    isFields(percentiles) &&
    [...Object.values(percentiles), ...Object.values(figures)].every(isFigure)
  )
}

function isAgent(value: unknown): boolean {
  if (!isFields(value)) return false
  const { name, ...figures } = value
  return isString(name) && Object.values(figures).every(isFigure)
}

function isWebVitals(value: unknown): boolean {
  if (!isFields(value) || !isString(value.name) || !isFields(value.vitals)) return false
  return Object.values(value.vitals).every(
    (vital) =>
      isFields(vital) &&
      isFigure(vital.score) &&
      optional(vital, ['rating'], isString) &&
      optional(vital, ['goodCount', 'improveCount', 'poorCount'], isFigure),
  )
}

function isListOf(value: unknown, holds: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds)
}

function optional(value: Fields, names: string[], holds: (entry: unknown) => boolean): boolean {
  return names.every((name) => value[name] === undefined || holds(value[name]))
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isFigure(value: unknown): value is number {
  return typeof value === 'number' && isMeasurable(value)
}
