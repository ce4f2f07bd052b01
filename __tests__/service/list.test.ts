import type { IncomingHttpHeaders } from 'node:http'
import { AnswerError, IncompleteListError } from '../../src/service/failure.js'
import { readListPage, wholeList, type ListPage } from '../../src/service/list.js'
import { readLoadTest } from '../../src/service/wire.js'
import { calls } from '../fake-service.js'

/* A list in parts is read to its end or refused: a copy on a part that was not read would be started again. */

const baseUrl = 'https://x.test/xtc'
const list = calls.list()
const { path } = list
const tests = [{ index: 1 }, { index: 2 }]
type Asked = Partial<Parameters<typeof readListPage>[2]>
const read = (answer: unknown, query = '', asked: Asked = {}) =>
  readListPage({ ...list, path: path + query }, answer, { baseUrl, ...asked }, (one) =>
    readLoadTest(list, one, baseUrl),
  )
const next = (answer: unknown, query = '', asked: Asked = {}) => read(answer, query, asked).next

test.each<[string, unknown]>([
  ['a bare list', tests],
  ['an envelope', { success: true, data: tests }],
  ['loadTests', { loadTests: tests }],
  ['items', { items: tests }],
  ['content', { content: tests }],
  ['content in an envelope', { success: true, data: { content: tests } }],
  ['the first that is a list', { loadTests: 'many', items: tests }],
  ['the only list of a record', { success: true, data: { rows: tests } }],
  ['the only list of a record within', { _embedded: { loadTests: tests }, page: { size: 20 } }],
])('load tests are read from %s, which is all there is', (_, answer) => {
  expect(read(answer)).toEqual({ tests: [{ number: 1 }, { number: 2 }] })
})

test.each<[string, unknown]>([
  ['a record without a list', { success: true, data: { tests: 2 } }],
  ['a text', 'none'],
  ['null', null],
  ['one of two lists', { entries: tests, others: tests }],
])('%s is not a list', (_, answer) => {
  expect(() => read(answer)).toThrow('is not a list of load tests')
})

const more = `${path}?from=2`
test.each<[string, unknown, string | undefined]>([
  ['next', { items: tests, next: '?from=2' }, more],
  ['next with an address', { items: tests, next: { href: '?from=2' } }, more],
  ['links', { items: tests, links: { next: '?from=2' } }, more],
  ['links of HAL', { items: tests, _links: { next: { href: '?from=2' } } }, more],
  ['links beside a list of others', { items: tests, links: [], _links: { next: '?from=2' } }, more],
  ['an absolute path', { items: tests, next: `/xtc${path}?from=2` }, more],
  ['an address', { items: tests, next: `https://x.test/xtc${path}?from=2` }, more],
  ['an envelope', { success: true, data: tests, next: '?from=2' }, more],
  ['an empty next', { items: tests, next: '' }, undefined],
  ['a next that is null', { items: tests, next: null }, undefined],
  ['a next without an address', { items: tests, next: {} }, undefined],
  // The first that is there counts, and it counts before pages.
  ['next before links', { items: tests, next: '?from=2', links: { next: '?from=9' }, hasMore: true }, more],
])('the next part by %s', (_, answer, due) => {
  expect(next(answer)).toBe(due)
})

test.each([
  'https://x.test/other/list',
  'https://x.test/xtcs/list',
  'https://x.test/xtc',
  'https://elsewhere.test/xtc/list',
  'https://x.test.evil/xtc/list',
  'https://x.test:8443/xtc/list',
  'http://x.test/xtc/list',
  '//elsewhere.test/xtc/list',
  '../../../../../../../../..',
  'https://',
])('a next part at %s is refused', (address) => {
  expect(() => next({ items: tests, next: address })).toThrow(
    'is incomplete: the rest is at an address outside the service',
  )
})

test('a base address may end with a slash, or have no path', () => {
  const link = 'https://x.test/xtc/list?from=2'
  expect(next({ items: tests, next: link }, '', { baseUrl: 'https://x.test/xtc/' })).toBe('/list?from=2')
  expect(next({ items: tests, next: link }, '', { baseUrl: 'https://x.test' })).toBe('/xtc/list?from=2')
})

