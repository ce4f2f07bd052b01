import { defined, fieldsOf, isFields, textOf, type Fields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { AnswerError, messageOf } from './failure.js'
import { isPathPart, phaseOf, type Listed, type LoadTest } from './project.js'
import type { Operation } from './operations.js'

/**
 * What the service's JSON looks like. The interface shows no field but `access_token`; what is read here is
 * assumed, each with its source, and read tolerantly: an unknown shape is an AnswerError or an absent value,
 * never a guess.
 */

/** v1 answers `{"success": true, "data": ...}` (API explorer); a bare answer is read as well. */
export function unwrap(operation: Operation, answer: unknown): unknown {
  if (!isFields(answer)) return answer
  if (answer.success === false) {
    const said = messageOf({ ...answer, success: undefined }) ?? 'no reason given'
    throw new AnswerError(operation, `reports a failure: ${oneLine(said)}`, { is: 'refusal' })
  }
  return 'data' in answer ? answer.data : answer
}

/** Interface section 5: JSON with the field access_token. expires_in (seconds) and scope are RFC 6749's. */
export function readToken(
  operation: Operation,
  answer: unknown,
): { token: string; seconds?: number; scopes?: string[] } {
  const record = fieldsOf(unwrap(operation, answer))
  const token = textOf(record.access_token)
  // A header has no line breaks.
  if (!token || /[^!-~]/.test(token)) throw new AnswerError(operation, 'contains no access_token')
  const { expires_in: given } = record
  const seconds = typeof given === 'number' && Number.isFinite(given) ? given : undefined
  return { token, ...defined({ seconds, scopes: textOf(record.scope)?.split(/[\s,]+/) }) }
}

/**
 * A load test record: `index`, `name`, `description`, `executionState.{startTime,endTime,state}` (API
 * explorer, user manual). Other spellings of the number are read where `index` is missing.
 *
 * @param expected the number that was asked for, where the record may leave it out
 */
export function readLoadTest(
  operation: Operation,
  answer: unknown,
  origin: string,
  expected?: number,
): LoadTest {
  const data = unwrap(operation, answer)
  const { loadTest: record = data } = fieldsOf(data)
  const bare = whole(record)
  if (bare !== undefined && expected === undefined) return { number: bare }
  if (typeof record === 'string' && expected !== undefined)
    return { number: expected, ...defined({ state: stateWord(record) }) }
  if (!isFields(record)) throw new AnswerError(operation, 'is not a load test record')
  const { index, number, loadTestNumber, loadTestIndex } = record
  const found = [index, number, loadTestNumber, loadTestIndex].map(whole).find((one) => one !== undefined)
  const ours = found ?? expected
  if (ours === undefined) throw new AnswerError(operation, 'contains no load test number')
  if (found !== undefined && expected !== undefined && found !== expected) {
    throw new AnswerError(operation, `is about load test ${found}`)
  }
  return { number: ours, ...describe(record, origin) }
}

/** Numbers of load tests, reports and results begin at 1. */
export function whole(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 1 ? read : undefined
}

function describe(record: Fields, origin: string): Omit<LoadTest, 'number'> {
  const execution = isFields(record.executionState) ? record.executionState : record
  const source = fieldsOf(record.source)
  const { executionEnvironment: engine } = record
  return defined({
    name: words(record.name),
    description: words(record.description),
    state: stateIn(record),
    ...timesIn(record),
    reason: words(execution.reason) ?? words(execution.message) ?? words(record.errorMessage),
    environment: isFields(engine)
      ? (words(engine.version) ?? words(engine.name) ?? words(engine.id))
      : words(engine),
    ...archiveSetting([source, record]),
    revision: words(record.revision) ?? words(execution.revision) ?? words(source.revision),
    page: linkOf(record, origin),
    reports: listedIn(record, 'reports'),
    results: listedIn(record, 'results'),
  })
}

/** In `executionState`, else beside the number. A number as text means nothing. */
function stateIn(record: Fields): string | undefined {
  const { executionState } = record
  const { state, status, phase } = isFields(executionState) ? executionState : record
  return [executionState, state, status, phase].map(stateWord).find((word) => word !== undefined)
}

/** In upper case. One that the step does not know is foreign text. */
function stateWord(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/\p{L}/u.test(text)) return undefined
  const word = text.trim().toUpperCase()
  return phaseOf(word) === 'unknown' ? words(word) : word
}

