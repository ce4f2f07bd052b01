import {
  AnswerError,
  lack,
  ServiceError,
  readErrorBody,
  type FailureFacts,
} from '../../src/service/failure.js'
import { openApiOperation, tokenOperation, type Operation } from '../../src/service/operations.js'
import { calls } from '../fake-service.js'

const { list, details, runCopy, report, upload } = calls
const fault = (operation: Operation, facts: Partial<FailureFacts>) =>
  new ServiceError(operation, { executed: 'unknown', ...facts })

test.each<[Partial<FailureFacts>, boolean]>([
  [{}, true],
  ...[408, 429, 500, 501, 502, 503, 504, 599].map((status): [object, boolean] => [{ status }, true]),
  ...[301, 302, 400, 401, 402, 403, 404, 405, 409, 413, 425, 499].map((status): [object, boolean] => [
    { status },
    false,
  ]),
  [{ lasting: true }, false],
  [{ lasting: true, status: 503 }, false],
  [{ lasting: false }, true],
])('%j may pass: %s', (facts, passing) => {
  expect(fault(list(), facts).passing).toBe(passing)
})

const version1 =
  'The access token was not accepted. Check that the credentials still exist and are valid for this project'
const server =
  'This is a fault of the service or of a proxy in front of it. If this goes on, ask whoever runs it.'
const inTheWay = 'Something on the service stands in the way, such as a lock: look there, or wait a while.'
const noScope = 'The credentials must be valid for this project'

/** What a reader has to do, by call and status. */
const advice: [string, Operation, number, string][] = [
  ['list', list(), 302, 'The redirect was not followed. Check that base-url is the service itself.'],
  ['list', list(), 399, 'The redirect was not followed. Check that base-url is the service itself.'],
  ['list', list(), 400, 'Check the inputs of the step.'],
  ['upload', upload(), 409, inTheWay],
  ['list', list(), 423, inTheWay],
  ['list', list(), 401, `${version1}, and for API version v1, which is chosen when they are created.`],
  ['OpenAPI', openApiOperation, 401, `${version1}.`],
  [
    'list',
    list(),
    403,
    `${noScope} with the scope LOADTEST_LIST, and for API version v1, which is chosen when they are created; a project can disable the credentials of its organization.`,
  ],
  [
    'upload',
    upload(),
    403,
    `${noScope} with the scope CODEARCHIVE_UPLOAD, and for API version v2, which is chosen when they are created; a project can disable the credentials of its organization.`,
  ],
  [
    'OpenAPI',
    openApiOperation,
    403,
    `${noScope}; a project can disable the credentials of its organization.`,
  ],
  [
    'details',
    details(7),
    404,
    'Check organization, project and the number 7: one of them does not exist, or the credentials do not reach it. If they are right, this service may lack the calls of API version v1, whatever version the credentials have: mode: check shows that.',
  ],
  [
    'details of a version that was retired',
    details(7),
    410,
    'Check organization, project and the number 7: one of them does not exist, or the credentials do not reach it. If they are right, this service may lack the calls of API version v1, whatever version the credentials have: mode: check shows that.',
  ],
  [
    'a call that names nothing',
    { name: 'details', title: 'reading it', method: 'GET', path: '/it' },
    404,
    'Check organization, project and the number: one of them does not exist, or the credentials do not reach it.',
  ],
  [
    'runCopy',
    runCopy(7),
    404,
    'The step has just read load test 7: check that it still exists. If it does, this service starts copies in another way: mode: check compares the calls of the step with its OpenAPI document.',
  ],
  ['report', report(7, 1), 405, 'The service offers this call only with another method.'],
  [
    'upload',
    upload(),
    402,
    'The service asks for payment: the organization has no credit left, or no licence for this. Ask whoever administers it on the service.',
  ],
  ['upload', upload(), 413, 'What was sent is too large for the service.'],
  ['list', list(), 429, 'The service asks for fewer requests. If this goes on, find out what else uses it.'],
  ['list', list(), 499, 'Check the inputs of the step.'],
  ['list', list(), 500, server],
]

