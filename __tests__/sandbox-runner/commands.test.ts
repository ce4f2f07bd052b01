import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import { Bench, body } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

async function says(lines: string[]): Promise<StepResult> {
  const { main } = await bench.run({ main: `say(...${JSON.stringify(lines)})` })
  return main
}

describe('annotations', () => {
  test('are kept up to ten of each kind; all are logged, and long messages are cut', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => [`::error::e${i}`, `::warning::w${i}`]).flat()
    const result = await says([...lines, `::notice::${'n'.repeat(5000)}`])
    const of = (kind: string): string[] =>
      result.annotations.filter((a) => a.kind === kind).map((a) => a.message)
    expect(of('error')).toEqual(Array.from({ length: 10 }, (_, i) => `e${i}`))
    expect(of('warning')).toHaveLength(10)
    expect(of('notice')).toEqual(['n'.repeat(4096)])
    expect(body(result)).toEqual(expect.arrayContaining(['##[error]e11', '##[warning]w11']))
  })
})

describe('secrets', () => {
  test('of the job, added masks and tokens are hidden in log, messages and summary, but not in files', async () => {
    const main = `say('pass ' + env.GIVEN, '::add-mask::late%0Aother line', 'late | other line')
say('token ' + env.INPUT_TOKEN + ' ' + env.ACTIONS_RUNTIME_TOKEN, '::error title=opensesame::opensesame')
file('STEP_SUMMARY', 'got opensesame\\r\\nlate')
file('OUTPUT', 'secret=opensesame')`
    const { main: result } = await bench.run(
      { main, yaml: 'inputs: { token: { default: "${{ github.token }}" } }' },
      { env: { GIVEN: '${{ secrets.KEY }}' } },
      {
        secrets: { KEY: 'opensesame' },
        github: { token: 'ghs_1234' },
        artifactService: { url: 'http://x', token: 'runtime-token' },
      },
    )
    expect(body(result)).toEqual(['pass ***', '*** | ***', 'token *** ***', '##[error]***'])
    expect(result.rawStdout).toContain('pass opensesame')
    // The real runner does not mask titles and outputs either.
    expect(result.annotations).toEqual([{ kind: 'error', message: '***', title: 'opensesame' }])
    expect(result.outputs).toEqual({ secret: 'opensesame' })
    expect(result.summary).toBe('got ***\n***\n')
    expect(result.masks).toEqual(['late\nother line'])
  })
})
