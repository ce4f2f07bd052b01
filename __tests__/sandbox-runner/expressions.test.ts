import { holds, type JobStatus, type Scope } from '../../sandbox/runner/expressions.js'

const contexts = {
  github: {
    token: 't',
    ref: 'refs/heads/main',
    event: { pull_request: { number: 7, labels: [{ name: 'a' }, { name: 'b' }] } },
  },
  env: { EMPTY: '', NAME: "it's" },
  steps: { test: { outputs: { verdict: 'failed' }, conclusion: 'failure' } },
  matrix: { node: [20, 24] },
}
const scope = (status: JobStatus = 'success'): Scope => ({ contexts, status })

test.each<[string, JobStatus, boolean]>([
  ['', 'success', true],
  ['', 'failure', false],
  ['true', 'failure', false],
  ['true', 'cancelled', false],
  ['always()', 'failure', true],
  ['ALWAYS()', 'cancelled', true],
  ['${{ always() }}', 'cancelled', true],
  ['failure()', 'failure', true],
  ['failure()', 'cancelled', false],
  ['cancelled()', 'cancelled', true],
  ['!cancelled()', 'failure', true],
  ["steps.test.outputs.verdict == 'failed'", 'success', true],
  ["steps.test.outputs.verdict == 'failed'", 'failure', false],
  ["always() && steps.test.conclusion == 'failure'", 'failure', true],
  ["'always()' != ''", 'failure', false],
  ['${{ false }}', 'success', false],
  // Text around the expression makes it a text, which is true unless empty.
  ['${{ false }} || false', 'success', true],
  ['!${{ always() }}', 'failure', true],
  ['env.EMPTY', 'success', false],
  ['0', 'success', false],
  ['github', 'success', true],
])('whether %s holds in a job of status %s', (condition, status, expected) => {
  expect(holds(condition, scope(status))).toBe(expected)
})