test.each(advice)('%s, %#: what to do after %3$i', (_, operation, status, sentence) => {
  const { message } = fault(operation, { status })
  const title = operation.title.charAt(0).toUpperCase() + operation.title.slice(1)
  expect(message).toBe(`${title} failed: the load-testing service answered ${status}. ${sentence}`)
})

const createNew =
  'create new ones on the service, in the configuration of the project or its organization (Integrations, API Client Credentials).'
const whatScopes = `Check client-id and client-secret, and that the credentials have the scopes that this step requests. If they have expired, ${createNew}`
const secrets = `Check client-id and client-secret. If the credentials have expired, ${createNew}`

test.each<[Partial<FailureFacts>, string]>([
  [{ status: 400, code: 'invalid_scope' }, 'The credentials lack scopes that this step requests'],
  [{ status: 400, code: 'invalid_client' }, secrets],
  [{ status: 401 }, secrets],
  [{ status: 400 }, whatScopes],
  [{ status: 403 }, whatScopes],
  [{ status: 404 }, 'Check base-url: there is no token endpoint at /oauth/token below it.'],
  [{ status: 405 }, 'Check base-url: there is no token endpoint at /oauth/token below it.'],
  [{ status: 410 }, 'Check base-url: there is no token endpoint at /oauth/token below it.'],
  [{ status: 418 }, 'Check the inputs of the step.'],
  // A gateway in front of it may use any words.
  [{ status: 500, code: 'invalid_client' }, server],
])('a token that is refused with %j', (facts, sentence) => {
  const { status } = facts
  const { message, isAboutCredentials } = fault(tokenOperation, facts)
  expect(isAboutCredentials).toBe(sentence === secrets)
  const start = `Getting an access token failed: the load-testing service answered ${status}. ${sentence}`
  expect(message.slice(0, start.length)).toBe(start)
})

test.each<[string | undefined, string]>([
  ['Too many', ' The service said: Too many.'],
  ['Too many.', ' The service said: Too many.'],
  ['Too many!', ' The service said: Too many!'],
  ['Why?', ' The service said: Why?'],
  ['Wait…', ' The service said: Wait…'],
  ['one. two', ' The service said: one. two.'],
  ['  ', ''],
  ['', ''],
  [undefined, ''],
])('what the service said is quoted as a sentence, after our own: %j', (said, shown) => {
  const { message } = fault(list(), { status: 503, ...(said === undefined ? {} : { said }) })
  expect(message).toBe(
    `Listing the load tests of project p failed: the load-testing service answered 503. ${server}${shown}`,
  )
})

test('scopes that are missing are named, whatever the status is', () => {
  const { message } = fault(tokenOperation, { status: 400, missingScopes: ['LOADTEST_LIST'] })
  expect(message).toContain(
    'answered 400. The credentials lack the scope LOADTEST_LIST. Create new credentials with this scope ',
  )
  expect(lack(['LOADTEST_LIST', 'LOADTEST_STATUS'])).toMatch(
    /^The credentials lack the scopes LOADTEST_LIST, LOADTEST_STATUS\. Create new credentials with these scopes /,
  )
})

test('a wrong answer may be of a wrong address, and a refusal is of the project', () => {
  expect(new AnswerError(list(), 'is HTML', { is: 'page' }).message).toBe(
    "The service's answer to listing the load tests of project p is HTML. Check that base-url is the load-testing service itself, not a login page or a proxy.",
  )
  expect(new AnswerError(list(), 'says no!', { is: 'refusal' }).message).toBe(
    "The service's answer to listing the load tests of project p says no! Check the project on the service.",
  )
  const cause = new Error('JSON')
  expect(new AnswerError(list(), 'is HTML', { cause }).cause).toBe(cause)
  expect(new ServiceError(list(), { executed: 'no' }, { cause }).cause).toBe(cause)
})

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
