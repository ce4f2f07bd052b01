import { message } from '../src/errors.js'

test.each([
  ['its own sentence', new Error('no space left'), 'no space left'],
  [
    'the status where an answer gave no reason',
    Object.assign(new Error(''), { statusCode: 401 }),
    'status 401, without a reason',
  ],
  ['its name where there is nothing else', new TypeError(''), 'TypeError, without a reason'],
  ['what was thrown, if it is not an error', 'stop', 'stop'],
])('an error as a sentence: %s', (_what, error, due) => {
  expect(message(error)).toBe(due)
})
