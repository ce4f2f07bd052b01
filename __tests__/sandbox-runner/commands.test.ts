import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { JobOptions } from '../../sandbox/runner/job-options.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import { Bench, body } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

async function says(
  lines: string[],
  options: JobOptions = {},
  env: Record<string, string> = {},
): Promise<StepResult> {
  const { main } = await bench.run({ main: `say(...${JSON.stringify(lines)})` }, { env }, options)
  return main
}

describe('annotations', () => {
  test('are errors, warnings and notices with all their places, from stdout and stderr', async () => {
    const main = `say('::error file=' + env.GITHUB_WORKSPACE + '/src/a.ts,line=3,endLine=3,col=4,endColumn=9,title=Oh%3A no::bad%0Aworse')
process.stderr.write('::warning file=b.ts::careful\\n')
say('some text ##[notice title=N]look', '::error::')`
    const { main: result } = await bench.run({ main })
    expect(result.annotations).toHaveLength(3)
    expect(result.annotations).toEqual(
      expect.arrayContaining([
        {
          kind: 'error',
          message: 'bad\nworse',
          title: 'Oh: no',
          file: 'src/a.ts',
          line: 3,
          endLine: 3,
          column: 4,
          endColumn: 9,
        },
        { kind: 'warning', message: 'careful', file: 'b.ts' },
        { kind: 'notice', message: 'look', title: 'N' },
      ]),
    )
    expect(body(result)).toEqual(
      expect.arrayContaining(['##[error]bad', 'worse', '##[warning]careful', '##[notice]look']),
    )
    expect(result.conclusion).toBe('success')
  })

  test.each([
    ['endLine=4', { line: 4, endLine: 4 }],
    ['line=1,endColumn=4', { line: 1, column: 4, endColumn: 4 }],
    ['col=4', {}],
    ['line=1,endLine=2,col=3', { line: 1, endLine: 2 }],
    ['line=3,endLine=2', {}],
    ['line=3,col=5,endColumn=4', { line: 3 }],
    ['line=x,col=1', {}],
  ])('the place %s', async (properties, place) => {
    const result = await says([`::error ${properties}::x`])
    expect(result.annotations).toEqual([{ kind: 'error', message: 'x', ...place }])
  })

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

describe('the log', () => {
  test('shows groups, echo, debug, and text that is not a command', async () => {
    const result = await says([
      '::group::One',
      'inside',
      '::endgroup::',
      '::debug::hidden',
      '::unknown::stays',
      'text ::error::stays',
      '::group::Two',
      'left open',
    ])
    expect(body(result)).toEqual([
      '##[group]One',
      'inside',
      '##[endgroup]',
      '::unknown::stays',
      'text ::error::stays',
      '##[group]Two',
      'left open',
    ])
    expect(result.groups).toEqual([
      { title: 'Run ./', lines: [] },
      { title: 'One', lines: ['inside'] },
      { title: 'Two', lines: ['left open'] },
    ])
  })

  test('starts with the inputs and variables of the step, secrets hidden', async () => {
    const { main } = await bench.run(
      { main: '', yaml: 'inputs: { a: { default: b }, none: {}, key: {} }' },
      { inputs: { key: '${{ secrets.KEY }}' }, env: { MODE: 'fast' }, uses: './dist' },
      { secrets: { KEY: 'opensesame' } },
    )
    expect(main.log.split('\n')).toEqual([
      '##[group]Run ./dist',
      'with:',
      '  key: ***',
      '  a: b',
      'env:',
      '  MODE: fast',
      '##[endgroup]',
    ])
  })

  test('markers of the runner cannot be printed', async () => {
    const result = await says(['##[start-action name=x]', '##[end-action]'])
    expect(body(result)).toEqual(['##[\\start-action name=x]', '##[\\end-action]'])
  })

  test('echo shows commands, but never a mask', async () => {
    const result = await says([
      '::set-output name=a::1',
      '::echo::on',
      '::set-output name=b::2',
      '::add-mask::opensesame',
      '::echo::OFF',
      '::set-output name=c::3',
    ])
    const shown = body(result).filter((line) => !line.startsWith('##[warning]'))
    expect(shown).toEqual(['::set-output name=b::2', '::add-mask::***', '::echo::OFF'])
    expect(result.outputs).toEqual({ a: '1', b: '2', c: '3' })
  })

  test('reaches the listener line by line, and a listener that throws does not stop the step', async () => {
    const action = await bench.action({ main: "say('one', '::error::two%0Athree')" })
    const lines: string[] = []
    const job = await bench.job()
    await job.runStep({ action, onLine: (line) => lines.push(line) }).done
    expect(lines.slice(2)).toEqual(['one', '##[error]two', 'three'])
    const thrown = job.runStep({
      action,
      onLine: () => {
        throw new Error('mine')
      },
    })
    await expect(thrown.done).rejects.toMatchObject({
      message: 'A listener to the log of a step failed.',
      cause: { message: 'mine' },
    })
  })
})

describe('secrets', () => {
  test('of the job, added masks and tokens are hidden in log, messages and summary, but not in files', async () => {
    const main = `say('pass ' + env.GIVEN, '::add-mask::late%0Aother line', 'late | other line', Buffer.from('opensesame').toString('base64'))
say('token ' + env.INPUT_TOKEN + ' ' + env.ACTIONS_RUNTIME_TOKEN, '::error title=opensesame::opensesame', encodeURIComponent('a b&c=d/e'))
file('STEP_SUMMARY', 'got opensesame\\r\\nlate')
file('OUTPUT', 'secret=opensesame')`
    const { main: result } = await bench.run(
      { main, yaml: 'inputs: { token: { default: "${{ github.token }}" } }' },
      { env: { GIVEN: '${{ secrets.KEY }}' } },
      {
        secrets: { KEY: 'opensesame', OTHER: 'a b&c=d/e' },
        github: { token: 'ghs_1234' },
        artifactService: { url: 'http://x', token: 'runtime-token' },
      },
    )
    expect(body(result)).toEqual(['pass ***', '*** | ***', '***', 'token *** ***', '##[error]***', '***'])
    expect(result.rawStdout).toContain('pass opensesame')
    // The real runner does not mask titles and outputs either.
    expect(result.annotations).toEqual([{ kind: 'error', message: '***', title: 'opensesame' }])
    expect(result.outputs).toEqual({ secret: 'opensesame' })
    expect(result.summary).toBe('got ***\n***\n')
    expect(result.masks).toEqual(['late\nother line'])
  })

  test('added by a step are hidden in the steps that follow', async () => {
    const job = await bench.job()
    const first = await bench.action({ main: "say('::add-mask::opensesame')", post: "say('opensesame')" })
    await job.runStep({ action: first }).done
    const second = await job.runStep({ action: await bench.action({ main: "say('opensesame')" }) }).done
    const [post] = await job.finish()
    expect(body(second)).toEqual(['***'])
    expect(post?.log.split('\n')).toEqual(['Post job cleanup.', '***'])
  })

  test('must not be empty', async () => {
    const result = await says(['::add-mask::', '::add-mask::  ', 'still readable'])
    expect(result.annotations.map(({ kind }) => kind)).toEqual(['warning', 'warning'])
    expect(body(result)).toContain('still readable')
  })
})

describe('stop-commands', () => {
  test('makes commands plain text until the token comes', async () => {
    const result = await says([
      '::stop-commands::secret-token',
      '::error::no',
      '##[error]no',
      '::add-mask::no',
      '::stop-commands::again',
      '::SECRET-TOKEN::',
      '::error::yes',
      '::secret-token::',
    ])
    expect(result.annotations).toEqual([{ kind: 'error', message: 'yes' }])
    expect(body(result)).toEqual([
      '::stop-commands::***',
      '::error::no',
      '##[error]no',
      '::add-mask::no',
      '::stop-commands::again',
      '::SECRET-TOKEN::',
      '##[error]yes',
      '::***::',
    ])
  })

  test.each(['', 'error', 'pause-logging', 'stop-commands', 'Set-Output'])(
    'the token %j fails the step',
    async (token) => {
      const result = await says([`::stop-commands::${token}`, '::notice::still heard'])
      expect(result).toMatchObject({ conclusion: 'failure', exitCode: 0 })
      expect(result.annotations.map(({ kind }) => kind)).toEqual(['error', 'notice'])
    },
  )

  test('accepts an unsafe token if the workflow allows it', async () => {
    const result = await says(
      ['::stop-commands::pause-logging', '::notice::x'],
      {},
      { ACTIONS_ALLOW_UNSECURE_STOPCOMMAND_TOKENS: 'true' },
    )
    expect(result).toMatchObject({ conclusion: 'success', annotations: [] })
  })
})

describe('deprecated commands', () => {
  test('set-output and save-state work with a warning', async () => {
    const result = await says([
      '::set-output name=a::1%0A2',
      '::save-state name=b::3',
      '##[set-output name=c;]4',
    ])
    expect(result).toMatchObject({ conclusion: 'success', outputs: { a: '1\n2', c: '4' }, state: { b: '3' } })
    expect(result.annotations.map(({ kind, message }) => [kind, message.slice(0, 16)])).toEqual([
      ['warning', 'The `set-output`'],
      ['warning', 'The `save-state`'],
      ['warning', 'The `set-output`'],
    ])
  })

  test.each([
    ['::set-env name=A::1', 'is disabled'],
    ['::add-path::/x', 'is disabled'],
    ['::set-output::1', "'name' is missing"],
    ['::echo::maybe', "echo command value 'maybe'"],
  ])('%s fails the step', async (line, fault) => {
    const result = await says([line])
    expect(result).toMatchObject({ conclusion: 'failure', exitCode: 0, env: {}, paths: [] })
    const errors = result.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
    expect(errors[0]).toBe(`Unable to process command '${line}' successfully.`)
    expect(errors[1]).toContain(fault)
  })

  test('set-env and add-path work if the workflow allows them, but never for NODE_OPTIONS', async () => {
    const lines = ['::set-env name=A::1', '::add-path::/x', '::set-env name=node_options::--inspect']
    const result = await says(lines, {}, { ACTIONS_ALLOW_UNSECURE_COMMANDS: 'true' })
    expect(result).toMatchObject({ conclusion: 'success', env: { A: '1' }, paths: ['/x'] })
    expect(result.annotations).toEqual([{ kind: 'error', message: expect.stringContaining('node_options') }])
  })
})
