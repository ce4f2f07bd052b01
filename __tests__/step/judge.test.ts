import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { daily, thorough } from '../daily.js'
import { picture } from '../publish/webp.js'
import { writeLargeTestReport } from '../../sandbox/report/large.js'
import { JudgeSandbox, gates, judging } from './judged.js'
import { onPull } from './sandbox.js'

let sandbox: JudgeSandbox
beforeEach(async () => {
  sandbox = await JudgeSandbox.open()
})
afterEach(() => sandbox.close())

daily('a folder is judged, attached whole, and named everywhere', async () => {
  mkdirSync(sandbox.at('results/20261121-1200/charts'))
  writeFileSync(sandbox.at('results/20261121-1200/charts/RequestRuntime.webp'), picture)
  const { ran, posts } = await sandbox.inJob(onPull, async (job) => {
    const ran = await job.runStep(judging({ report: 'results/20261121-1200', gates })).done
    return { ran, posts: await job.finish() }
  })
  expect(ran.conclusion).toBe('success')
  expect(posts).toMatchObject([{ conclusion: 'success', summary: '' }])
  expect(ran.outputs).toMatchObject({ verdict: 'passed' })
  expect(ran.outputs['run-number']).toBeUndefined()
  expect(Number(ran.outputs['duration-seconds'])).toBeGreaterThan(0)
  const outcome = sandbox.outcomeOf()
  expect(outcome).toMatchObject({
    verdict: 'passed',
    kind: 'load-test',
    mode: 'judge',
    report: { given: { name: 'results/20261121-1200' }, ending: '.tar.gz' },
  })
  expect(outcome.run).toBeUndefined()
  const report = sandbox.github.store.artifact('load-test-report.tar.gz', 100)
  const unpacked = sandbox.at('unpacked')
  mkdirSync(unpacked)
  execFileSync('tar', ['-xzf', report?.path ?? '', '-C', unpacked])
  execFileSync('diff', ['-r', sandbox.at('results/20261121-1200'), path.join(unpacked, '20261121-1200')])
  const digest = readFileSync(sandbox.github.store.artifact('load-test-digest.html', 100)?.path ?? '', 'utf8')
  expect(digest).toContain(`<img src="data:image/webp;base64,${picture.toString('base64')}"`)
  for (const text of [ran.summary, sandbox.github.store.commentsOf(7)[0]?.body, digest]) {
    expect(text).toContain('2\u00a0gates (limits) passed')
    expect(text).toContain('results/20261121-1200')
    expect(text).not.toMatch(/load test finished|undefined/)
  }
})

thorough(
  "what a link leads to, and Git's own folder, are never attached; files that look like secrets are named",
  async () => {
    sandbox.put('normal', '.git')
    writeFileSync(sandbox.at('.git/config'), 'extraheader = AUTHORIZATION: basic c3VwZXJzZWNyZXQ=')
    symlinkSync('.git', sandbox.at('perf'))
    const linked = await sandbox.judge({ report: 'perf' })
    expect(linked.outputs['verdict']).toBe('error')
    expect(linked.summary).toContain('report leads through perf, which is a link')
    expect(sandbox.github.store.artifact('load-test-report.tar.gz', 100)).toBeUndefined()
    rmSync(sandbox.at('perf'))
    writeFileSync(sandbox.at('.env'), 'TOKEN=1')
    const ran = await sandbox.judge({ report: '.', gates }, { runId: 101 })
    expect(ran.outputs['verdict']).toBe('passed')
    const attached = readFileSync(sandbox.github.store.artifact('load-test-report.tar.gz', 101)?.path ?? '')
    expect(gunzipSync(attached).includes('AUTHORIZATION')).toBe(false)
    expect(ran.annotations.map(({ message }) => message).join('\n')).toMatch(
      /The report contains files that look like secrets: [^ ]*\/\.env\. They are attached with it\./,
    )
  },
)

// What a folder or an archive holds is in report/report-reader.test.ts.
thorough("a misspelt artifact, and Git's own folder, are reported in a sentence", async () => {
  await sandbox.github.seed.artifact({ runId: 40, name: 'old', files: { 'testreport.xml': '' } })
  sandbox.put('normal', '.git')
  for (const [report, sentence] of [
    ['artifact:odl', /does not have: odl. It has old/],
    ['.git', /^report lies in \.git, the folder of Git itself/],
  ] as const) {
    const ran = await sandbox.judge({ report, 'report-run': report === '.git' ? '' : '40' })
    expect(ran.outputs['verdict']).toBe('error')
    const errors = ran.annotations.filter(({ kind }) => kind === 'error').map(({ message }) => message)
    expect(errors.join('\n')).toMatch(sentence)
  }
})

thorough('a step that is cut off says so, without a word about a load test', async () => {
  // Reading it takes long.
  await writeLargeTestReport(sandbox.at('results/20261121-1200/testreport.xml'), 50_000_000, 3)
  const { main, post } = await sandbox.inJob(onPull, async (job) => {
    const running = job.runStep({
      ...judging({ report: 'results/20261121-1200' }),
      cancelOn: (line) => line.includes('Read the report'),
    })
    const main = await running.done
    const [post] = await job.finish()
    return { main, post }
  })
  expect(main.outputs['verdict']).toBe('cancelled')
  for (const text of [post?.summary, sandbox.github.store.commentsOf(7)[0]?.body]) {
    expect(text).toContain('cancelled before the report was judged')
    expect(text).not.toContain('oad test was')
  }
})
