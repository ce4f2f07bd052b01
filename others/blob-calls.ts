import { createHash } from 'node:crypto'
import http from 'node:http'
import { text } from 'node:stream/consumers'

/** Signed addresses of one blob: to create and write it, to read it, and an expired one to read it. */
export interface BlobPlace {
  write: string
  read: string
  ended: string
}

export interface BlobAnswer {
  status: number
  /** Azure's code. */
  error?: string
  headers?: Readonly<Record<string, string | undefined>>
  body?: string
}

/** A request like those of the artifact client, or one with a mistake in it, and its answer. */
export interface BlobCall {
  what: string
  method: 'PUT' | 'GET' | 'HEAD'
  address: keyof BlobPlace
  /** In addition to the signature, or instead of a part of it. */
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: string
  answer: BlobAnswer
  /** Why Azurite, an emulator, answers differently. */
  azurite?: string
}

/** Headers that are signed into the addresses to read. */
export const signed = { disposition: 'attachment; filename="a.txt"', type: 'text/x-own' }

const id = (plain: string) => Buffer.from(plain).toString('base64')
const md5 = (plain: string) => createHash('md5').update(plain).digest('base64')
const list = (...ids: string[]) =>
  `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map((one) => `<Latest>${id(one)}</Latest>`).join('')}</BlockList>`

type Rest = Pick<BlobCall, 'headers' | 'azurite'>
const refused = (status: number, error: string): BlobAnswer => ({ status, error })
const written = (headers = {}): BlobAnswer => ({
  status: 201,
  headers: { 'content-length': '0', 'x-ms-request-server-encrypted': 'true', ...headers },
})
const shown = (body: string, headers = {}): BlobAnswer => ({
  status: 200,
  headers: {
    'accept-ranges': 'bytes',
    'content-disposition': signed.disposition,
    'content-length': String(body.length),
    'content-type': signed.type,
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-lease-state': 'available',
    'x-ms-lease-status': 'unlocked',
    'x-ms-server-encrypted': 'true',
    ...headers,
  },
  body,
})
const part = (body: string, from: number, size: number): BlobAnswer => ({
  ...shown(body, { 'content-range': `bytes ${from}-${from + body.length - 1}/${size}` }),
  status: 206,
})

const put = (what: string, body: string, answer: BlobAnswer, rest: Rest = {}): BlobCall => ({
  ...{ what, method: 'PUT', address: 'write', body, answer, ...rest },
})
const block = (what: string, blockid: string, body: string, answer: BlobAnswer, rest: Rest = {}) => ({
  ...put(what, body, answer, rest),
  query: { comp: 'block', blockid },
})
const commit = (what: string, body: string, answer: BlobAnswer, rest: Rest = {}): BlobCall => ({
  ...put(what, body, answer, rest),
  query: { comp: 'blocklist' },
})
const get = (what: string, answer: BlobAnswer, rest: Rest = {}): BlobCall => ({
  ...{ what, method: 'GET', address: 'read', answer, ...rest },
})
const range = (asked: string, answer: BlobAnswer, azurite?: string): BlobCall =>
  get(`GET of ${asked}`, answer, {
    headers: { range: asked },
    ...(azurite === undefined ? {} : { azurite }),
  })
const head = (what: string, answer: BlobAnswer, rest: Rest = {}): BlobCall => ({
  ...get(what, answer, rest),
  method: 'HEAD',
})

const missing = refused(404, 'BlobNotFound')
const whole = { 'x-ms-blob-type': 'BlockBlob' }
const unsigned = refused(403, 'AuthenticationFailed')
const signatures = 'It calls each failed signature AuthorizationFailure, which Azure keeps for firewalls.'

