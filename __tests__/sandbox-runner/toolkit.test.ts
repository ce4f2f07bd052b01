import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Bench, body } from './little-action.js'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
})
afterAll(() => bench.remove())

// The library that actions are written with is the best judge of a runner.
const CORE = new URL('../../node_modules/@actions/core/lib/core.js', import.meta.url).href

test('an action written with @actions/core finds what it needs', async () => {
  const yaml = 'inputs: { base-url: { default: https://x }, list: {}, flag: { default: true }, key: {} }'
  const main = `import * as core from '${CORE}'
core.setSecret(core.getInput('key', { required: true }))
core.info('key is ' + core.getInput('key'))
core.info([core.getInput('base-url'), core.getMultilineInput('list').join('+'), core.getBooleanInput('flag'), core.isDebug()].join(' '))
core.setOutput('run-number', 42)
core.setOutput('lines', 'a\\nb')
core.saveState('run', { number: 42 })
core.exportVariable('FROM_MAIN', 'x')
core.addPath('/added')
core.error('went: wrong, 100%\\nreally', { title: 'T: a, b', file: 'a.ts', startLine: 2, endLine: 3 })
core.debug('not shown')
await core.group('A group', async () => core.info('inside'))
await core.summary.addHeading('Load test').addRaw('done', true).write()
core.setFailed('gate failed')`
  const post = `import * as core from '${CORE}'
core.info(core.getState('run') + ' ' + core.getInput('base-url') + ' ' + env.FROM_MAIN + ' ' + env.PATH.split(':')[0])`
  const inputs = { list: 'one\ntwo\n', key: 'opensesame' }
  const { main: result, posts } = await bench.run({ main, post, yaml }, { inputs })

  expect(body(result)).toEqual([
    'key is ***',
    'https://x one+two true false',
    '##[error]went: wrong, 100%',
    'really',
    '##[group]A group',
    'inside',
    '##[endgroup]',
    '##[error]gate failed',
  ])
  expect(result).toMatchObject({
    conclusion: 'failure',
    exitCode: 1,
    outputs: { 'run-number': '42', lines: 'a\nb' },
    state: { run: '{"number":42}' },
    env: { FROM_MAIN: 'x' },
    paths: ['/added'],
    masks: ['opensesame'],
    summary: '<h1>Load test</h1>\ndone\n',
  })
  expect(result.annotations).toEqual([
    {
      kind: 'error',
      message: 'went: wrong, 100%\nreally',
      title: 'T: a, b',
      file: 'a.ts',
      line: 2,
      endLine: 3,
    },
    { kind: 'error', message: 'gate failed' },
  ])
  expect(posts[0]?.rawStdout).toBe('{"number":42} https://x x /added\n')
})