test.each<[string, unknown, string, string | undefined]>([
  ['total', { items: tests, offset: 0, limit: 2, total: 3 }, '', `${path}?offset=2&limit=2`],
  ['total, at its end', { items: tests, offset: 1, limit: 2, total: 3 }, '', undefined],
  ['total, beyond its end', { items: tests, offset: 2, limit: 2, total: 3 }, '', undefined],
  ['total, on the way', { items: tests, offset: 3, total: 6 }, '?x=1', `${path}?x=1&offset=5`],
  ['nothing else', { items: tests, offset: 4 }, '', undefined],
  ['total, as texts', { items: tests, offset: '0', total: '3' }, '', `${path}?offset=2`],
  ['what is not a number', { items: tests, offset: 'a', total: 3 }, '', undefined],
  ['less than nothing', { items: tests, offset: -1, total: 3 }, '', undefined],
  ['half of one', { items: tests, offset: 0.5, total: 3 }, '', undefined],
])('the next part by offset and %s', (_, answer, query, due) => {
  expect(next(answer, query)).toBe(due)
})

test.each<[unknown, IncomingHttpHeaders?]>([
  [{ items: tests, next: 2 }],
  [{ items: tests, next: 'b3Blbg' }],
  [{ items: tests, nextCursor: 'abc' }],
  [{ success: true, data: tests, meta: { next_cursor: 'abc' } }],
  [{ items: tests, hasMore: 'true' }],
  [{ items: tests, hasMore: true, continuationToken: 'x' }],
  [{ items: tests, isLast: false }],
  [{ items: tests, last: false }],
  [{ items: tests, hasMore: true }],
  [{ items: tests, truncated: true }],
  [{ content: tests, page: { number: 0, totalPages: 2 } }],
  [{ content: tests, page: 1, pages: '3' }],
  [{ data: tests, last_page: 2 }],
  [{ items: tests, offset: 4, hasMore: true }],
  [{ items: tests, links: { next: 'abc' } }],
  [{ items: tests, page: 1, size: 2 }],
  [{ items: tests, page: { number: 0, pageSize: 2 } }],
  [{ items: tests, offset: 0, limit: 2 }],
  [{ items: tests, offset: '0', limit: '2' }],
  [{ items: tests, skip: 0, take: 2 }],
  [{ items: tests, pageInfo: { hasNextPage: true } }],
  [{ items: tests, links: [{ rel: 'self' }, { rel: 'next', href: '/x' }] }],
  [tests, { link: '<?from=2>; rel="alternate next"' }],
  [tests, { 'x-total-pages': '2' }],
  [tests, { link: '<?from=1>; rel="first", <?from=2>; rel="next"' }],
  [tests, { 'x-next-page': '2' }],
  [tests, { 'content-range': 'items 0-1/9' }],
])('%j with %j has a next part that is not known: it is incomplete', (answer, headers = {}) => {
  expect(() => read(answer, '', { headers })).toThrow(IncompleteListError)
})

test.each<[unknown, IncomingHttpHeaders?]>([
  [{ items: tests, nextCursor: null, hasMore: false, last: true, remaining: 0 }],
  [{ items: tests, previousCursor: 'x', links: { self: '/x', prev: '/y', next: null, last: '/x' } }],
  [{ items: tests, page: 0, size: 3 }],
  [{ items: tests, page: 0, size: 2, totalElements: 2 }],
  [{ items: tests, size: 2 }],
  [tests, { link: '<?from=1>; rel="prev"' }],
  [tests, { 'x-total-pages': '1', 'total-count': '2' }],
  [{ items: tests, links: [{ rel: 'self', href: '/x' }] }],
  [{ content: tests, page: { number: 0, totalPages: 1 }, pageSize: 50 }],
  [tests, { 'x-total-count': '2', 'content-range': 'items 0-1/*', 'x-next-page': '' }],
])('%j with %j is all there is', (answer, headers = {}) => {
  expect(read(answer, '', { headers }).next).toBeUndefined()
})