/** In this order, on one blob without content. */
export const blobCalls: readonly BlobCall[] = [
  get('GET before anything is there', missing),
  head('HEAD before anything is there', missing),
  block('a block', id('0002'), 'two', written({ 'content-md5': undefined })),
  block('a block with its MD5', id('0001'), 'one', written({ 'content-md5': md5('one') }), {
    headers: { 'content-md5': md5('one') },
    azurite: 'It does not repeat the MD5 of a block, as Azure does where the request has it.',
  }),
  block('a block with the MD5 of another', id('0003'), 'three', refused(400, 'Md5Mismatch'), {
    headers: { 'content-md5': md5('other') },
  }),
  block('a block with an invalid MD5', id('0003'), 'three', refused(400, 'InvalidMd5'), {
    headers: { 'content-md5': 'no md5' },
  }),
  block('the same block again', id('0002'), 'TWO', written()),
  block('a block that is never listed', id('0009'), 'nine', written()),
  block('an id that is longer, though not in base64', id('00010'), 'x', refused(400, 'InvalidBlobOrBlock')),
  block('an id that is not base64', '!!!!', 'x', refused(400, 'InvalidQueryParameterValue')),
  block('an empty id', '', 'x', refused(400, 'InvalidBlobOrBlock')),
  block('an id of 65 bytes', id('x'.repeat(65)), 'x', refused(400, 'OutOfRangeInput')),
  block('a block without bytes', id('0004'), '', written()),
  {
    ...put('a block without an id', 'x', refused(400, 'MissingRequiredQueryParameter')),
    query: { comp: 'block' },
  },
  get('GET before the commit', missing),
  commit('a commit of a block that was never sent', list('0001', '0008'), refused(400, 'InvalidBlockList')),
  commit('a commit that is not XML', 'no xml', refused(400, 'InvalidXmlDocument')),
  commit('a commit of XML that breaks off', '<BlockList><Latest>', refused(400, 'InvalidXmlDocument')),
  commit(
    'a commit of other XML',
    '<BlockList><Other>x</Other></BlockList>',
    refused(400, 'InvalidXmlDocument'),
    { azurite: 'It skips elements that it does not know, and then misses the list.' },
  ),
  commit('a commit', list('0002', '0001'), written(), {
    headers: { 'x-ms-blob-content-type': 'text/plain' },
  }),
  commit('the same commit again', list('0002', '0001'), written()),
  commit(
    'a commit of a block that the one before left out',
    list('0001', '0009'),
    refused(400, 'InvalidBlockList'),
  ),
  get('GET', shown('TWOone')),
  head('HEAD', { ...shown('TWOone'), body: '' }),
  range('bytes=1-3', part('WOo', 1, 6)),
  range('bytes=4-', part('ne', 4, 6)),
  range('bytes=0-99', part('TWOone', 0, 6)),
  range(
    'bytes=6-',
    refused(416, 'InvalidRange'),
    'It answers 206 and no byte where the range begins at the end.',
  ),
  range('lines=1-2', shown('TWOone'), 'It takes every unit for bytes.'),
  get('GET of a range by x-ms-range', part('WOo', 1, 6), { headers: { 'x-ms-range': 'bytes=1-3' } }),
  head('HEAD of a range', { ...shown('TWOone'), body: '' }, { headers: { range: 'bytes=1-3' } }),
  put('PUT without a blob type', 'whole', refused(400, 'MissingRequiredHeader')),
  put('PUT', 'whole', written({ 'content-md5': md5('whole') }), { headers: whole }),
  get('GET after PUT', shown('whole', { 'content-md5': md5('whole') })),
  range('bytes=0-0', {
    ...part('w', 0, 5),
    headers: {
      ...part('w', 0, 5).headers,
      'content-md5': undefined,
      'x-ms-blob-content-md5': md5('whole'),
    },
  }),
  put('PUT with the MD5 of another', 'whole', refused(400, 'Md5Mismatch'), {
    headers: { ...whole, 'content-md5': md5('other') },
  }),
  put('PUT of nothing', '', written({ 'content-md5': md5('') }), { headers: whole }),
  get('GET of nothing', shown('', { 'content-md5': md5('') })),
  range('bytes=0-1', refused(416, 'InvalidRange')),
  commit('a commit of no block', list(), written()),
  {
    ...get('GET with a signature to write', refused(403, 'AuthorizationPermissionMismatch')),
    address: 'write',
  },
  {
    ...block('a block with a signature to read', id('0001'), 'one', {
      ...refused(403, 'AuthorizationPermissionMismatch'),
    }),
    address: 'read',
  },
  { ...get('GET with another signature', unsigned, { azurite: signatures }), query: { sig: id('another') } },
  {
    ...get('GET with another end', unsigned, { azurite: signatures }),
    query: { se: '2999-01-01T00:00:00Z' },
  },
  { ...get('GET after the end', unsigned, { azurite: signatures }), address: 'ended' },
  {
    ...block('an unknown comp', id('0001'), 'one', refused(501, 'NotImplemented'), {
      azurite: 'It answers 400; the sandbox distinguishes what it does not support from what is wrong.',
    }),
    query: { comp: 'nothing' },
  },
]

export async function ask(place: BlobPlace, call: BlobCall): Promise<BlobAnswer> {
  const url = new URL(place[call.address])
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  const body = call.method === 'PUT' ? Buffer.from(call.body ?? '') : undefined
  const request = http.request(url, {
    method: call.method,
    headers: {
      'x-ms-version': '2025-05-05',
      ...(body ? { 'content-length': body.length } : {}),
      ...call.headers,
    },
    agent: false,
  })
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(body)
  })
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
  const error = response.headers['x-ms-error-code']
  return {
    status: response.statusCode ?? 0,
    ...(error === undefined ? {} : { error: String(error) }),
    headers: Object.fromEntries(headers),
    body: await text(response),
  }
}

/** How an answer differs from the table; empty if it does not. */
export function differences({ answer: due }: BlobCall, got: BlobAnswer): string[] {
  const pairs: (readonly [string, unknown, unknown])[] = [
    ['status', due.status, got.status],
    ['error', due.error, got.error],
    ...Object.entries(due.headers ?? {}).map(([name, value]) => [name, value, got.headers?.[name]] as const),
    ...(due.body === undefined ? [] : [['body', due.body, got.body] as const]),
  ]
  return pairs.flatMap(([name, wanted, has]) =>
    wanted === has ? [] : [`${name} is ${String(has)}, not ${String(wanted)}`],
  )
}
