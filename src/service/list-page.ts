import { defined, isFields, type Fields } from '../text/fields.js'
import { AnswerError } from './failure.js'
import type { Operation } from './operations.js'
import { readLoadTest, unwrap, type LoadTest } from './wire.js'

/** A list of load tests, or the part of it that one answer holds. */
export interface ListPage {
  tests: LoadTest[]
  /** The address of the next part, relative to the base address; absent at the end. */
  next?: string
  /** How many there are in all, if the answer says so. */
  total?: number
  /** Number of this part, where the answer counts them: from 0 or from 1. */
  page?: number
}

/** Where an answer came from. */
export interface Asked {
  baseUrl: string
  /** The answer's header Link. */
  link?: string
  /** Number of the first part, for those after it. */
  firstPage?: number | undefined
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
  read: (operation: Operation, firstPage: number | undefined) => Promise<ListPage>,
): Promise<LoadTest[]> {
  const all = new Map<number, LoadTest>()
  let operation = first
  let firstPage: number | undefined
  for (let parts = 1; ; parts++) {
    const { tests, next, total, page } = await read(operation, firstPage)
    firstPage ??= page
    const known = all.size
    for (const test of tests) if (!all.has(test.number)) all.set(test.number, test)
    const isStuck = next !== undefined && (all.size === known || parts >= mostParts)
    if (isStuck || (next === undefined && all.size < (total ?? 0))) {
      throw new AnswerError(
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
 * `total` (API explorer). A gateway may use other paging: `page`, `last` and `totalPages`, or a Link header (RFC
 * 8288).
 *
 * @param operation what was asked for, with its query
 * @throws AnswerError for anything else, and if there is more that cannot be requested
 */
export function readListPage(operation: Operation, answer: unknown, asked: Asked): ListPage {
  const data = unwrap(operation, answer)
  const record = isFields(data) ? data : {}
  const held = isFields(data) ? [data.loadTests, data.items, data.content].find(Array.isArray) : data
  if (!Array.isArray(held)) throw new AnswerError(operation, 'is not a list of load tests')
  const { origin } = new URL(asked.baseUrl)
  const tests = held.map((one: unknown) => readLoadTest(operation, one, origin))
  const paging = pagingOf(record, isFields(answer) ? answer : {})
  const total = whole(paging.total) ?? whole(paging.totalElements) ?? whole(paging.totalCount)
  const page = whole(paging.number) ?? whole(paging.page)
  const next = nextOf(operation, paging, tests.length, asked)
  return { tests, ...defined({ next, total, page }) }
}

/** What says where in the list the answer is: beside the list, below `page`, or around the envelope's data. */
function pagingOf(record: Fields, envelope: Fields): Fields {
  return { ...envelope, ...record, ...(isFields(record.page) ? { page: undefined, ...record.page } : {}) }
}

function nextOf(operation: Operation, paging: Fields, held: number, asked: Asked): string | undefined {
  const link = linkIn(paging, asked.link)
  if (link !== undefined) return ownPath(operation, link, asked.baseUrl)
  const isMore = [paging.hasMore, paging.hasNext].includes(true) || paging.last === false
  const [offset, total] = [whole(paging.offset), whole(paging.total)]
  if (offset !== undefined && (isMore || offset + held < (total ?? 0))) {
    return withQuery(operation, { offset: offset + held, limit: whole(paging.limit) })
  }
  const page = whole(paging.number) ?? whole(paging.page) ?? pageIn(operation)
  const parts = whole(paging.totalPages)
  const { firstPage = page } = asked
  if (isMore || (parts !== undefined && page - firstPage + 1 < parts)) {
    return withQuery(operation, { page: page + 1, size: whole(paging.size) })
  }
  return undefined
}

/** The address of the next part, if the body or the header names one. */
function linkIn(paging: Fields, header = ''): string | undefined {
  const links = [paging.links, paging._links].find(isFields)
  const named = [paging.next, links?.next].map((one) => (isFields(one) ? one.href : one)).find(isText)
  return named ?? /<([^<>]*)>\s*;[^,]*\brel="?next\b/i.exec(header)?.[1]
}

/** A link of the list to its next part: only to the service itself, below its base address. */
function ownPath(operation: Operation, link: string, baseUrl: string): string {
  const from = new URL(baseUrl + operation.path)
  const base = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const url = URL.canParse(link, from) ? new URL(link, from) : undefined
  if (url?.origin !== from.origin || !url.pathname.startsWith(`${base}/`)) {
    throw new AnswerError(operation, 'is incomplete: the rest is at an address outside the service')
  }
  return url.pathname.slice(base.length) + url.search
}

function pageIn({ path }: Operation): number {
  return Number(new URL(path, 'http://localhost').searchParams.get('page') ?? 0)
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
