import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Bench } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

describe('outputs', () => {
  test.each([
    ["file('OUTPUT', 'good=1\\nnonsense\\nlate=2')", "Invalid format 'nonsense'", { good: '1' }],
    ["file('OUTPUT', 'a<<EOF\\nno end\\n')", "Matching delimiter not found 'EOF'", {}],
    ["file('OUTPUT', '=x')", 'The name of an output cannot be empty.', {}],
  ])('%s fails the step', async (main, fault, outputs) => {
    const { main: result } = await bench.run({ main })
    expect(result).toMatchObject({ conclusion: 'failure', exitCode: 0, outputs })
    expect(result.annotations.map(({ message }) => message)).toEqual([
      "Unable to process file command 'output' successfully.",
      expect.stringContaining(fault),
    ])
  })
})
