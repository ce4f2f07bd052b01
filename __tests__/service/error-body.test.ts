import { readErrorBody } from '../../src/service/failure.js'

test.each([
  ['{"message": "no such project"}', 'no such project'],
  ['{"error": "invalid_scope", "error_description": "No such scope."}', 'invalid_scope: No such scope.'],
  [
    '{"timestamp": "2026-01-01T00:00:00Z", "status": 404, "error": "Not Found", "message": "", "path": "/x"}',
    'Not Found',
  ],
  [
    '{"type": "about:blank", "title": "Gone", "status": 410, "detail": "It was deleted."}',
    'Gone: It was deleted.',
  ],
  ['{"error": {"code": 7, "message": "The project is archived."}}', 'The project is archived.'],
  ['{"errors": [{"field": "a", "message": "A is wrong."}, "B is wrong."]}', 'A is wrong.; B is wrong.'],
  ['{"title": "Invalid", "errors": {"name": ["It is empty."]}}', 'Invalid: It is empty.'],
  ['{"errors": ["a", "b", "c", "d", "e"]}', 'a; b; c; 2 more'],
  ['{"success": false, "data": {"message": "busy"}}', 'busy'],
  ['{"message": "Oops", "error": "Oops"}', 'Oops'],
  ['{"status": 17, "info": "overloaded"}', 'status 17, info overloaded'],
  ['"plain"', 'plain'],
  ['<h1>Down <b>now</b></h1>', ' Down  now  '],
  ['just words', 'just words'],
  ['{"message": "cut', '{"message": "cut'],
])('the message of %s is shown', (body, said) => {
  expect(readErrorBody(body).said).toBe(said)
})

test.each(['{}', '[]', 'null', '{"message": {}}', '['.repeat(9000) + ']'.repeat(9000)])(
  'an error without a message gives none',
  (body) => {
    expect(readErrorBody(body).said).toBeUndefined()
  },
)
