import { unitOf } from '../figures/metrics.js'
import { message, ReportError } from '../errors.js'
import { reading } from '../garbage.js'
import { parseGates } from '../language/language.js'
import { isMeasurable } from '../report/report.js'
import { whyNotOfBranch } from './code-origin.js'
import { oneLine } from '../text/foreign-text.js'
import { hideSecrets } from '../text/redaction.js'
import type { LoadTestOutcome } from './outcome.js'
import { placesJudged, type GateResult } from '../gates/result.js'
import { defined, fieldsOf, heldIn, isFields, parsedJson, type Fields } from '../text/fields.js'
import { readRegularFile } from '../text/regular-file.js'
import { formatBytes } from '../text/size.js'
import { archiveKind, headOf, reportLimits } from '../unpack/guard.js'
import { unpackOnlyFile } from '../unpack/zip.js'
import schema from '../../docs/outcome.schema.json' with { type: 'json' }

export type ParsedOutcome = NonNullable<ReturnType<typeof earlierRun>>

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
  reading(text.length)
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
  checkConforms(checked)
  return checked
}

function checkConforms(value: unknown): asserts value is LoadTestOutcome {
  const { figures, confirmation } = fieldsOf(value)
  const measured = { figures, confirmation: { figures: fieldsOf(confirmation).figures } }
  const flaw = flawOf(value, schema.$defs.loadTest, schema) ?? beyondMeasure(measured)
  if (flaw !== undefined)
    throw new ReportError(`does not conform to docs/outcome.schema.json: ${oneLine(flaw, 120)}`)
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
 * What counts of the outcome of an earlier run, and whose code it is about; undefined if it read no report. A run that needed a second look is more
 * likely than others to be an outlier: its second run shows the level without that bias.
 */
export function earlierRun(outcome: LoadTestOutcome) {
  const { mode, confirmation, acceptance, isNewLevel, step, report: file, run, verdict, gates } = outcome
  const second = confirmation?.result === 'open' ? undefined : confirmation?.figures
  const report = second ?? outcome.figures
  if (!report) return undefined
  // Another step, which did not know them, may have written it.
  hideSecrets(report, [])
  return {
    report,
    /** The verdict that its step came to. */
    verdict,
    limits: limitsIn(gates),
    /** Far more failed than usual: it sets no standard. */
    tooManyErrors: outcome.tooManyErrors === true,
    ...defined({
      /** The login of who accepted the failed gates. */
      acceptedBy: acceptance?.by,
      /** The page of its digest. */
      digest: outcome.digest?.url,
      /** That its run is a copy of. */
      template: run?.template,
      /** A change was accepted with it: runs before it are no longer compared with. */
      isNewLevel,
      commit: step.commit,
      workflowRunUrl: step.workflowRunUrl,
      // Those of a second run are not kept.
      scorecard: second ? undefined : outcome.scorecard,
      /** By how many percent all its timers together were slower than in its own baseline. */
      slowerBy: second ? undefined : outcome.comparison?.noise?.percent,
      /** How much whole runs differ, as its baseline showed: percent, by kind and metric. */
      runNoise: outcome.comparison?.runNoise,
    }),
    /**
     * Why it is not about the code of a branch, as the end of a sentence. Of these parts alone: a history holds what it
     * has read of a hundred outcomes, but not their comparisons.
     */
    whyNotOfBranch: (branch: string) => whyNotOfBranch({ mode, step, ...defined({ report: file }) }, branch),
  }
}

/** The fixed limits that gates set, by place and metric word, in the metric's unit; of a throughput for each second. */
function limitsIn(gates: readonly GateResult[]) {
  const fixed = new Map<string, boolean>()
  return gates.flatMap((result) => {
    const { gate, metric, unit, limit } = result
    if (metric === undefined || limit === undefined || !isMeasurable(limit)) return []
    // A gate with wildcards has a result for each of its timers.
    const isSet = heldIn(fixed, gate, () => isFixed(gate)) && unit === unitOf(metric)
    return isSet ? placesJudged(result).map((place) => ({ place, metric, limit })) : []
  })
}

function isFixed(gate: string): boolean {
  const [check] = parseGates(gate).gates.map((one) => one.check)
  return check?.kind === 'figure' && check.limit.from === 'zero'
}

/** An outcome with legs has some fifteen. */
const mostLevels = 100

/** Whatever looks at each value of it would run out of stack. */
function isNestedBeyond(most: number, text: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length && depth <= most; at++) {
    const char = text.charAt(at)
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted && char === '\\') at++
    else if (!isQuoted) depth += '[{'.includes(char) ? 1 : ']}'.includes(char) ? -1 : 0
  }
  return depth > most
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

/**
 * The first mistake of a value by a JSON schema, such as `/gates/0/limit does not match "type": "number"`; undefined if it
 * is valid. A field that the schema lacks is not a mistake: a newer version may have written it.
 *
 * @param root the schema that `$ref` is looked up in
 */
export function flawOf(value: unknown, schema: Fields, root = schema): string | undefined {
  const flaw = flawBelow(value, schema, root)
  return flaw?.startsWith(' ') ? `/${flaw}` : flaw
}

/** Where the value lies is put before the flaw on the way up: of most values there is none. */
function flawBelow(value: unknown, given: unknown, root: Fields): string | undefined {
  const schema = fieldsOf(given)
  const { $ref: ref, required, items, properties, additionalProperties, propertyNames } = schema
  if (typeof ref === 'string')
    return flawBelow(value, fieldsOf(root.$defs)[ref.replace('#/$defs/', '')], root)
  for (const [keyword, keeps] of keywords) {
    const rule = schema[keyword]
    if (rule !== undefined && !keeps(value, rule, root))
      return ` does not match "${keyword}": ${JSON.stringify(rule)}`
  }
  const wanted = isFields(value) ? listOf(required).map(String) : []
  const lacking = wanted.find((name) => !Object.hasOwn(fieldsOf(value), name))
  if (lacking !== undefined) return ` lacks ${lacking}`
  const isList = Array.isArray(value)
  for (const [name, part] of isList ? value.entries() : Object.entries(fieldsOf(value))) {
    const rule = isList ? items : (own(properties, String(name)) ?? additionalProperties)
    const flaw = flawBelow(part, rule, root) ?? (isList ? undefined : flawBelow(name, propertyNames, root))
    if (flaw !== undefined) return `/${name}${flaw}`
  }
  return undefined
}

/** Whether a value keeps what is said of itself; what it is made of is looked at one by one. */
const keywords = Object.entries<(value: unknown, rule: unknown, root: Fields) => boolean>({
  type: isOfType,
  const: (value, only) => value === only,
  enum: (value, all) => listOf(all).includes(value),
  minimum: (value, least) => typeof value !== 'number' || value >= Number(least),
  minItems: (value, least) => !Array.isArray(value) || value.length >= Number(least),
  pattern: (value, pattern) => typeof value !== 'string' || new RegExp(String(pattern), 'u').test(value),
  anyOf: (value, all, root) => listOf(all).some((one) => flawBelow(value, one, root) === undefined),
})

/** A name of every object, such as toString, is not one of the schema's. */
function own(rules: unknown, name: string): unknown {
  return isFields(rules) && Object.hasOwn(rules, name) ? rules[name] : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return type === (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
}
