import { connect, withTodo } from '../../src/github/api/octokit.js'
import { within } from '../../src/clock.js'
import { serve, type Front } from '../step/front.js'

let front: Front
afterEach(() => front.close())

test('a call that GitHub never answers ends at its own time limit', async () => {
  let asked = 0
  front = await serve(() => asked++)
  const octokit = await connect('token', { limit: 1500, baseUrl: front.url })
  await expect(octokit.rest.repos.get({ owner: 'o', repo: 'r' })).rejects.toThrow()
  expect(asked).toBe(1)
})

test('a call that only reads is made again after a fault of GitHub, whose page or sentence is told', async () => {
  const asked: string[] = []
  front = await serve((request, response) => {
    asked.push(request.method ?? '')
    if (asked.length === 2) response.setHeader('content-type', 'application/json').end('{"id": 5}')
    else if (asked.length === 4) response.writeHead(503).end('Try later.')
    else response.writeHead(502, { 'content-type': 'text/html' }).end('<html><title>Unicorn!</title></html>')
  })
  const octokit = await connect('token', { baseUrl: front.url })
  const { data } = await octokit.rest.repos.get({ owner: 'o', repo: 'r' })
  expect(data.id).toBe(5)
  const comment = { owner: 'o', repo: 'r', issue_number: 7, body: 'ours' }
  for (const said of ['GitHub answered with status 502', 'Try later.'])
    await expect(octokit.rest.issues.createComment(comment)).rejects.toThrow(said)
  expect(asked).toEqual(['GET', 'GET', 'POST', 'POST'])
})

test('a next page on another origin is not requested: the token stays here', async () => {
  let strayed = 0
  const elsewhere = await serve((_, response) => {
    strayed++
    response.end('[]')
  })
  front = await serve((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.setHeader('link', `<${elsewhere.url}/x?page=2>; rel="next"`)
    response.end('[]')
  })
  const octokit = await connect('token', { baseUrl: `${front.url}/api/v3` })
  const all = octokit.paginate(octokit.rest.issues.listComments, { owner: 'o', repo: 'r', issue_number: 7 })
  await expect(all).rejects.toThrow(
    `GitHub names an address outside of ${front.url}, to which no token is sent: ${elsewhere.url}/x?page=2`,
  )
  await elsewhere.close()
  expect(strayed).toBe(0)
})

test('a GitHub that did not answer, or not as it does, is not said to have a fault', async () => {
  front = await serve((request) => void request.destroy())
  const { rest } = await connect('token', { baseUrl: front.url })
  const comment = { owner: 'o', repo: 'r', issue_number: 7, body: 'x' }
  const broken: unknown = await rest.issues.createComment(comment).catch((error: unknown) => error)
  const check = 'Check the network and the proxy of the runner, or wait a while.'
  expect(withTodo(broken, todo)).toMatch(new RegExp(`^(?!.*GitHub answered).+\\. ${check}$`))
  const late: unknown = await within(1, new Promise(() => undefined)).catch((error: unknown) => error)
  expect(withTodo(late, todo)).toMatch(new RegExp(`^no answer within .*\\. ${check}$`))
  expect(withTodo(new TypeError('Ye is not iterable'), todo)).toBe(
    `its answer has another form than that of GitHub. ${check}`,
  )
})

const todo = 'The job needs the permission actions: read.'

const noPermission = 'No permission of the job changes that.'

test.each<[number | undefined, string, string?]>([
  [403, todo],
  [403, noPermission, 'Unable to create comment because issue is locked'],
  [403, noPermission, 'Resource protected by organization SAML enforcement'],
  [410, noPermission],
  [499, todo],
  [500, 'GitHub itself has a fault: wait a while.'],
  [422, noPermission],
  [undefined, todo],
])('what to do after an answer with status %s', (status, expected, said = 'It failed') => {
  const error = Object.assign(new Error(said), status === undefined ? {} : { status })
  const answer = status === undefined ? '' : ` (GitHub answered ${status})`
  expect(withTodo(error, todo)).toBe(`${said}${answer}. ${expected}`)
  error.message += ' - https://docs.github.com/rest/actions/workflow-runs#list'
  expect(withTodo(error, todo)).toBe(`${said}${answer}. ${expected}`)
})