/** When it started and ended, beside its state or its number. Milliseconds since 1970. */
function timesIn(record: Fields): { startTime?: number | undefined; endTime?: number | undefined } {
  const { executionState } = record
  const { startTime, endTime } =
    [executionState, record].filter(isFields).find((one) => 'startTime' in one || 'endTime' in one) ?? {}
  return { startTime: time(startTime), endTime: time(endTime) }
}

/** UTC milliseconds, 0 when not started or not finished, as text too; ISO 8601 is read as well. */
function time(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const isDate = typeof value === 'string' && !/^\d*$/.test(value)
  const read = isDate ? Date.parse(value) : Number(value)
  // A date after 2099, such as 9999-12-31, stands for none.
  return read > 0 && read < 4.1e12 ? read : undefined
}

/**
 * Which code archive is set: its id, or that the latest counts, beside the archive or in its place; and whether it
 * counts at all. The first that has a value counts.
 */
function archiveSetting(
  records: readonly Fields[],
): Pick<LoadTest, 'archiveId' | 'useLatest' | 'archiveEnabled'> {
  const archives = records.map((record) => record.codeArchive).filter(isFields)
  const first = <T>(values: readonly (T | undefined)[]) => values.find((value) => value !== undefined)
  const ids = [
    ...records.flatMap(({ codeArchiveId, codeArchive }) => [codeArchiveId, codeArchive]),
    ...archives.flatMap(({ codeArchiveId, id }) => [codeArchiveId, id]),
  ]
  const named = first(ids.map(identifier))
  const isLatest = named !== undefined && /^(?:use[\s_-]?)?latest$/i.test(named)
  const enabled = [
    ...records.map((record) => record.codeArchiveEnabled),
    ...archives.map((archive) => archive.enabled),
  ]
  return defined({
    archiveId: isLatest ? undefined : named,
    useLatest: isLatest || first([...records, ...archives].map(({ useLatest }) => flag(useLatest))),
    archiveEnabled: first(enabled.map(flag)),
  })
}

/** The answer to an upload: the id of the new code archive. Absent if there is none. */
export function readArchiveId(operation: Operation, answer: unknown): string | undefined {
  const data = unwrap(operation, answer)
  const { codeArchive: record = data } = fieldsOf(data)
  if (!isFields(record)) return identifier(record)
  return identifier(record.id) ?? identifier(record.codeArchiveId) ?? identifier(record.index)
}

/** Characters of an address. */
const longestLink = 2000

/** The page of a load test: a link in the answer, only if it has the service's own origin. */
function linkOf(record: Fields, origin: string): string | undefined {
  const links = fieldsOf(record.links)
  for (const link of [record.url, record.webUrl, record.link, links.web, links.html]) {
    const url = typeof link === 'string' && URL.canParse(link, origin) ? new URL(link, origin) : undefined
    if (url?.origin !== origin || url.username || url.pathname.startsWith('/public/api/')) continue
    if (url.href.length <= longestLink && words(url.href) === url.href) return url.href
  }
  return undefined
}

/** `[{number, label}]` (user manual), or bare numbers, also as `loadTestReports`. Absent if none can be read. */
function listedIn(record: Fields, name: 'reports' | 'results'): Listed[] | undefined {
  const list = record[name] ?? (name === 'reports' ? record.loadTestReports : record.loadTestResults)
  const found = Array.isArray(list) ? list.flatMap(listed) : []
  return found.length > 0 ? found : undefined
}

function listed(entry: unknown): Listed[] {
  const record = isFields(entry) ? entry : { number: entry }
  const numbers = [record.number, record.index, record.reportNumber, record.resultNumber].map(whole)
  const number = numbers.find((one) => one !== undefined)
  const label = words(record.label) ?? words(record.name)
  return number === undefined ? [] : [{ number, ...defined({ label }) }]
}

/** What people read of it. */
function words(value: unknown): string | undefined {
  const found = textOf(value)
  return found && withoutSecrets(found)
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** An id that cannot be part of an address, or contains a secret, counts as absent: it goes into the path of a call. */
function identifier(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOf(value)
  return id !== undefined && isPathPart(id) && words(id) === id ? id : undefined
}