test.each<[unknown, Partial<ListPage>, IncomingHttpHeaders?]>([
  [tests, { total: 5 }, { 'x-total-count': '5' }],
  [tests, { total: 5 }, { 'total-count': '5' }],
  [tests, { total: 5 }, { 'pagination-count': '5' }],
  [tests, {}, { 'x-ratelimit-remaining': '5', 'content-length': '5' }],
  [{ items: tests, total: 5 }, { total: 5 }],
  [{ items: tests, totalElements: 5 }, { total: 5 }],
  [{ items: tests, totalCount: 5 }, { total: 5 }],
  [{ items: tests, total: 0 }, { total: 0 }],
  [{ items: tests, total: '5' }, { total: 5 }],
  [{ items: tests, total: 'all' }, {}],
  [{ items: tests, count: 2, total_count: 5 }, { total: 5 }],
  [{ items: tests, '@odata.count': 5, counted: 9 }, { total: 5 }],
  [{ items: tests, recordsTotal: 5 }, { total: 5 }],
  [{ result: tests, result_info: { page: 1, total_count: 5 } }, { total: 5 }],
  [{ data: tests, meta: { pagination: { total: 5 } }, project: { total: 9 } }, { total: 5 }],
  [{ items: tests, total: 1e300 }, {}],
  [{ items: tests, page: { number: 0, totalElements: 5 } }, { total: 5 }],
  [{ success: true, total: 5, page: 1, data: tests }, { total: 5 }],
  [{ success: true, total: 9, data: { items: tests, total: 5 } }, { total: 5 }],
])('%j says where it ends: %j', (answer, said, headers = {}) => {
  expect(read(answer, '', { headers })).toEqual({ tests: [{ number: 1 }, { number: 2 }], ...said })
})

/** Reads parts one after the other, and keeps what was asked for. */
function reader(parts: (index: number) => ListPage) {
  const asked: string[] = []
  const whole = wholeList(list, async (operation) => {
    asked.push(operation.path)
    return parts(asked.length - 1)
  })
  return { whole, asked }
}
const part = (numbers: number[], rest: Omit<ListPage, 'tests'> = {}): ListPage => ({
  tests: numbers.map((number) => ({ number })),
  ...rest,
})

test('parts are asked for by their address', async () => {
  const parts = [
    part([1], { next: '/b', total: 3 }),
    part([2], { next: '/c', total: 3 }),
    part([3], { total: 3 }),
  ]
  const { whole, asked } = reader((index) => parts[index] ?? part([]))
  expect((await whole).map(({ number }) => number)).toEqual([1, 2, 3])
  expect(asked).toEqual([path, '/b', '/c'])
})

test('a load test counts as it was first seen', async () => {
  const first = { number: 1, name: 'first' }
  const { whole } = reader((index) =>
    index === 0 ? { tests: [first], next: '/b' } : { tests: [{ ...first, name: 'again' }, { number: 2 }] },
  )
  expect(await whole).toEqual([first, { number: 2 }])
})

test.each<[string, ListPage[], string]>([
  [
    'the same part again',
    [part([1], { next: '/b' }), part([1], { next: '/c' })],
    '1 of an unknown number of',
  ],
  ['an empty part before the end', [part([1], { next: '/b' }), part([], { next: '/c', total: 4 })], '1 of 4'],
  ['an empty first part', [part([], { next: '/b' })], '0 of an unknown number of'],
  ['fewer than its total', [part([1], { next: '/b' }), part([2], { total: 3 })], '2 of 3'],
])('a list with %s is refused', async (_, parts, shown) => {
  const { whole, asked } = reader((index) => parts[index] ?? part([]))
  await expect(whole).rejects.toThrow(AnswerError)
  await expect(whole).rejects.toThrow(`is incomplete: it shows ${shown} load tests`)
  expect(asked).toHaveLength(parts.length)
})

test('a last part that is empty, or has what is known, is the end', async () => {
  for (const last of [part([]), part([1]), part([1], { total: 1 }), part([2], { total: 1 })]) {
    const { whole } = reader((index) => (index === 0 ? part([1], { next: '/b' }) : last))
    await expect(whole).resolves.toContainEqual({ number: 1 })
  }
})

test('a list of a thousand parts is read, and one of more is refused', async () => {
  const { whole } = reader((index) => part([index + 1], index < 999 ? { next: '/x' } : {}))
  expect(await whole).toHaveLength(1000)
  const endless = reader((index) => part([index + 1], { next: '/x' }))
  await expect(endless.whole).rejects.toThrow(
    'is incomplete: it shows 1000 of an unknown number of load tests',
  )
  expect(endless.asked).toHaveLength(1000)
})
