import { ReportError } from '../errors.js'
import { isFields, type Fields } from '../text/fields.js'
import { timerKinds, type Report } from '../report/report.js'

/** What a baseline takes from an outcome file. */
export interface EarlierFigures {
  report: Report
  /** The verdict that its step came to. */
  verdict: string
}

/** The figures of an outcome file, as readOutcome reads them. */
export function readFigures(text: string, origin: string): Report {
  return readOutcome(text, origin).report
}

/**
 * The figures and the verdict of an outcome file (docs/outcome.schema.json), checked before they are used: another
 * version of this action, or somebody else, may have written it.
 *
 * @param origin names the file in a fault
 * @throws ReportError
 */
export function readOutcome(text: string, origin: string): EarlierFigures {
  const fault = (what: string) =>
    new ReportError(`The baseline ${origin} ${what}. Name the outcome file of a run whose report was read.`)
  let outcome: unknown
  try {
    outcome = JSON.parse(text)
  } catch (error) {
    throw new ReportError(fault('is not JSON').message, { cause: error })
  }
  if (!isFields(outcome) || !('verdict' in outcome)) throw fault('is not an outcome file')
  if (outcome.format !== 1) throw fault('is an outcome file in another format')
  const figures = secondFigures(outcome) ?? outcome.figures
  if (figures === undefined) throw fault('contains no figures')
  if (!isReport(figures)) throw fault('contains figures in another form')
  return { report: figures, verdict: String(outcome.verdict) }
}

/** A run that needed a second look was an outlier more often than others: its second run shows the level without that bias. */
function secondFigures({ confirmation }: Fields): unknown {
  return isFields(confirmation) && confirmation.result !== 'open' ? confirmation.figures : undefined
}

/** Whether a text is an outcome file with figures; a run that read no report leaves one without. */
export function holdsFigures(text: string): boolean {
  try {
    readFigures(text, '')
    return true
  } catch {
    return false
  }
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
  return typeof value === 'number' && Number.isFinite(value)
}
