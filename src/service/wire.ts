import { defined, fieldsOf, isFields, parsedJson, textOf, type Fields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { AnswerError, messageOf } from './failure.js'
import { isPathPart, phaseOf, type Listed, type LoadTest } from './project.js'
import type { Operation } from './operations.js'
import { anyNumber, innermost, plain, stateIn, stateWord, timesIn, usualNumber, whole } from './record.js'

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
  const ends = [number(record.expires_in), lifetimeIn(token)].filter((one) => one !== undefined)
  const seconds = ends.length > 0 ? Math.min(...ends) : undefined
  return { token, ...defined({ seconds, scopes: textOf(record.scope)?.split(/[\s,]+/) }) }
}

/** Seconds that a token is valid by its own words (RFC 7519); the clock of the service may differ from this one. */
function lifetimeIn(token: string): number | undefined {
  const { exp, iat } = fieldsOf(parsedJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  const until = number(exp)
  if (until === undefined) return undefined
  const left = until - Date.now() / 1000
  const given = until - (number(iat) ?? Date.now() / 1000)
  return left > 0 ? Math.min(left, given) : given > 0 ? given : undefined
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
  const record = innermost(unwrap(operation, answer), 'loadTest')
  const bare = whole(record)
  if (bare !== undefined && expected === undefined) return { number: bare }
  if (typeof record === 'string' && expected !== undefined)
    return { number: expected, ...defined({ state: harmless(stateWord(record)) }) }
  if (!isFields(record)) throw new AnswerError(operation, 'is not a load test record')
  // Of a load test that was asked for, another number may be anything.
  const found = usualNumber(record) ?? (expected === undefined ? anyNumber(record) : undefined)
  const ours = found ?? expected
  if (ours === undefined) throw new AnswerError(operation, 'contains no load test number')
  if (found !== undefined && expected !== undefined && found !== expected) {
    throw new AnswerError(operation, `is about load test ${found}`)
  }
  return { number: ours, ...describe(record, origin) }
}

/**
 * The copy in the answer to a start: by a number that is not the template's, or a bare one.
 *
 * @returns with it, whether the number's name says that it is a load test's
 * @throws AnswerError if there is none
 */
export function readCopy(
  operation: Operation,
  answer: unknown,
  origin: string,
  template: number,
): { copy: LoadTest; isNamedSo: boolean } {
  const record = innermost(unwrap(operation, answer), 'loadTest')
  const fields = fieldsOf(record)
  const usual = usualNumber(fields)
  const found = anyNumber(fields, (number) => number === template) ?? usual ?? whole(record)
  if (found === undefined) throw new AnswerError(operation, 'contains no load test number')
  const isNamedSo = found === usual
  return { copy: { number: found, ...(isNamedSo ? describe(fields, origin) : {}) }, isNamedSo }
}

/** What a start and a run depend on, as far as an answer has it; undefined if it has no field at all. */
export function essentials(
  answer: unknown,
): Partial<Pick<LoadTest, 'number' | 'state' | 'startTime' | 'endTime'>> | undefined {
  const record = innermost(answer, 'loadTest')
  const bare = whole(record)
  if (bare !== undefined) return { number: bare }
  if (!isFields(record) || Object.keys(record).length === 0) return undefined
  return defined({ number: anyNumber(record), state: stateIn(record), ...timesIn(record) })
}

function describe(record: Fields, origin: string): Omit<LoadTest, 'number'> {
  const execution = isFields(record.executionState) ? record.executionState : record
  const source = fieldsOf(record.source)
  const { executionEnvironment: engine } = record
  return defined({
    name: words(record.name),
    description: words(record.description),
    state: harmless(stateIn(record)),
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

/** A state that the step does not know is foreign text. */
function harmless(state: string | undefined): string | undefined {
  return phaseOf(state) === 'unknown' ? words(state) : state
}

/**
 * Which code archive is set: its id, or that the latest counts, beside the archive or in its place; and whether it
 * counts at all. The first of the records that has a value counts.
 */
function archiveSetting(
  records: readonly Fields[],
): Pick<LoadTest, 'archiveId' | 'useLatest' | 'archiveEnabled'> {
  const first = <T>(read: (record: Fields) => T | undefined): T | undefined =>
    records.map(read).find((value) => value !== undefined)
  const within = <T>(read: (archive: Fields) => T | undefined) =>
    first(({ codeArchive }) => (isFields(codeArchive) ? read(codeArchive) : undefined))
  const named =
    first(({ codeArchiveId, codeArchive }) => identifier(codeArchiveId) ?? identifier(codeArchive)) ??
    within(({ codeArchiveId, id }) => identifier(codeArchiveId) ?? identifier(id))
  const isLatest = named !== undefined && /^(?:use[\s_-]?)?latest$/i.test(named)
  const useLatest = first((record) => flag(record.useLatest)) ?? within((archive) => flag(archive.useLatest))
  return defined({
    archiveId: isLatest ? undefined : named,
    useLatest: isLatest || useLatest,
    archiveEnabled:
      first((record) => flag(record.codeArchiveEnabled)) ?? within((archive) => flag(archive.enabled)),
  })
}

/** The answer to an upload: the id of the new code archive. Absent if there is none. */
export function readArchiveId(operation: Operation, answer: unknown): string | undefined {
  const record = innermost(unwrap(operation, answer), 'codeArchive')
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
  const isNamedSo = (key: string) => [name, `test${name}`, `loadtest${name}`].includes(plain(key))
  const found = Object.entries(record)
    .filter(([key]) => isNamedSo(key))
    .sort(([a], [b]) => a.length - b.length)
    .map(
      ([, held]) =>
        [held, ...Object.values(fieldsOf(held))].find((one): one is unknown[] => Array.isArray(one)) ?? [],
    )
    .map((list) => list.flatMap(listed))
  return found.find((list) => list.length > 0)
}

function listed(entry: unknown): Listed[] {
  const record = isFields(entry) ? entry : { number: entry }
  const numbers = [record.number, record.index, record.reportNumber, record.resultNumber].map(whole)
  const number = numbers.find((one) => one !== undefined)
  const label = words(record.label) ?? words(record.name)
  return number === undefined ? [] : [{ number, ...defined({ label }) }]
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
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
