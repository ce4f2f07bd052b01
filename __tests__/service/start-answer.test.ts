import { ServiceError, type FailureFacts } from '../../src/service/failure.js'
import { namelessAnswer } from '../../src/service/start-answer.js'
import { calls } from '../fake-service.js'

const kind = (facts: FailureFacts) => namelessAnswer(new ServiceError(calls.runCopy(1), facts)).is

/* A refusal is the only answer after which a start may be requested again at once: each other one may run. */

test.each<[number, ReturnType<typeof kind>]>([
  ...[300, 301, 302, 303, 307, 308, 399].map((status): [number, 'unclear'] => [status, 'unclear']),
  ...[400, 401, 403, 404, 405, 407, 409, 410, 413, 422, 424, 426, 428, 431, 451, 499].map(
    (status): [number, 'refused'] => [status, 'refused'],
  ),
  ...[408, 425, 429].map((status): [number, 'unclear'] => [status, 'unclear']),
  [501, 'refused'],
  ...[500, 502, 503, 504, 505, 520, 599].map((status): [number, 'unclear'] => [status, 'unclear']),
])('a start answered with %i is %s, whatever is said about its execution', (status, is) => {
  expect(kind({ status, executed: 'no' })).toBe(is)
  expect(kind({ status, executed: 'unknown' })).toBe(is)
  expect(kind({ status, executed: 'no', unanswered: true })).toBe('unanswered')
})

test('without an answer, only a service that was never reached has started nothing', () => {
  expect(kind({ executed: 'no' })).toBe('unsent')
  expect(kind({ executed: 'unknown' })).toBe('unclear')
  expect(kind({ executed: 'unknown', unanswered: true })).toBe('unanswered')
})
