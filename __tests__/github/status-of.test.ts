import { withTodo } from '../../src/github/api/octokit.js'

const todo = 'The job needs the permission actions: read.'

test.each([
  [403, todo],
  [404, todo],
  [499, todo],
  [500, 'GitHub itself has a fault: run the job again later.'],
  [502, 'GitHub itself has a fault: run the job again later.'],
  [undefined, todo],
])('what to do after an answer with status %s', (status, expected) => {
  const error = Object.assign(new Error('It failed'), status === undefined ? {} : { status })
  const answer = status === undefined ? '' : ` (GitHub answered ${status})`
  expect(withTodo(error, todo)).toBe(`It failed${answer}. ${expected}`)
})
