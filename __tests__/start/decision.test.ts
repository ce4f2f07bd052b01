import { AnswerError, ServiceError, type FailureFacts } from '../../src/service/failure.js'
import { namelessAnswer, type NamelessAnswer } from '../../src/service/service.js'
import type { LoadTest } from '../../src/service/project.js'
import { decide, nextLook, type Known } from '../../src/start/decision.js'
import type { NewCopies } from '../../src/run/new-copies.js'
import { calls } from '../fake-service.js'

/* What follows an answer that does not name the copy, for all that can be known by then. */

const fails = (facts: FailureFacts) => namelessAnswer(new ServiceError(calls.runCopy(1), facts))
const says = (status: number, facts: Partial<FailureFacts> = {}) =>
  fails({ status, executed: 'unknown', ...facts })
const dropped = fails({ executed: 'unknown' })
const unsent = fails({ executed: 'no' })
const distrusted = fails({ executed: 'no', lasting: true })
const unanswered = fails({ executed: 'unknown', unanswered: true })
const unnamed: NamelessAnswer = { is: 'unnamed', fault: new AnswerError(calls.runCopy(1), 'is not JSON') }
const refused = says(403)
const doubtful = { dropped, unanswered, unnamed, 'status 503': says(503) }

const second = 1000
const minute = 60 * second
const copy: LoadTest = { number: 2, name: 'Webshop (copy)' }
const twin: LoadTest = { number: 3, name: 'Webshop (copy)' }
const none: NewCopies = { certain: [], possible: [], unlikely: [] }

/** After all looks, which have shown nothing, unless it is said otherwise. */
const decided = (answer: NamelessAnswer, more: Partial<Known> = {}) => {
  const known: Known = {
    ...{ answer, earlier: [], elapsed: 137 * second, looks: 7, copies: none },
    ...{ blind: false, hasList: true, isMethodKnown: true, ...more },
  }
  const pause = nextLook(known)
  return pause === undefined ? decide(known) : look(pause)
}

const follow = (followed: LoadTest, evidence: 'archive' | 'only-copy') => ({
  ...{ do: 'follow', copy: followed, evidence },
})
const end = (because: string) => ({ do: 'end', because })
const ask = (after: number, otherwise = false) => ({ do: 'ask', after, otherwise })
const look = (after: number) => ({ do: 'look', after })

describe('when to look at the list', () => {
  test.each(Object.entries(doubtful))('after %s: for 137 s', (_, answer) => {
    const pauses = [0, 2, 5, 10, 20, 40, 60].map((seconds) => look(seconds * second))
    expect(pauses.map((__, looks) => decided(answer, { looks }))).toEqual(pauses)
    expect(decided(answer, { looks: 7 })).not.toMatchObject({ do: 'look' })
  })

  test.each(Object.entries({ refused, unsent }))('after one that was %s: for 5 s', (_, answer) => {
    expect([0, 1].map((looks) => decided(answer, { looks }))).toEqual([look(0), look(5 * second)])
    expect(decided(answer, { looks: 2 })).not.toMatchObject({ do: 'look' })
  })

  test('for half an hour, each minute, while the list cannot be read and a copy may run', () => {
    const blind = { looks: 7, blind: true, copies: undefined }
    expect(decided(dropped, { ...blind, elapsed: 30 * minute - 1 })).toEqual(look(minute))
    expect(decided(dropped, { ...blind, elapsed: 30 * minute })).toEqual(end('blind'))
    expect(decided(refused, { ...blind, elapsed: 0 })).toEqual(end('blind'))
    expect(decided(dropped, { ...blind, copies: { ...none, possible: [copy] } })).toEqual(look(minute))
  })

  test('not for a certificate that is not trusted, unless an earlier request may have been executed', () => {
    const first = { looks: 0, copies: undefined, elapsed: 0 }
    expect(decided(distrusted, first)).toEqual(end('refused'))
    expect(decided(distrusted, { ...first, earlier: [dropped] })).toEqual(look(0))
  })
})

