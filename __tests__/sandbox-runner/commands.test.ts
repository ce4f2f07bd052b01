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
  test('are errors, warnings and notices with all their places, from stdout and stderr', async () => {
    const main = `say('::error file=' + env.GITHUB_WORKSPACE + '/src/a.ts,line=3,endLine=3,title=Oh%3A no::bad%0Aworse')
process.stderr.write('::warning file=b.ts::careful\\n')
say('::notice title=N::look', '::error::')`
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
  test('shows groups, debug, and text that is not a command', async () => {
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
})
