import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { daily, thorough } from '../daily.js'
import type { GitHubOptions } from '../../sandbox/runner/job-options.js'
import { startSandbox, type Sandbox } from './sandbox.js'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

const commit = 'c0ffee0123456789c0ffee0123456789c0ffee01'

const onPull: Partial<GitHubOptions> = {
  eventName: 'pull_request',
  event: { pull_request: { number: 7, head: { sha: commit, ref: 'faster' }, base: { ref: 'main' } } },
}
const pull = (inputs: Record<string, string>) => sandbox.run(inputs, { job: { github: onPull } })
const commentsOf = () => sandbox.github.store.commentsOf(7)

// What each face says of a verdict is in publish/each-verdict.test.ts.
daily('log, annotations and digest of a failed gate, as the runner gets them', async () => {
  writeFileSync(
    path.join(sandbox.workspace, 'gates.yml'),
    '# budgets\ngates:\n  - requests p95 < 60 s\n  - gate: requests mean < 1 ms\n    name: Mean of all requests\n',
  )
  const ran = await pull({ gates: 'gates.yml\nwarn: requests max < 1 ms' })
  expect(ran.outputs['verdict']).toBe('failed')

  const [, inLog = ''] = /##\[group\]Gates\n([^]*?)##\[endgroup\]/.exec(ran.log) ?? []
  expect(inLog.trim().split('\n')).toEqual([expect.stringMatching(/passed: requests p95 < 60 s: value/)])
  const end = ran.log.slice(ran.log.lastIndexOf('##[endgroup]'))
  expect(end).toMatch(
    /##\[warning\]warn: requests max < 1 ms: value[^]*##\[error\]Mean of all requests: .*limit < 1 ms/,
  )
  expect(ran.log.match(/Mean of all requests/g)).toHaveLength(1)
  expect(ran.log).not.toMatch(/##\[group\].*\n##\[endgroup\]/)
  expect(ran.log).toContain('\u001b[31mLoad test: requests too slow (mean ')

  const errors = ran.annotations.filter(({ kind }) => kind === 'error')
  expect(errors).toEqual([expect.objectContaining({ file: 'gates.yml', line: 4 })])
  const digest = sandbox.github.store.artifacts.find(({ name }) => name === 'load-test-digest.html')
  expect(digest?.mimeType).toMatch(/^text\/html/)
  const page = readFileSync(digest?.path ?? '', 'utf8')
  expect(page).toMatch(/^<!doctype html>/i)
  // Everything is in one file: nothing is fetched or run.
  expect(page.match(/<(script|link|img|iframe)\b|\bsrc=|@import|url\(/gi)).toBeNull()
})

thorough(
  'a comment does not stay green if the next step is refused but its own inputs can be read',
  async () => {
    await pull({ mode: 'start' })
    const refused = await pull({ mode: 'start', gates: 'requests p95th < 1 s', comment: 'always, please' })
    expect(refused.outputs['verdict']).toBe('error')
    const [comment, ...others] = commentsOf()
    expect(others).toEqual([])
    expect(comment?.body).toContain('⚠️ Load test: no verdict. 2 inputs need to be changed')
    expect(comment?.body).toContain('Did you mean')
    const without = await pull({ mode: 'start', gates: 'requests p95th < 1 s', 'github-token': '' })
    expect(without.summary).toContain('⚠️ Load test: no verdict. gates, line 1')
    expect(without.conclusion).toBe('failure')
  },
)

daily('a title has the name that the step was given, but none that is refused', async () => {
  const gates = 'requests p95th < 1 s'
  const titleOf = async (inputs: Record<string, string>) =>
    /^## (.*)$/m.exec((await pull({ mode: 'start', gates, ...inputs })).summary)?.[1]
  expect(await titleOf({ name: 'search' })).toMatch(/^⚠️ search: no verdict\. gates, line 1/)
  expect(await titleOf({})).toMatch(/^⚠️ Load test: no verdict\. gates, line 1/)
  expect(await titleOf({ name: 'a:b' })).toMatch(/^⚠️ Load test: no verdict\. 2 inputs/)
})
