import { defined, fieldsOf, isFields, parsedJson, textOf, type Fields } from '../text/fields.js'
import { oneLine } from '../text/foreign-text.js'
import { withoutSecrets } from '../text/redaction.js'
import { isPathPart } from './address.js'
import { messageOf } from './error-body.js'
import { AnswerError } from './failure.js'
import type { Operation } from './operations.js'
import { phaseOf } from './state.js'

/**
 * What the service's JSON looks like. The interface shows no field but `access_token`; what is read here is
 * assumed, each with its source, and read tolerantly: an unknown shape is an AnswerError or an absent value,
 * never a guess.
 */

/** A load test as the service describes it. */
export interface LoadTest {
  number: number
  name?: string
  description?: string
  /** Upper case, as the service writes it: RUNNING, FINISHED, ... */
  state?: string
  /** Milliseconds since 1970, UTC; absent before the start and the end. */
  startTime?: number
  endTime?: number
  /** Why it ended in ERROR, where the service says so. */
  reason?: string
  /** The engine's version line it runs on, in the words of the service. */
  environment?: string
  /** The code archive that it was or will be built from. */
  archiveId?: string
  /** True if the load test uses the most recent code archive. */
  useLatest?: boolean
  /** False if its code archive does not count, because the load test does not enable it (service since v112). */
  archiveEnabled?: boolean
  /** What was built, as its source names it, such as a commit. Foreign text. */
  revision?: string
  /** Its page on the service, where the answer links to one of the service's own origin. */
  page?: string
  /** Reports and results, where the answer lists them. */
  reports?: Listed[]
  results?: Listed[]
  /** Fields that seem to list reports or results, in a form that cannot be read. Foreign text. */
  unread?: { reports?: string; results?: string }
}

/** A report or result of a load test; the label is the user's own or the service's. */
export interface Listed {
  number: number
  label?: string
}

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
  const data = unwrap(operation, answer)
  const record = isFields(data) ? data : {}
  const token = text(record.access_token)
  if (!token) throw new AnswerError(operation, 'contains no access_token')
  const seconds = [number(record.expires_in), lifetimeIn(token)].filter((one) => one !== undefined)
  return {
    token,
    ...defined({
      seconds: seconds.length > 0 ? Math.min(...seconds) : undefined,
      scopes: text(record.scope)?.split(/[\s,]+/),
    }),
  }
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
 * The copy in the answer to a start: by a number that is not the template's, else by the only number that there is.
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
  const found = anyNumber(fields, (number) => number === template) ?? usual ?? onlyNumber(record)
  if (found === undefined) throw new AnswerError(operation, 'contains no load test number')
  const isNamedSo = found === usual
  return { copy: { number: found, ...(isNamedSo ? describe(fields, origin) : {}) }, isNamedSo }
}

function onlyNumber(value: unknown): number | undefined {
  const numbers = (held: unknown): number[] => {
    const within = Array.isArray(held) || isFields(held) ? Object.values(held) : undefined
    return within ? within.flatMap(numbers) : [whole(held) ?? []].flat()
  }
  const [only, ...more] = numbers(value)
  return more.length === 0 ? only : undefined
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
  const source = isFields(record.source) ? record.source : {}
  const unread = defined({ reports: unreadList(record, 'reports'), results: unreadList(record, 'results') })
  return defined({
    name: words(record.name),
    description: words(record.description),
    state: harmless(stateIn(record)),
    ...timesIn(record),
    reason: words(execution.reason) ?? words(execution.message) ?? words(record.errorMessage),
    environment: environmentOf(record.executionEnvironment),
    ...archiveSetting([source, record]),
    revision: words(record.revision) ?? words(execution.revision) ?? words(source.revision),
    page: linkOf(record, origin),
    reports: listed(record.reports),
    results: listed(record.results),
    unread: Object.keys(unread).length > 0 ? unread : undefined,
  })
}

/** A state that the step does not know is foreign text. */
function harmless(state: string | undefined): string | undefined {
  return phaseOf(state) === 'unknown' ? words(state) : state
}

