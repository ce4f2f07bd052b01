import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { node24 } from '../../sandbox/runner/node24.js'
import { action } from './sandbox.js'

const notes = {
  workflowRun: { workflowRunId: 1, repositoryOwner: 'o', repositoryName: 'r' },
  stepName: 's',
}
const start = (highest: number) => ({
  ...{ service: 'https://x.test', organization: 'o', project: 'p', template: 1, attempt: 1 },
  ...{ id: 'a', at: '2026-11-23T10:00:00Z', highest },
})

/** What the post step writes if it cannot even have a folder, by the plan that the main step has left. */
function afterAFault(left: object, more: Record<string, string> = {}): string {
  const step = { actionVersion: '1', startedAt: '2026-11-23T10:00:00Z' }
  const plan = { mode: 'run', step, notes, start: start(2), ...left }
  const env = { STATE_plan: JSON.stringify(plan), RUNNER_TEMP: '/dev/null', ...more }
  return spawnSync(node24(), [path.join(action, 'dist/post.js')], { env, encoding: 'utf8' }).stdout
}

test.each([
  ['has ended', { run: { number: 17 }, settled: true }, 'Load test 17 has ended. To judge it later'],
  [
    'may be running',
    { run: { number: 17, url: 'https://x.test/17' } },
    'Load test 17 may still be running. If it is, and you no longer need it, stop it at https://x.test/17. To judge it later',
  ],
])('a fault of the post step itself: the run %s', (_what, left, due) => {
  const said = afterAFault(left)
  expect(said).toContain(`::warning::${due}`)
  expect(said).toContain('run-number: 17')
  expect(said).toContain(
    '::warning::No folder for the files of this step could be created in /dev/null: ENOTDIR',
  )
})

// Each field is damaged in github/plan.test.ts.
test('a plan that is damaged is a warning in one sentence', () => {
  const said = afterAFault({ start: {} })
  expect(said).toMatch(/^::warning::What became of this step is not known, .* Look at its log, .*\n$/)
  expect(said).not.toMatch(/TypeError|undefined|Cannot read/)
})

test('the post step carries out the plan of a project with 21,800 load tests, whatever its inputs and event are', () => {
  const more = {
    ...{
      INPUT_GATES: 'gone.yml',
      INPUT_BASELINE: 'gone.json',
      INPUT_MODE: 'nonsense',
      INPUT_TIMEOUT: 'soon',
    },
    GITHUB_EVENT_NAME: 'pull_request_target',
  }
  const said = afterAFault({ start: start(21_800) }, more)
  expect(said).toContain('::warning::A copy of load test 1 may be running all the same')
  expect(said).not.toMatch(/gone|nonsense|soon|Nothing is packed/)
})

test('a reader of the log that comes late gets every line, the annotations and the verdict', () => {
  const temp = mkdtempSync(path.join(tmpdir(), 'late-'))
  // More than the 64 kB that a pipe holds.
  const gates = `${'g'.repeat(200)}.yml`
  writeFileSync(path.join(temp, gates), '- nonsense\n'.repeat(900))
  // The end of the step does not wait for `cat`, which begins after it.
  const late = spawnSync(
    'sh',
    ['-c', '"$0" "$1" | { sleep 1; cat; }', node24(), path.join(action, 'dist/judge.js')],
    {
      env: { PATH: process.env['PATH'], RUNNER_TEMP: temp, GITHUB_WORKSPACE: temp, INPUT_GATES: gates },
      encoding: 'utf8',
    },
  )
  rmSync(temp, { recursive: true })
  expect(late.stdout.length).toBeGreaterThan(80 * 1024)
  expect(late.stdout).toContain(`${gates}, line 200, `)
  expect(late.stdout).toMatch(/^::error /m)
  expect(late.stdout).toMatch(/Load test: no verdict\. /)
})
