import type { IncomingHttpHeaders } from 'node:http'
import { message } from '../errors.js'
import { defined, fieldsOf, isFields, type Fields } from '../text/fields.js'
import { bodyOf, jsonLimit, parse, slowAnswerTimeout, textDecoderOf, tooMuchJson } from './answer.js'
import type { Connection } from './connection.js'
import { AnswerError, IncompleteListError } from './failure.js'
import type { Operation } from './operations.js'
import type { LoadTest } from './project.js'
import type { Answer } from './transport.js'
import { plain } from './record.js'
import { readLoadTest, unwrap } from './wire.js'

/** A list of load tests, or the part of it that one answer holds. */
export interface ListPage {
  tests: LoadTest[]
  /** The address of the next part, relative to the base address; absent at the end. */
  next?: string
  /** How many there are in all, if the answer says so. */
  total?: number
}

/** All load tests of a project, each once. @throws IncompleteListError if there are more than can be read */
export async function readList(connection: Connection, first: Operation): Promise<LoadTest[]> {
  const { baseUrl } = connection
  const { origin } = new URL(baseUrl)
  return wholeList(first, (operation) =>
    connection.patiently(async () => {
      const answer = await connection.authorized(operation)
      const keep = (record: unknown) => lean(operation, record, origin)
      const { rest, kept } = await readListJson(operation, answer, keep)
      return readListPage(operation, rest, { baseUrl, headers: answer.headers }, (record) => {
        const test = isFields(record) ? kept[Number(record.kept)] : readLoadTest(operation, record, origin)
        if (test === undefined || test instanceof Error)
          throw test ?? new AnswerError(operation, 'is not a list of load tests')
        return test
      })
    }),
  )
}

/** What a start needs of a load test in a list, which may be long; or why it cannot be read. */
function lean(operation: Operation, record: unknown, origin: string): LoadTest | Error {
  try {
    const { number, name, state, startTime, endTime, archiveId } = readLoadTest(operation, record, origin)
    return { number, ...defined({ name, state, startTime, endTime, archiveId }) }
  } catch (error) {
    return error instanceof Error ? error : new Error(message(error))
  }
}

/** No list of a project has more parts. */
const mostParts = 1000

/** Reads a list to its end, part by part, each load test once. @throws AnswerError if it is incomplete */
export async function wholeList(
  first: Operation,
  read: (operation: Operation) => Promise<ListPage>,
): Promise<LoadTest[]> {
  const all = new Map<number, LoadTest>()
  let operation = first
  for (let parts = 1; ; parts++) {
    const { tests, next, total } = await read(operation)
    const known = all.size
    for (const test of tests) if (!all.has(test.number)) all.set(test.number, test)
    const isStuck = next !== undefined && (all.size === known || parts >= mostParts)
    if (isStuck || (next === undefined && all.size < (total ?? 0))) {
      throw new IncompleteListError(
        operation,
        `is incomplete: it shows ${all.size} of ${total ?? 'an unknown number of'} load tests`,
      )
    }
    if (next === undefined) return [...all.values()]
    operation = { ...operation, path: next }
  }
}

/**
 * Reads a list, or a record that holds one. v1 answers the whole list; v2 pages it by `next`, `offset`, `limit` and
 * `total` (API explorer).
 *
 * @param operation what was asked for, with its query
 * @param headers those of the answer
 * @param one reads a record of the list
 * @throws AnswerError for anything else, IncompleteListError if there is more that cannot be requested
 */
export function readListPage(
  operation: Operation,
  answer: unknown,
  { baseUrl, headers = {} }: { baseUrl: string; headers?: IncomingHttpHeaders },
  one: (record: unknown) => LoadTest,
): ListPage {
  const held = listIn(unwrap(operation, answer))
  if (!held) throw new AnswerError(operation, 'is not a list of load tests')
  const tests = held.list.map(one)
  const paging = pagingOf(held.record, isFields(answer) ? answer : {}, headers)
  const total = totalOf(paging)
  const next = nextOf(operation, paging, tests.length, baseUrl)
  if (next === undefined && hidesMore(paging, headers, tests.length)) {
    const wrong = 'is incomplete: it has a next part in a form that the step does not know'
    throw new IncompleteListError(operation, wrong)
  }
  return { tests, ...defined({ next, total }) }
}

