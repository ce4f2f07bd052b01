import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Bench, body } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

describe('outputs', () => {
  test('may be plain or of several lines, and the last of a name counts', async () => {
    const main = "file('OUTPUT', 'a=1\\nb<<EOF\\nx\\ny=z\\nEOF\\na=2\\n')"
    const { main: result } = await bench.run({ main })
    expect(result.outputs).toEqual({ a: '2', b: 'x\ny=z' })
  })

  test('of a step with an id are visible to later steps', async () => {
    const job = await bench.job()
    await job.runStep({
      id: 'first',
      action: await bench.action({ main: "file('OUTPUT', 'run-number=42')" }),
    }).done
    const action = await bench.action({ main: 'say(env.INPUT_N)', yaml: 'inputs: { n: {} }' })
    const inputs = { n: '${{ steps.first.outputs.run-number }} ${{ steps.first.conclusion }}' }
    expect(body(await job.runStep({ action, inputs }).done)).toEqual(['42 success'])
    expect(job.contexts.steps).toEqual({
      first: { outputs: { 'run-number': '42' }, outcome: 'success', conclusion: 'success' },
    })
  })

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

  test('of other files still count if one file has a fault, even if the step fails', async () => {
    const main =
      "file('ENV', 'nonsense'); file('OUTPUT', 'a=1'); file('STATE', 'b=2'); file('STEP_SUMMARY', 's'); process.exit(3)"
    const { main: result } = await bench.run({ main })
    expect(result).toMatchObject({
      conclusion: 'failure',
      exitCode: 3,
      outputs: { a: '1' },
      state: { b: '2' },
      summary: 's\n',
    })
  })

  test('are empty if the step deleted the file', async () => {
    const names = ['OUTPUT', 'STATE', 'ENV', 'PATH', 'STEP_SUMMARY']
    const main = `import { rmSync } from 'node:fs'\nfor (const n of ${JSON.stringify(names)}) rmSync(env['GITHUB_' + n])`
    const { main: result } = await bench.run({ main })
    expect(result).toMatchObject({ conclusion: 'success', outputs: {}, annotations: [] })
  })
})

describe('variables and paths for the steps that follow', () => {
  test('reach later steps and post steps, the latest path first', async () => {
    const job = await bench.job({ env: { A: 'job' } })
    const main =
      "file('ENV', 'A=1\\nB<<X\\n2\\n3\\nX\\n'); file('PATH', '/one\\n/two\\n\\n/one\\n'); file('STATE', 'x=1'); say(env.A)"
    const first = await job.runStep({ action: await bench.action({ main, post: 'say(env.A, env.B)' }) }).done
    expect(body(first)).toEqual(['job'])
    expect(first).toMatchObject({ env: { A: '1', B: '2\n3' }, paths: ['/two', '/one'] })
    const second = await bench.action({ main: 'say(env.A, env.PATH, String(env.STATE_x))' })
    const { rawStdout } = await job.runStep({ action: second }).done
    expect(rawStdout.split('\n')).toEqual(['1', `/one:/two:${process.env['PATH']}`, 'undefined', ''])
    const [post] = await job.finish()
    expect(post?.rawStdout).toBe('1\n2\n3\n')
  })

  test('must not include NODE_OPTIONS, but the rest of the file counts', async () => {
    const { main } = await bench.run({ main: "file('ENV', 'node_options=--inspect\\nA=1')" })
    expect(main).toMatchObject({ conclusion: 'success', env: { A: '1' } })
    expect(main.annotations).toEqual([
      { kind: 'error', message: expect.stringContaining("Can't store node_options") },
    ])
  })
})

describe('the job summary', () => {
  test('is what the step wrote', async () => {
    const { main } = await bench.run({ main: "file('STEP_SUMMARY', '# Title\\n\\ntext')" })
    expect(main.summary).toBe('# Title\n\ntext\n')
  })

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
