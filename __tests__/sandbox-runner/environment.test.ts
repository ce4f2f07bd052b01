import { realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Bench } from './little-action.js'

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

describe('inputs', () => {
  test('have their names, defaults and given values', async () => {
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

  test('fail the step if a default has an expression that is not allowed there', async () => {
    const { main } = await bench.run({ ...TELL, yaml: 'inputs: { a: { default: "${{ secrets.X }}" } }' })
    expect(main).toMatchObject({ conclusion: 'failure', exitCode: null, outputs: {} })
    expect(main.annotations[0]?.message).toContain("'secrets.X' cannot be evaluated")
  })
})

describe('the environment of a step', () => {
  test('describes the run', async () => {
    const { main, job } = await bench.run(
      TELL,
      { id: 'measure' },
      {
        github: {
          repository: 'acme/shop',
          sha: 'abc',
          ref: 'refs/pull/12/merge',
          headRef: 'feature',
          baseRef: 'main',
          eventName: 'pull_request',
          event: { number: 12 },
          runId: 5,
          runNumber: 6,
          runAttempt: 2,
          workflow: 'CI',
          job: 'perf',
          actor: 'ann',
          apiUrl: 'http://127.0.0.1:9/api',
        },
        artifactService: { url: 'http://127.0.0.1:9/', token: 'runtime-token' },
        machineEnv: { NODE_EXTRA_CA_CERTS: '/ca.pem', HTTPS_PROXY: 'http://proxy' },
      },
    )
    const { root, workspace, temp, tools } = job.folders
    expect(told(main.outputs)).toMatchObject({
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION: 'measure',
      GITHUB_RUN_ID: '5',
      GITHUB_RUN_NUMBER: '6',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_JOB: 'perf',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_REPOSITORY_OWNER: 'acme',
      GITHUB_SHA: 'abc',
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_REF_NAME: '12/merge',
      GITHUB_REF_TYPE: 'branch',
      GITHUB_HEAD_REF: 'feature',
      GITHUB_BASE_REF: 'main',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: join(temp, '_github_workflow', 'event.json'),
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_API_URL: 'http://127.0.0.1:9/api',
      GITHUB_GRAPHQL_URL: 'http://127.0.0.1:9/api/graphql',
      GITHUB_WORKFLOW: 'CI',
      GITHUB_WORKSPACE: workspace,
      GITHUB_ACTOR: 'ann',
      GITHUB_RETENTION_DAYS: '90',
      RUNNER_TEMP: temp,
      RUNNER_TOOL_CACHE: tools,
      RUNNER_NAME: 'sandbox',
      RUNNER_ENVIRONMENT: 'github-hosted',
      ACTIONS_RUNTIME_TOKEN: 'runtime-token',
      ACTIONS_RESULTS_URL: 'http://127.0.0.1:9/',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      HTTPS_PROXY: 'http://proxy',
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      cwd: workspace,
      version: expect.stringMatching(/^v(2[4-9]|[3-9]\d)\./),
    })
    expect(told(main.outputs)['RUNNER_OS']).toMatch(/^(Linux|macOS|Windows)$/)
    expect(told(main.outputs)['RUNNER_ARCH']).toMatch(/^(X64|ARM64|X86|ARM)$/)
    expect(basename(workspace)).toBe('shop')
    expect(await realpath(workspace)).toContain(root)
  })

  test('has nothing from this process except PATH and HOME', async () => {
    process.env['DEVELOPERS_OWN'] = 'private'
    const { main } = await bench.run(TELL)
    delete process.env['DEVELOPERS_OWN']
    const foreign = Object.keys(told(main.outputs)).filter(
      (name) => !/^(GITHUB_|RUNNER_|CI$|PATH$|HOME$|cwd$|version$)/.test(name),
    )
    expect(foreign).toEqual([])
    expect(told(main.outputs)['GITHUB_TOKEN']).toBeUndefined()
  })

  test('contexts override the variables of the workflow, CI does not', async () => {
    const { main } = await bench.run(
      TELL,
      { env: { GITHUB_SHA: 'forged', CI: 'no', OWN: 'step' } },
      { env: { OWN: 'job', JOB: '${{ github.job }}' } },
    )
    expect(told(main.outputs)).toMatchObject({
      GITHUB_SHA: expect.not.stringContaining('forged'),
      CI: 'no',
      OWN: 'step',
      JOB: 'load-test',
    })
  })

  test('steps without an id are named as the real runner does', async () => {
    const job = await bench.job()
    const action = await bench.action(TELL)
    const ids = [undefined, undefined, 'own'].map((id) => (id === undefined ? {} : { id }))
    const names: (string | undefined)[] = []
    for (const id of ids)
      names.push(told((await job.runStep({ action, ...id }).done).outputs)['GITHUB_ACTION'])
    expect(names).toEqual(['__self', '__self_2', 'own'])
  })
})

describe('a step that cannot run', () => {
  test('a missing folder, a missing script and a wrong expression end in a failed step', async () => {
    const job = await bench.job()
    const gone = await job.runStep({ action: join(bench.folder, 'gone') }).done
    expect(gone.conclusion).toBe('failure')
    expect(gone.annotations[0]?.message).toContain('There is no action.yml')
    const unbuilt = await bench.action({ main: '', post: '' })
    await rm(join(unbuilt, 'main.mjs'))
    const missing = await job.runStep({ action: unbuilt, if: 'always()' }).done
    expect(missing.annotations[0]?.message).toContain(`${join(unbuilt, 'main.mjs')}. Build it first.`)
    const wrong = await job.runStep({ action: unbuilt, if: 'whatever()' }).done
    expect(wrong.annotations[0]?.message).toContain("Unrecognized function: 'whatever'")
    const wrongEnv = await job.runStep({ action: unbuilt, if: 'always()', env: { A: '${{ nope }}' } }).done
    expect(wrongEnv.annotations[0]?.message).toContain("'nope' cannot be evaluated")
    expect(await job.finish()).toEqual([])
  })

  test('steps are refused when they overlap or share an id', async () => {
    const job = await bench.job()
    const action = await bench.action({ main: '' })
    const first = job.runStep({ action, id: 'a' })
    await expect(job.runStep({ action, id: 'b' }).done).rejects.toThrow(
      "Step 'b' cannot start: 'a' is still running.",
    )
    await first.done
    expect(() => job.runStep({ action, id: 'a' })).toThrow("This job already has a step 'a'.")
    expect(() => job.runStep({ action, id: '__a' })).toThrow('is not valid')
  })

  test("a missing Node is the caller's fault", async () => {
    const job = await bench.job({ node: '/nowhere/node' })
    const step = job.runStep({ action: await bench.action({ main: '' }) })
    await expect(step.done).rejects.toThrow('The step cannot be started on /nowhere/node')
  })
})
