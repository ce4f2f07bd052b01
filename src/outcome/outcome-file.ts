import { unitOf } from '../figures/metrics.js'
import type { Place } from '../figures/figures.js'
import { message, ReportError } from '../errors.js'
import { parseGate } from '../gates/language/language.js'
import { isMeasurable, type Report, type Scorecard } from '../report/report.js'
import { whyNotOfBranch } from './code-origin.js'
import { oneLine } from '../text/foreign-text.js'
import { hideSecrets } from '../text/redaction.js'
import { flawOf } from './json-schema.js'
import type { LoadTestOutcome } from './outcome.js'
import type { GateResult } from '../gates/result.js'
import { defined, fieldsOf, isFields, parsedJson } from '../text/fields.js'
import { readRegularFile } from '../text/regular-file.js'
import { formatBytes } from '../text/size.js'
import { archiveKind, headOf } from '../unpack/guard.js'
import { reportLimits } from '../unpack/guard.js'
import { unpackOnlyFile } from '../unpack/zip.js'

import schema from '../../docs/outcome.schema.json' with { type: 'json' }

/** What is taken from the outcome file of an earlier run. */
export interface EarlierFigures {
  report: Report
  /** The verdict that its step came to. */
  verdict: string
  /** The gates with fixed limits. */
  limits: EarlierLimit[]
  /** Who accepted the failed gates. */
  acceptedBy?: string
  /** The page of its digest. */
  digest?: string
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
  /** Far more failed than usual: it sets no standard. */
  tooManyErrors: boolean
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

/** Of a file that is read; whoever writes more says so. */
export const mostOutcomeBytes = 50_000_000

/** @returns why a file of this size is not read, as the end of a sentence */
export function tooLarge(bytes: number | undefined): string | undefined {
  return bytes === undefined || bytes <= mostOutcomeBytes
    ? undefined
    : `has ${formatBytes(bytes)}, and at most ${formatBytes(mostOutcomeBytes)} are read`
}

/**
 * The outcome file of a step that judges a load test, checked by docs/outcome.schema.json before it is believed: another
 * version of this action, or somebody else, may have written it.
 *
 * @param most bytes
 * @throws ReportError that can follow the file's name, such as `is not JSON`
 */
export function readOutcome(file: string, most = mostOutcomeBytes): LoadTestOutcome {
  let text
  try {
    text = readRegularFile(file, most).toString('utf8')
  } catch (error) {
    throw new ReportError(`is not read: ${message(error)}`, { cause: error })
  }
  return parseOutcome(text)
}

/** @throws ReportError as `readOutcome` */
export function parseOutcome(text: string): LoadTestOutcome {
  if (isNestedBeyond(mostLevels, text)) throw new ReportError(`is nested more than ${mostLevels} levels deep`)
  const outcome = parsedJson(text)
  if (outcome === undefined) throw new ReportError('is not JSON')
  if (!isFields(outcome) || !('verdict' in outcome)) throw new ReportError('is not an outcome file')
  const { format, kind, mode } = outcome
  if (format !== 1) throw new ReportError('is an outcome file in another format')
  if (kind === 'merge') throw new ReportError('is the merged outcome of a matrix, not of a load test')
  const other = ['check', 'history', 'start'].find((one) => one === kind || one === mode)
  if (other !== undefined)
    throw new ReportError(`is the outcome of a step that judges no load test: ${other}`)
  const checked: unknown = outcome
  if (isOfLoadTest(checked)) return checked
  const flaw = oneLine(flawIn(checked) ?? '', 120)
  throw new ReportError(`does not conform to docs/outcome.schema.json: ${flaw}`)
}

function isOfLoadTest(value: unknown): value is LoadTestOutcome {
  return flawIn(value) === undefined
}

function flawIn(value: unknown): string | undefined {
  const flaw = flawOf(value, schema, schema.$defs.loadTest)
  if (flaw !== undefined || !isFields(value)) return flaw
  const { figures, confirmation } = value
  return beyondMeasure({ figures, confirmation: { figures: fieldsOf(confirmation).figures } })
}

/** Where a number is that no load test can have measured. */
function beyondMeasure(value: unknown): string | undefined {
  if (typeof value === 'number') return isMeasurable(value) ? undefined : ' is not a measurement'
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, part] of Object.entries(value)) {
    const found = beyondMeasure(part)
    if (found !== undefined) return `/${name}${found}`
  }
  return undefined
}

/**
 * What counts of the outcome of an earlier run; undefined if it read no report. A run that needed a second look is more
 * likely than others to be an outlier: its second run shows the level without that bias.
 */
export function earlierRun(outcome: LoadTestOutcome): ParsedOutcome | undefined {
  const { confirmation, acceptance, isNewLevel, step, report: file, run, verdict, gates } = outcome
  const second = confirmation?.result === 'open' ? undefined : confirmation?.figures
  const report = second ?? outcome.figures
  if (!report) return undefined
  // Another step, which did not know them, may have written it.
  hideSecrets(report, [])
  return {
    ...{ report, verdict, limits: limitsIn(gates), gates: [...new Set(gates.map(({ gate }) => gate))] },
    tooManyErrors: outcome.tooManyErrors === true,
    ...defined({
      scorecard: second ? undefined : outcome.scorecard,
      acceptedBy: acceptance?.by,
      digest: outcome.digest?.url,
      template: run?.template,
      isNewLevel,
      commit: step.commit,
      workflowRunUrl: step.workflowRunUrl,
    }),
    // Of these parts alone: a history holds what it has read of a hundred outcomes, but not their comparisons.
    whyNotOfBranch: (branch) => whyNotOfBranch({ step, ...defined({ report: file }) }, branch),
  }
}

/** The limits that gates set themselves: that of a comparing gate follows the baseline. */
function limitsIn(gates: readonly GateResult[]): EarlierLimit[] {
  const fixed = new Map<string, boolean>()
  return gates.flatMap(({ gate, place, metric, unit, limit }) => {
    if (!place || metric === undefined || limit === undefined || !isMeasurable(limit)) return []
    // A gate with wildcards has a result for each of its timers.
    if (!fixed.has(gate)) fixed.set(gate, isFixed(gate))
    return fixed.get(gate) && unit === unitOf(metric) ? [{ place, metric, limit }] : []
  })
}

function isFixed(gate: string): boolean {
  const check = parseGate(gate).gate?.check
  return check?.kind === 'figure' && check.limit.from === 'zero'
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
 * The JSON of an outcome artifact: the stored file itself or, where the artifact service does not accept single files,
 * the only one in its ZIP, which is unpacked beside it.
 *
 * @returns its path
 * @throws ReportError that can follow the artifact's name
 */
export async function plainOutcome(stored: string, most = mostOutcomeBytes): Promise<string> {
  if (archiveKind(await headOf(stored)) !== 'zip') return stored
  const limits = { ...reportLimits, unpackedBytes: most, entries: 10 }
  try {
    const file = `${stored}.unpacked`
    if (await unpackOnlyFile(stored, file, /\.json$/i, limits)) return file
  } catch (error) {
    throw new ReportError(`is a ZIP that is not read: ${message(error)}`, { cause: error })
  }
  throw new ReportError('is a ZIP with something other than one JSON file')
}
