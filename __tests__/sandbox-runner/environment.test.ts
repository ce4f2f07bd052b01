import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Bench } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

// The action returns its whole environment through an output.
const TELL = {
  main: "file('OUTPUT', 'env=' + JSON.stringify({ ...env, cwd: process.cwd(), version: process.version }) + '\\n')",
}

function told(outputs: Record<string, string>): Record<string, string | undefined> {
  const parsed: unknown = JSON.parse(outputs['env'] ?? '')
  const isStrings = (value: unknown): value is Record<string, string> =>
    typeof value === 'object' && value !== null
  if (!isStrings(parsed)) throw new Error('The action told nothing.')
  return parsed
}

describe('inputs', () => {
  test('have their names, defaults and given values', async () => {
    const yaml = `inputs:
  base-url: { default: https://x }
  two words: { default: a b }
  needed: { required: true }
  number: { default: 7 }
  token: { default: "\${{ github.token }}" }
  place: { default: "\${{ github.workspace }}/sub-\${{ matrix.leg }}-\${{ runner.os != '' }}" }
  given: { default: no }
`
    const inputs = { GIVEN: '${{ github.run_id }} ${{ env.LATE }} ${{ vars.SPEED }}', empty: '' }
    const { main, job } = await bench.run(
      { ...TELL, yaml: `${yaml}  empty: { default: full }` },
      { inputs, env: { LATE: '${{ github.job }}!' } },
      { github: { token: 'tok-123', runId: 77, job: 'perf' }, matrix: { leg: 3 }, vars: { SPEED: 'fast' } },
    )
    const env = told(main.outputs)
    expect(Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('INPUT_')))).toEqual({
      'INPUT_BASE-URL': 'https://x',
      INPUT_TWO_WORDS: 'a b',
      INPUT_NEEDED: '',
      INPUT_NUMBER: '7',
      INPUT_TOKEN: 'tok-123',
      INPUT_PLACE: `${job.folders.workspace}/sub-3-true`,
      INPUT_GIVEN: '77 perf! fast',
      INPUT_EMPTY: '',
    })
    expect(main.annotations).toEqual([])
    expect(main.conclusion).toBe('success')
  })
})

describe('the environment of a step', () => {
  test('has nothing from this process except PATH and HOME', async () => {
    process.env['DEVELOPERS_OWN'] = 'private'
    const { main } = await bench.run(TELL)
    delete process.env['DEVELOPERS_OWN']
    const foreign = Object.keys(told(main.outputs)).filter(
      (name) => !/^(GITHUB_|RUNNER_|CI$|PATH$|HOME$|cwd$|version$)/.test(name),
    )
    expect(foreign).toEqual([])
    expect(told(main.outputs)['GITHUB_TOKEN']).toBeUndefined()
  })
})
