import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Bench, body } from './little-action.js'
import type { JobStatus } from '../../sandbox/runner/expressions.js'

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

test('inputs have their names, defaults and given values', async () => {
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

test('the environment of a step has nothing from this process except PATH and HOME', async () => {
  process.env['DEVELOPERS_OWN'] = 'private'
  const { main } = await bench.run(TELL)
  delete process.env['DEVELOPERS_OWN']
  const foreign = Object.keys(told(main.outputs)).filter(
    (name) => !/^(GITHUB_|RUNNER_|CI$|PATH$|HOME$|cwd$|version$)/.test(name),
  )
  expect(foreign).toEqual([])
  expect(told(main.outputs)['GITHUB_TOKEN']).toBeUndefined()
})

test('secrets of the job, added masks and tokens are hidden in log, messages and summary, but not in files', async () => {
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

test.each<[string | undefined, JobStatus, string]>([
  [undefined, 'cancelled', 'success'],
  ['success()', 'failure', 'skipped'],
  ['cancelled()', 'cancelled', 'success'],
])('post-if %s in a job of status %s', async (postIf, status, conclusion) => {
  const job = await bench.job()
  const main = status === 'failure' ? 'process.exit(1)' : "say('ready')"
  const action = await bench.action({
    main,
    post: "say('post')",
    ...(postIf === undefined ? {} : { postIf }),
  })
  await job.runStep({ action }).done
  if (status === 'cancelled') job.cancel()
  expect(job.status).toBe(status)
  const [post] = await job.finish()
  expect(post?.conclusion).toBe(conclusion)
  expect(post?.rawStdout).toBe(conclusion === 'success' ? 'post\n' : '')
})

test('after a failure, only steps whose condition asks for it run', async () => {
  const job = await bench.job()
  const fails = await bench.action({ main: 'process.exit(7)' })
  const works = await bench.action({ main: "say('on')" })
  const conclusions: string[] = []
  for (const step of [
    { action: fails, continueOnError: true, id: 'forgiven' },
    { action: works },
    { action: fails },
    { action: works },
    { action: works, if: 'failure()' },
    { action: works, if: 'always()' },
    { action: works, if: "steps.forgiven.outcome == 'failure'" },
    { action: works, if: "always() && steps.forgiven.outcome == 'failure'" },
  ]) {
    conclusions.push((await job.runStep(step).done).conclusion)
  }
  expect(conclusions.join(' ')).toBe('success success failure skipped success success skipped success')
  expect(job.contexts.steps).toMatchObject({ forgiven: { outcome: 'failure', conclusion: 'success' } })
})

const WAIT = 'setInterval(() => {}, 1000)'
const READY = "say('ready')"
const cancelOn = (line: string): boolean => line === 'ready'

describe('a cancelled step', () => {
  test('is killed with all that it started if it ignores both', async () => {
    const child =
      "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')"
    const main = `import { spawn } from 'node:child_process'
process.on('SIGINT', () => {}); process.on('SIGTERM', () => {})
const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })
file('OUTPUT', 'child=' + child.pid); ${WAIT}`
    const { main: result } = await bench.run(
      { main },
      { cancelOn },
      { timings: { interrupt: 200, terminate: 200 } },
    )
    expect(result).toMatchObject({
      conclusion: 'cancelled',
      exitCode: null,
      signal: 'SIGKILL',
      signals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
    })
    expect(await isGone(Number(result.outputs['child']))).toBe(true)
  })

  test('continues if its condition is true for a cancelled job', async () => {
    const main = `process.on('SIGINT', () => say('heard')); ${READY}; setTimeout(() => { say('end') }, 200)`
    const { main: result } = await bench.run({ main }, { cancelOn, if: 'always()' }, {})
    expect(result).toMatchObject({ conclusion: 'success', signals: [] })
    expect(body(result)).toEqual(['ready', 'end'])
  })
})

test('after a cancellation, post steps share the remaining time, and are killed when it is over', async () => {
  const job = await bench.job({ timings: { afterCancel: 300 } })
  const quick = await bench.action({ main: READY, post: "say('never')" })
  const slow = await bench.action({ main: READY, post: `file('OUTPUT', 'a=1'); say('slow'); ${WAIT}` })
  await job.runStep({ action: quick, id: 'quick' }).done
  await job.runStep({ action: slow, id: 'slow' }).done
  const posts = await job.finish({ onLine: (line) => line === 'slow' && job.cancel() })
  expect(
    posts.map(({ id, conclusion, rawStdout, signals }) => ({ id, conclusion, rawStdout, signals })),
  ).toEqual([
    { id: 'slow', conclusion: 'cancelled', rawStdout: 'slow\n', signals: ['SIGKILL'] },
    { id: 'quick', conclusion: 'cancelled', rawStdout: '', signals: [] },
  ])
  expect(posts[0]?.outputs).toEqual({})
})

// A killed process may remain a zombie until its new parent collects it; that counts as gone.
async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (!isRunning(pid)) return true
    await pause(50)
  }
  return false
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux' || !readdirSync('/proc').includes(String(pid))) return true
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