const totals = /^(?:total(?:elements|count|items|results|records)?|recordstotal|(?:odata|pagination)?count)$/

/** How many load tests there are in all; of several such fields, the largest. */
function totalOf(paging: Fields): number | undefined {
  const named = Object.entries(paging).filter(([name]) => totals.test(plain(name)))
  const counts = named.flatMap(([, value]) => count(value) ?? [])
  return counts.length === 0 ? undefined : Math.max(...counts)
}

/** The list, or the only one in a record, by the names that are known first; and the record. */
export function listIn(data: unknown, depth = 0): { list: unknown[]; record: Fields } | undefined {
  if (Array.isArray(data)) return { list: data, record: {} }
  if (!isFields(data)) return undefined
  const lists = Object.values(data).filter((value): value is unknown[] => Array.isArray(value))
  const known = [data.loadTests, data.items, data.content].find((value) => Array.isArray(value))
  // An empty list beside the paging may be anything.
  const list = known ?? (lists.length === 1 ? lists[0] : undefined)
  if (list) return { list, record: data }
  const within = Object.values(data).flatMap((value) =>
    depth < 2 && isFields(value) ? (listIn(value, depth + 1) ?? []) : [],
  )
  const [only, ...more] = within
  return only && more.length === 0 ? { list: only.list, record: { ...data, ...only.record } } : undefined
}

const places = /^(?:page(?:able|info)?|paging|pagination|meta(?:data)?|resultinfo)$/
const inHeaders = /^x-(?=.*(?:next|cursor|more))|^(?:x-)?(?=total|pagination-count)/

/**
 * What says where in the list the answer is: in its headers, around the envelope's data, beside the list, and below `page`
 * and the like.
 */
function pagingOf(record: Fields, envelope: Fields, headers: IncomingHttpHeaders): Fields {
  const sent = Object.entries(headers).filter(([name]) => inHeaders.test(name))
  const named = Object.fromEntries(sent.map(([name, value]) => [name.replace(inHeaders, ''), value]))
  const all: Fields = { ...named, ...envelope, ...record }
  const within = (of: Fields, depth = 0): Fields[] =>
    Object.entries(of).flatMap(([name, value]) =>
      isFields(value) && places.test(plain(name)) && depth < 3 ? [value, ...within(value, depth + 1)] : [],
    )
  return within(all).reduce((paging, one) => ({ ...paging, ...one }), all)
}

const isMoreByName = /^(?!.*prev)(?!.*current).*(?:next|cursor|continu|more|truncated|partial|remaining)/i
const isAllByName = /^(?:is_?)?(?:last|last_?page|complete)$/i
const isPagesByName = /^(?:(?:total|last|num|number_?of)[_-]?)?pages?(?:_?count)?$/i

/** Whether anything says that there is more. */
function hidesMore(paging: Fields, headers: IncomingHttpHeaders, held: number): boolean {
  return (
    isFullPage(paging, held) ||
    /\brel="?[^";,]*\bnext\b/i.test(String(headers.link ?? '')) ||
    Number(headers['content-range']?.split('/')[1]) > held ||
    [paging.links, paging._links].flat().some((link) => isFields(link) && link.rel === 'next') ||
    Object.entries({ ...fieldsOf(paging.links), ...fieldsOf(paging._links), ...paging }).some(
      ([name, value]) =>
        (isMoreByName.test(name) && isMore(value)) ||
        (isAllByName.test(name) && value === false) ||
        (isPagesByName.test(name) && Number(value) > 1),
    )
  )
}

/** A part that is as long as parts are, of a list that does not say how long it is. */
function isFullPage(paging: Fields, held: number): boolean {
  const counts = (...names: string[]) => names.flatMap((name) => count(paging[name]) ?? [])
  const isTold =
    totalOf(paging) !== undefined || counts('totalPages', 'pages').length > 0 || paging.last === true
  const isPart = counts('page', 'number', 'pageNumber', 'offset', 'skip').length > 0
  const isFull = counts('size', 'limit', 'pageSize', 'perPage', 'take').includes(held)
  return isPart && !isTold && held > 0 && isFull
}

function isMore(value: unknown): boolean {
  if (isFields(value)) return Object.values(value).some(isMore)
  return Array.isArray(value)
    ? value.length > 0
    : !['', '0', 'false', 0, false, null, undefined].some((none) => none === value)
}

