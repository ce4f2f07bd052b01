import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Bench, body } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

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
