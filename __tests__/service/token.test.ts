import { ServiceError, type FailureFacts } from '../../src/service/failure.js'
import type { Scope } from '../../src/service/project.js'
import { tokenOperation } from '../../src/service/operations.js'
import { TokenSource } from '../../src/service/connection.js'

/* When a token is asked for, on a clock that the test sets, and what is found out after a refusal. */

const [list, start, upload]: Scope[] = ['LOADTEST_LIST', 'LOADTEST_COPY_RUN', 'CODEARCHIVE_UPLOAD']
const three = [list, start, upload].filter((scope) => scope !== undefined)
const refusal = (facts: Partial<FailureFacts> = {}) =>
  new ServiceError(tokenOperation, { executed: 'no', status: 400, ...facts })

function source(
  answer: (scope: string, count: number) => unknown,
  scopes: readonly Scope[] = three,
  optional: readonly Scope[] = [],
) {
  const asked: string[] = []
  let now = 1_000_000
  const tokens = new TokenSource({
    credentials: { clientId: 'id', clientSecret: 'secret' },
    ...{ scopes, optional },
    send: async (form) => {
      const scope = new URLSearchParams(form).get('scope') ?? ''
      asked.push(scope)
      return answer(scope, asked.length)
    },
    mask: () => undefined,
    now: () => now,
  })
  return { tokens, asked, pass: (seconds: number) => void (now += seconds * 1000) }
}

const lasting = (_: string, count: number) => ({ access_token: `t${count}` })

/** A token that carries its times, in seconds from now. */
const carrying = (exp: number, iat?: number) => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { exp: now + exp, ...(iat === undefined ? {} : { iat: now + iat }) }
  return { access_token: `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s` }
}

test.each<[string, object, still: number, over: number]>([
  ['for 54 minutes, if nothing says how long it is valid', {}, 3239.999, 3240],
  ['for nine tenths of its time', { expires_in: 100 }, 89.999, 90],
  ['for 54 minutes, even if it is said to be valid for a day', { expires_in: 86_400 }, 3239.999, 3240],
  ['until its own end', carrying(100), 87, 91],
  ['until the sooner of two ends', { ...carrying(1000), expires_in: 100 }, 88, 92],
  ['for its own length, where the clocks differ', carrying(5000, 4900), 88, 92],
  ['for its own length, where the service is behind', carrying(-50, -150), 88, 92],
])('a token is used %s', async (_, more, still, over) => {
  const { tokens, asked, pass } = source(() => ({ access_token: 't', ...more }))
  await tokens.get()
  pass(still)
  await tokens.get()
  expect(asked).toHaveLength(1)
  pass(over - still)
  await tokens.get()
  expect(asked).toHaveLength(2)
})

test('scopes that may be missing are left out from then on, and others are a fault', async () => {
  const answer = (scope: string, count: number) => {
    if (scope.includes('LIST')) throw refusal()
    return { access_token: `t${count}` }
  }
  const { tokens, asked } = source(answer, three, three.slice(0, 1))
  const without = three.slice(1).join(' ')
  expect(await tokens.get()).toBe('t5')
  await tokens.renew()
  expect(asked.slice(4)).toEqual([without, without])
  await expect(source(answer, three, three.slice(1)).tokens.get()).rejects.toMatchObject({
    facts: { missingScopes: ['LOADTEST_LIST'] },
  })
})

test('calls at the same moment share one token', async () => {
  const { tokens, asked } = source(lasting)
  expect(await Promise.all([tokens.get(), tokens.get()])).toEqual(['t1', 't1'])
  expect(asked).toHaveLength(1)
})

test('only the refusal of the present token asks for another', async () => {
  const { tokens } = source(lasting)
  tokens.refused(await tokens.get())
  expect(await tokens.get()).toBe('t2')
  tokens.refused('t1')
  expect(await tokens.get()).toBe('t2')
})

test('after a refusal each scope is asked for alone, and the next call asks for all of them again', async () => {
  const { tokens, asked } = source((scope, count) => {
    if (count < 5 && scope.includes('COPY_RUN')) throw refusal()
    return { access_token: `t${count}` }
  })
  const fault: unknown = await tokens.get().catch((error: unknown) => error)
  expect(fault).toMatchObject({ facts: { missingScopes: ['LOADTEST_COPY_RUN'] } })
  expect(asked).toEqual([three.join(' '), ...three])
  expect(await tokens.get()).toBe('t5')
  expect(asked[4]).toBe(three.join(' '))
})

test.each<[string, Partial<FailureFacts>, boolean]>([
  ['400', { status: 400 }, true],
  ['401', { status: 401 }, true],
  ['403', { status: 403 }, true],
  ['another status', { status: 404 }, false],
  ['a server in trouble', { status: 503 }, false],
  ['a client that is unknown', { code: 'invalid_client' }, false],
  ['a client that may not', { code: 'unauthorized_client' }, false],
  ['a grant that is not supported', { code: 'unsupported_grant_type' }, false],
  ['a scope that is invalid', { code: 'invalid_scope' }, true],
])('after %s each scope is asked for alone, or not', async (_, facts, isAsked) => {
  const error = refusal(facts)
  const { tokens, asked } = source((scope) => {
    if (scope.includes(' ')) throw error
    return { access_token: 't' }
  })
  // Each alone is given: so none is missing.
  await expect(tokens.get()).rejects.toBe(error)
  expect(asked).toHaveLength(isAsked ? 4 : 1)
})

test.each<[string, readonly Scope[], unknown, number]>([
  ['is the only one', three.slice(0, 1), refusal(), 1],
  ['is refused, and all others too', three, refusal(), 4],
  ['cannot be asked for', three, refusal({ status: 503 }), 2],
  ['ends in a fault of another kind', three, new TypeError('broken'), 2],
])('no scope is said to be missing if it %s', async (_, scopes, alone, times) => {
  const error = refusal()
  const { tokens, asked } = source((_scope, count) => {
    throw count === 1 ? error : alone
  }, scopes)
  await expect(tokens.get()).rejects.toBe(error)
  expect(asked).toHaveLength(times)
})