/** The address of the next part. A text in `next` that is not an address may be a cursor. */
function nextOf(operation: Operation, paging: Fields, held: number, baseUrl: string): string | undefined {
  const links = [paging.next, [paging.links, paging._links].find(isFields)?.next]
  const link = links
    .map((one) => (isFields(one) ? one.href : one))
    .find((one) => typeof one === 'string' && one)
  if (typeof link === 'string' && /[/?]/.test(link)) return ownPath(operation, link, baseUrl)
  const [offset, total, limit] = [paging.offset, paging.total, paging.limit].map(count)
  if (offset === undefined || offset + held >= (total ?? 0)) return undefined
  const url = new URL(operation.path, 'http://localhost')
  url.searchParams.set('offset', String(offset + held))
  if (limit !== undefined) url.searchParams.set('limit', String(limit))
  return url.pathname + url.search
}

/** A link of the list to its next part: only to the service itself, below its base address. */
function ownPath(operation: Operation, link: string, baseUrl: string): string {
  const from = new URL(baseUrl + operation.path)
  const base = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const url = URL.canParse(link, from) ? new URL(link, from) : undefined
  if (url?.origin !== from.origin || !url.pathname.startsWith(`${base}/`)) {
    throw new IncompleteListError(operation, 'is incomplete: the rest is at an address outside the service')
  }
  return url.pathname.slice(base.length) + url.search
}

function count(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof read === 'number' && Number.isSafeInteger(read) && read >= 0 ? read : undefined
}

/**
 * Reads the JSON of a list of any length: each record of its outermost lists is read as soon as it is complete, and only
 * what `keep` makes of it stays.
 *
 * @returns the rest, in which such a record is `{"kept": INDEX}`
 * @throws ServiceError if it breaks off or takes five minutes, AnswerError if it is not JSON, or a record is too large
 */
async function readListJson<T>(
  operation: Operation,
  answer: Answer,
  keep: (record: unknown) => T,
): Promise<{ rest: unknown; kept: T[] }> {
  const kept: T[] = []
  const parts = new ListParts((record) => `{"kept":${kept.push(keep(parse(operation, record))) - 1}}`)
  const decoder = textDecoderOf(answer)
  for await (const chunk of bodyOf(operation, answer, slowAnswerTimeout)) {
    parts.add(decoder.decode(chunk, { stream: true }))
    if (parts.held > jsonLimit) throw tooMuchJson(operation)
  }
  return { rest: parse(operation, parts.rest + decoder.decode()), kept }
}

/** Finds the records by their brackets. What is not JSON stays in the rest. */
class ListParts {
  rest = ''
  #record = ''
  #depth = 0
  #lists = 0
  /** How deep the record is that has begun. */
  #within: number | undefined
  #isText = false
  #isEscaped = false

  constructor(readonly replaced: (record: string) => string) {}

  /** Characters that have been read and are not replaced yet. */
  get held(): number {
    return this.rest.length + this.#record.length
  }

  add(text: string): void {
    let [from, next] = [0, 0]
    for (const { 0: sign, index } of text.matchAll(/["\\{}[\]]/g)) {
      // What a backslash stood before was another character.
      if (index > next) this.#isEscaped = false
      next = index + 1
      if (sign === '{' && !this.#isText && this.#lists === 1 && this.#within === undefined) {
        this.rest += text.slice(from, index)
        from = index
        this.#within = this.#depth
      }
      this.#read(sign)
      if (this.#depth !== this.#within) continue
      this.rest += this.replaced(this.#record + text.slice(from, next))
      this.#record = ''
      from = next
      this.#within = undefined
    }
    if (text.length > next) this.#isEscaped = false
    if (this.#within === undefined) this.rest += text.slice(from)
    else this.#record += text.slice(from)
  }

  #read(sign: string): void {
    if (this.#isText) {
      this.#isText = sign !== '"' || this.#isEscaped
      this.#isEscaped = sign === '\\' && !this.#isEscaped
      return
    }
    this.#isText = sign === '"'
    const step = sign === '{' || sign === '[' ? 1 : sign === '}' || sign === ']' ? -1 : 0
    this.#depth += step
    if (this.#within === undefined && (sign === '[' || sign === ']')) this.#lists += step
  }
}
