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

describe('variables and paths for the steps that follow', () => {
  test('must not include NODE_OPTIONS, but the rest of the file counts', async () => {
    const { main } = await bench.run({ main: "file('ENV', 'node_options=--inspect\\nA=1')" })
    expect(main).toMatchObject({ conclusion: 'success', env: { A: '1' } })
    expect(main.annotations).toEqual([
      { kind: 'error', message: expect.stringContaining("Can't store node_options") },
    ])
  })
})

describe('the job summary', () => {
  test.each([
    [1024 * 1024, 1024 * 1024 + 1, []],
    [
      1024 * 1024 + 1,
      0,
      [{ kind: 'error', message: expect.stringContaining('up to a size of 1024k, got 1024k') }],
    ],
  ])('of %i bytes', async (size, kept, annotations) => {
    const { main } = await bench.run({ main: `file('STEP_SUMMARY', 'x'.repeat(${size}))` })
    expect(main.summary).toHaveLength(kept)
    expect(main.annotations).toEqual(annotations)
    expect(main.conclusion).toBe('success')
  })
})
