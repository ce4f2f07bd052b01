import { describe, expect, test } from '@jest/globals'
import {
  BadExpressionError,
  evaluate,
  holds,
  holdsAsWritten,
  interpolate,
  type JobStatus,
  resolve,
  type Scope,
} from '../../sandbox/runner/expressions.js'

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

describe('evaluate', () => {
  test.each([
    ['github.token', 't'],
    ['github.event.pull_request.labels.*.name', ['a', 'b']],
    ['github.nothing.at.all', null],
    ['fromJSON(\'{"a":[1,true,null]}\').a', [1, true, null]],
    ['fromJSON(toJSON(matrix)).node[1]', 24],
    ['always() && !failure() && success()', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression, scope())).toEqual(value)
  })

  test.each([
    ['nowhere.at.all', "Unrecognized named-value: 'nowhere'"],
    ['missing()', "Unrecognized function: 'missing'"],
    ["fromJSON('{')", 'Error parsing JSON'],
  ])('a fault in %s is reported with the expression', (expression, reason) => {
    expect(() => evaluate(expression, scope())).toThrow(BadExpressionError)
    expect(() => evaluate(expression, scope())).toThrow(`'${expression}' cannot be evaluated: ${reason}`)
  })

  test('without a status, the status functions are unknown', () => {
    expect(() => evaluate('always()', { contexts })).toThrow('always()')
  })
})

describe('interpolate', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['a ${{ github.token }} b ${{ 1 == 1 }}', 'a t b true'],
    ["${{ '}}' }}", '}}'],
    ["${{ format('{{0}}') }}", '{0}'],
    ['${{ github.none }}|', '|'],
    ['$${{ matrix.node[0] }}', '$20'],
    ['}} {{', '}} {{'],
  ])('%s', (text, expected) => {
    expect(interpolate(text, scope())).toBe(expected)
  })

  test('reports an expression without an end', () => {
    expect(() => interpolate('${{ github.token', scope())).toThrow('no closing }}')
  })
})

test('resolve keeps the type of a value that is a single expression', () => {
  expect(resolve('${{ matrix.node }}', scope())).toEqual([20, 24])
  expect(resolve('${{ 1 }}', scope())).toBe(1)
  expect(resolve('${{ 1 }} ', scope())).toBe('1 ')
  expect(resolve('x', scope())).toBe('x')
})

describe('holds', () => {
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
  ])('%s in a job of status %s', (condition, status, expected) => {
    expect(holds(condition, scope(status))).toBe(expected)
  })

  test.each<[string, JobStatus, boolean]>([
    ['true', 'failure', true],
    ['success()', 'failure', false],
    ['always()', 'cancelled', true],
  ])('as written: %s in a job of status %s', (condition, status, expected) => {
    expect(holdsAsWritten(condition, scope(status))).toBe(expected)
  })
})