describe('without a list', () => {
  const listless = { hasList: false, looks: 0, copies: undefined, isMethodKnown: false }

  test.each(Object.entries(doubtful))('after %s: no second start, and no looking', (_, answer) => {
    expect(decided(answer, listless)).toEqual(end('blind'))
    expect(decided(says(405), { ...listless, earlier: [answer] })).toEqual(end('blind'))
  })

  test('after a service that was not reached: once more', () => {
    expect(decided(unsent, listless)).toEqual(ask(0))
    expect(decided(unsent, { ...listless, earlier: [unsent] })).toEqual(end('refused'))
  })

  test.each([400, 401, 403, 404, 405, 409, 501])('after %i: no second start', (status) => {
    expect(decided(says(status), listless)).toEqual(end('refused'))
  })
})

test('a refusal that names the token is followed by a request with another', () => {
  expect(decided(says(400, { code: 'invalid_token' }))).toEqual(ask(0))
  expect(decided(says(403, { said: 'The token has expired.' }))).toEqual(ask(0))
})

describe('whom to follow', () => {
  const evident: [string, NamelessAnswer][] = [...Object.entries(doubtful), ['refused', refused]]

  test.each(evident)('after %s: the copy of our archive, at once, whatever else is new', (_, answer) => {
    const copies = { certain: [copy], possible: [twin], unlikely: [twin] }
    expect(decided(answer, { copies, looks: 1 })).toEqual(follow(copy, 'archive'))
    expect(decided(answer, { copies, blind: true })).toEqual(follow(copy, 'archive'))
  })

  test.each(Object.entries(doubtful))('after %s: the only new copy', (_, answer) => {
    const copies = { ...none, possible: [copy], unlikely: [twin] }
    expect(decided(answer, { copies })).toEqual(follow(copy, 'only-copy'))
  })

  test.each<[string, NamelessAnswer, NewCopies]>([
    ['two of our archive', dropped, { ...none, certain: [copy, twin] }],
    ['two of our archive beside one more', dropped, { ...none, certain: [copy, twin], possible: [copy] }],
    ['two copies', dropped, { ...none, possible: [copy, twin] }],
    ['a copy after a refusal', refused, { ...none, possible: [copy] }],
    ['only one that is unlikely', dropped, { ...none, unlikely: [copy] }],
  ])('nobody, and no other start, if there is nothing certain: %s', (_, answer, copies) => {
    expect(decided(answer, { copies })).toEqual(end('whose'))
  })
})

describe('whether to ask once more', () => {
  test.each<[string, NamelessAnswer, object, string]>([
    ['2xx without a copy', unnamed, end('open'), 'open'],
    ['a time-out of ours', unanswered, end('open'), 'open'],
    ['a broken connection', dropped, ask(0), 'open'],
    ['a 503', says(503), ask(0), 'open'],
    ['an unreached service', unsent, ask(0), 'refused'],
    ['a 401', says(401), ask(0), 'refused'],
    ['a 405', says(405), ask(0, true), 'refused'],
    ['a 501', says(501), ask(0, true), 'refused'],
    ['a 403', refused, end('refused'), 'refused'],
    ['a 404', says(404), end('refused'), 'refused'],
  ])('after %s, and never a third time', (_, answer, due, because) => {
    expect(decided(answer)).toEqual(due)
    for (const first of [dropped, says(401), says(405), unsent]) {
      expect(decided(answer, { earlier: [first], isMethodKnown: false })).toEqual(end(because))
    }
  })

  test.each([403, 404, 410, 422])('%i may be about the method, if nobody knows the method', (status) => {
    expect(decided(says(status), { isMethodKnown: false })).toEqual(ask(0, true))
    expect(decided(says(401), { isMethodKnown: false })).toEqual(ask(0))
  })

  test.each(Object.entries({ dropped, refused, 'a 401': says(401), 'a 405': says(405) }))(
    'not without a list, of which the latest look counts: %s',
    (_, answer) => {
      const late = { elapsed: 30 * minute }
      expect(decided(answer, { ...late, blind: true, copies: undefined })).toEqual(end('blind'))
      expect(decided(answer, { ...late, blind: true, copies: none })).toEqual(end('blind'))
    },
  )

  test.each([
    [0, 137, 0],
    [100, 137, 0],
    [180, 137, 43],
    [180, 0, 180],
  ])('Retry-After of %i s, after %i s: in %i s', (retryAfterSeconds, elapsed, after) => {
    const answer = says(503, { retryAfterSeconds })
    expect(decided(answer, { elapsed: elapsed * second })).toEqual(ask(after * second))
  })

  test('a Retry-After of more than three minutes ends the step', () => {
    expect(decided(says(503, { retryAfterSeconds: 181 }))).toEqual(end('open'))
  })
})