function environmentOf(value: unknown): string | undefined {
  return isFields(value) ? (words(value.version) ?? words(value.name) ?? words(value.id)) : words(value)
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

/** The code archives of a project by id and SHA-512; entries without an id are left out. */
export function readArchives(operation: Operation, answer: unknown): { id: string; sha512?: string }[] {
  const data = unwrap(operation, answer)
  const held = isFields(data) ? [data.codeArchives, data.items, data.content].find(Array.isArray) : data
  if (!Array.isArray(held)) throw new AnswerError(operation, 'is not a list of code archives')
  const records: unknown[] = held
  return records.flatMap((record) => {
    const id = isFields(record) ? identifier(record.id) : undefined
    const sha512 = isFields(record) ? text(record.sha512)?.toLowerCase() : undefined
    return id === undefined ? [] : [{ id, ...defined({ sha512 }) }]
  })
}

/** Characters of an address. */
const longestLink = 2000

/** The page of a load test: a link in the answer, only if it has the service's own origin. */
function linkOf(record: Fields, origin: string): string | undefined {
  const links = isFields(record.links) ? record.links : {}
  for (const link of [record.url, record.webUrl, record.link, links.web, links.html]) {
    const url = typeof link === 'string' && URL.canParse(link, origin) ? new URL(link, origin) : undefined
    if (url?.origin !== origin || url.username || url.pathname.startsWith('/public/api/')) continue
    if (url.href.length <= longestLink && words(url.href) === url.href) return url.href
  }
  return undefined
}

/** `[{number, label}]` (user manual), or bare numbers. Absent if there are none that can be read. */
function listed(list: unknown): Listed[] | undefined {
  const entries: unknown[] = Array.isArray(list) ? list : []
  const found = entries.flatMap((entry) => {
    const record = isFields(entry) ? entry : { number: entry }
    const number = numberOf(record, ['number', 'index', 'reportNumber', 'resultNumber'])
    return number === undefined
      ? []
      : [{ number, ...defined({ label: words(record.label) ?? words(record.name) }) }]
  })
  return found.length > 0 ? found : undefined
}

/** The field that seems to hold a list of these in another form: `reports` itself, or one such as `loadTestReports`. */
function unreadList(record: Fields, name: 'reports' | 'results'): string | undefined {
  if (listed(record[name])) return undefined
  const isAlike = (field: string) => field.toLowerCase().replaceAll('_', '').endsWith(name)
  return words(
    Object.entries(record).find(
      ([field, value]) => isAlike(field) && typeof value === 'object' && Object.keys(value ?? {}).length > 0,
    )?.[0],
  )
}

/** The final report: the one with the highest number; if none are listed, it is number 1 (user manual). */
export function latest(list: readonly Listed[] | undefined): Listed {
  return (list ?? []).reduce((best, one) => (one.number >= best.number ? one : best), { number: 1 })
}

function numberOf(record: Fields, names: string[]): number | undefined {
  return names.map((name) => whole(record[name])).find((value) => value !== undefined)
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** What people read of it. */
function words(value: unknown): string | undefined {
  const found = text(value)
  return found && withoutSecrets(found)
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** An id that cannot be part of an address, or contains a secret, counts as absent: it goes into the path of a call. */
function identifier(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : text(value)
  return id !== undefined && isPathPart(id) && words(id) === id ? id : undefined
}

/**
 * Where a record may have what a start and a run depend on. The interface shows no names of fields: the first ones here
 * are those of the API explorer, the others are plain enough to be read, and whatever is left is unknown.
 */

/** Letters alone: `start_time`, `startTime` and `StartTime` are one name. */
const plain = (key: string) => key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** What a record may be wrapped in, in addition to the envelope. */
const wrappers = {
  loadTest: /^(?:new|created|copied)?(?:loadtest|copy|run|record|item|result)$/,
  codeArchive: /^(?:new|created|uploaded)?(?:codearchive|archive|record|item|result)$/,
} as const
/** A record that only wraps another one has none of these. */
const own = /^(?:index|number|id|name|.*(?:state|status|phase))$/

/** The record itself, or the one that it wraps. */
function innermost(value: unknown, kind: keyof typeof wrappers, depth = 0): unknown {
  if (!isFields(value) || depth > 3) return value
  if (isFields(value[kind])) return value[kind]
  if (Object.keys(value).some((key) => own.test(plain(key)))) return value
  const [inner, ...more] = Object.entries(value).filter(
    ([key, held]) => wrappers[kind].test(plain(key)) && isFields(held),
  )
  return inner && more.length === 0 ? innermost(inner[1], kind, depth + 1) : value
}

const numberNames = ['index', 'number', 'loadtestnumber', 'loadtestindex'] as const
const otherNumber =
  /^(?:new|copy|copied|created|started)?(?:loadtest|test|copy|run)?(?:number|index|nr|no|id)$/
const ofCopy = /^(?:new|cop|creat|start)/

/** The number in a field whose name says that it is the load test's, by the API explorer first. */
function usualNumber(record: Fields): number | undefined {
  return firstOf(record, numberNames, whole)
}

/** The number in whatever a record has for one: other fields, or the address of the load test. */
function anyNumber(record: Fields, isOther: (number: number) => boolean = () => false) {
  const fields = Object.entries(record).filter(([key]) => otherNumber.test(plain(key)))
  const ranked = [...fields.filter(([key]) => ofCopy.test(plain(key))), ...fields].map(([, value]) =>
    whole(value),
  )
  const links = [record, ...[record.links, record._links].filter(isFields)].flatMap((holder) =>
    Object.entries(holder)
      .filter(([key]) => /^(?:url|uri|href|link|self|location|loadtest|copy)$/.test(plain(key)))
      .map(([, value]) => numberInAddress(isFields(value) ? value.href : value)),
  )
  return [usualNumber(record), ...ranked, ...links].find((one) => one !== undefined && !isOther(one))
}

/** The load test that an address of the interface, or of a page, is about. */
export function numberInAddress(address: unknown): number | undefined {
  if (typeof address !== 'string') return undefined
  return whole(/\/load-?tests\/(\d+)(?:\/status)?\/?(?:[?#].*)?$/i.exec(address)?.[1])
}

/** Numbers of load tests, reports and results begin at 1. */
export function whole(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 1 ? read : undefined
}

const stateField =
  /^(?:execution|loadtest|run|test|current|lifecycle)?(?:state|status|phase)(?:name|text|label)?$/
const stateHolder = /^(?:.*(?:state|status|phase)|.*execution|lifecycle|run|progress)$/
const wordNames = ['name', 'value', 'code', 'key', 'label', 'id', 'text'] as const

/** In upper case, without what stands before it: `RUNNING` of ` running `, `State.RUNNING` or `STATE_RUNNING`. */
export function stateWord(text: string): string {
  const word = text.trim().toUpperCase()
  return /^(?:[\w ]*[.:/]|(?:\w+_)?STAT(?:E|US)_)?(\w+)$/.exec(word)?.[1] ?? word
}

/** The state that a record names; of several, the first that is known. A number names none. */
export function stateIn(record: Fields): string | undefined {
  const { executionState } = record
  if (isFields(executionState)) {
    const within = best(wordsIn({ executionState }))
    if (within !== undefined) return within
  }
  return best(wordsIn(record))
}

function best(words: readonly string[]): string | undefined {
  return words.find((word) => phaseOf(word) !== 'unknown') ?? words[0]
}

function wordsIn(record: Fields, depth = 0): string[] {
  return Object.entries(record).flatMap(([key, value]) => {
    const isState = stateField.test(plain(key))
    if (isState && typeof value === 'string') return isWord(value) ? [stateWord(value)] : []
    if (!isFields(value) || depth > 2 || !stateHolder.test(plain(key))) return []
    const named = isState
      ? wordNames.map((name) => textOf(value[name])).find((one) => one && isWord(one))
      : undefined
    return [...(named === undefined ? [] : [stateWord(named)]), ...wordsIn(value, depth + 1)]
  })
}

/** A number as text means nothing. */
function isWord(text: string): boolean {
  return /\p{L}/u.test(text)
}

const startNames = ['starttime', 'started', 'startedat', 'start', 'startdate', 'startedtime'] as const
const endNames = [
  'endtime',
  'ended',
  'endedat',
  'end',
  'enddate',
  'finished',
  'finishedat',
  'completedat',
] as const

/** When it started and ended, beside its state first. Milliseconds since 1970. */
function timesIn(record: Fields): { startTime?: number | undefined; endTime?: number | undefined } {
  const holders = [
    record.executionState,
    record,
    ...Object.entries(record).map(([key, value]) => stateHolder.test(plain(key)) && value),
  ]
  const [within] = holders.filter(isFields)
  const all =
    within && isFields(record.executionState) && hasTimes(within) ? [within] : holders.filter(isFields)
  const first = (names: readonly string[]) =>
    all.map((holder) => firstOf(holder, names, time)).find((one) => one !== undefined)
  return { startTime: first(startNames), endTime: first(endNames) }
}

function hasTimes(holder: Fields): boolean {
  return Object.keys(holder).some((key) => [...startNames, ...endNames].some((name) => name === plain(key)))
}

function firstOf<T>(record: Fields, names: readonly string[], read: (value: unknown) => T | undefined) {
  const entries = Object.entries(record)
  return names
    .flatMap((name) => entries.filter(([key]) => plain(key) === name))
    .map(([, value]) => read(value))
    .find((one) => one !== undefined)
}

/** UTC milliseconds, 0 when not started or not finished, as text too; seconds and ISO 8601 are read as well. */
function time(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const isDate = typeof value === 'string' && !/^\d*$/.test(value)
  const read = isDate ? Date.parse(value) : Number(value)
  if (Number.isNaN(read) || read <= 0 || read > 8.64e15) return undefined
  const isSeconds = !isDate && read > 1e9 && read < 1e11
  return isSeconds ? read * 1000 : read
}
