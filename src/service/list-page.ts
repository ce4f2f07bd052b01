import type { IncomingHttpHeaders } from 'node:http'
import { defined, isFields, type Fields } from '../text/fields.js'
import { AnswerError, IncompleteListError } from './failure.js'
import type { Operation } from './operations.js'
import { unwrap, type LoadTest } from './wire.js'

/** A list of load tests, or the part of it that one answer holds. */
export interface ListPage {
  tests: LoadTest[]
  /** The address of the next part, relative to the base address; absent at the end. */
  next?: string
  /** How many there are in all, if the answer says so. */
  total?: number
}

/** Where an answer came from. */
export interface Asked {
  baseUrl: string
  /** Those of the answer. */
  headers?: IncomingHttpHeaders
}

/** No list of a project has more parts. */
const mostParts = 1000

/**
 * Reads a list to its end, each load test once.
 *
 * @param read reads one part of it
 * @throws AnswerError if it is incomplete; what `read` throws
 */
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
 * `total` (API explorer), a gateway perhaps by a Link header (RFC 8288).
 *
 * @param operation what was asked for, with its query
 * @param one reads a record of the list
 * @throws AnswerError for anything else, IncompleteListError if there is more that cannot be requested
 */
export function readListPage(
  operation: Operation,
  answer: unknown,
  asked: Asked,
  one: (record: unknown) => LoadTest,
): ListPage {
  const data = unwrap(operation, answer)
  const held = listIn(data)
  if (!held) throw new AnswerError(operation, 'is not a list of load tests')
  const tests = held.list.map(one)
  const paging = pagingOf(held.record, isFields(answer) ? answer : {})
  const total = totals.map((name) => whole(paging[name])).find((count) => count !== undefined)
  const next = nextOf(operation, paging, tests.length, asked)
  if (next === undefined && hidesMore(paging, asked.headers ?? {}, tests.length)) {
    const wrong = 'is incomplete: it has a next part in a form that the step does not know'
    throw new IncompleteListError(operation, wrong)
  }
  return { tests, ...defined({ next, total }) }
}

const totals = ['total', 'totalElements', 'totalCount', 'totalItems', 'totalResults', 'count'] as const

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

/** What says where in the list the answer is: beside the list, below `page` and the like, or around the envelope's data. */
function pagingOf(record: Fields, envelope: Fields): Fields {
  const all: Fields = { ...envelope, ...record }
  const within = [all.page, all.paging, all.pagination, all.meta, all.metadata].filter(isFields)
  return within.reduce((paging, one) => ({ ...paging, ...one }), all)
}

const isMoreByName = /^(?!.*prev)(?!.*current).*(?:next|cursor|continu|more|truncated|partial|remaining)/i
const isAllByName = /^(?:is_?)?(?:last|last_?page|complete)$/i
const isPagesByName = /^(?:(?:total|last|num|number_?of)_?)?pages?(?:_?count)?$/i

/** Whether anything says that there is more. */
function hidesMore(paging: Fields, headers: IncomingHttpHeaders, held: number): boolean {
  const counted = [headers['x-total-count'], headers['x-total'], headers['content-range']?.split('/')[1]]
  const named = Object.entries(headers).some(
    ([name, value]) => /^x-.*(?:next|cursor|more)/.test(name) && isMore(value),
  )
  return (
    named ||
    counted.some((count) => Number(count) > held) ||
    Object.entries(paging).some(
      ([name, value]) =>
        (isMoreByName.test(name) && isMore(value)) ||
        (isAllByName.test(name) && value === false) ||
        (isPagesByName.test(name) && Number(value) > 1),
    )
  )
}

function isMore(value: unknown): boolean {
  if (isFields(value)) return Object.values(value).some(isMore)
  return Array.isArray(value)
    ? value.length > 0
    : !['', '0', 'false', 0, false, null, undefined].some((none) => none === value)
}

function nextOf(operation: Operation, paging: Fields, held: number, asked: Asked): string | undefined {
  const link = linkIn(paging, String(asked.headers?.link ?? ''))
  if (link !== undefined) return ownPath(operation, link, asked.baseUrl)
  const isMore = [paging.hasMore, paging.hasNext].includes(true) || paging.last === false
  const [offset, total] = [whole(paging.offset), whole(paging.total)]
  if (offset !== undefined && (isMore || offset + held < (total ?? 0))) {
    return withQuery(operation, { offset: offset + held, limit: whole(paging.limit) })
  }
  return undefined
}

/** The address of the next part, if the body or the header names one. A text that is not an address may be a cursor. */
function linkIn(paging: Fields, header: string): string | undefined {
  const links = [paging.links, paging._links].find(isFields)
  const named = [paging.next, links?.next].map((one) => (isFields(one) ? one.href : one)).find(isText)
  if (named !== undefined && /[/?]/.test(named)) return named
  return /<([^<>]*)>\s*;[^,]*\brel="?next\b/i.exec(header)?.[1]
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

function withQuery({ path }: Operation, query: Record<string, number | undefined>): string {
  const url = new URL(path, 'http://localhost')
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return url.pathname + url.search
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
