import { readFileSync } from 'node:fs'
import AdmZip from 'adm-zip'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { hurried, onPull, own, startSandbox, type Sandbox } from './sandbox.js'
import { inJob } from './several-steps.js'
import { daily, thorough } from '../daily.js'

/*
 * GitHub Enterprise Server through dist/: artifacts go to the older service, and are read from it and from the API.
 */

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
  sandbox.github.settings.enterprise = true
})
afterEach(() => sandbox.close())

const artifactsOf = (runId: number) =>
  sandbox.github.store
    .artifactsOf(runId)
    .map(({ name }) => name)
    .sort()

/** The only file of an artifact, from the API. */
function fileOf(name: string, runId: number): Buffer {
  const [entry, other] = new AdmZip(sandbox.github.store.artifact(name, runId)?.path ?? '').getEntries()
  expect(other).toBeUndefined()
  expect(entry?.entryName).toBe(name)
  return entry?.getData() ?? Buffer.alloc(0)
}

function outcomeOf(name: string, runId: number): LoadTestOutcome {
  const outcome = JSON.parse(fileOf(name, runId).toString()) as LoadTestOutcome
  expect(validateOutcome(outcome)).toEqual([])
  return outcome
}

thorough(
  'what is attached can be read by a step of the same job, and by the next run as its baseline',
  async () => {
    const github = { ...onPull, runId: 800 }
    const [ran, judged] = await inJob(sandbox, { github, machineEnv: hurried }, async ({ job, step }) => {
      const first = await job.runStep(step({ 'retention-days': '7' })).done
      expect(
        fileOf('load-test-report.tar.gz', 800).equals(readFileSync(first.outputs['report-path'] ?? '')),
      ).toBe(true)
      const inputs = { report: 'artifact:load-test-report', name: 'again' }
      return [first, await job.runStep({ action: own('judge'), inputs }).done]
    })
    expect(ran.outputs['verdict']).toBe('passed')
    expect(ran.annotations.filter(({ kind }) => kind === 'warning')).toEqual([])
    expect(judged.outputs['verdict']).toBe('passed')
    expect(artifactsOf(800).filter((name) => !name.startsWith('load-test-start-'))).toEqual([
      'again-digest.html',
      'again-outcome.json',
      'load-test-digest.html',
      'load-test-outcome.json',
      'load-test-report.tar.gz',
      expect.stringMatching(/^load-test-run-[0-9a-f]{12}\.json$/),
    ])
    expect(fileOf('load-test-digest.html', 800).toString()).toMatch(/^<!doctype html>/i)
    const page = `${sandbox.github.serverUrl}/${sandbox.github.settings.repository}/actions/runs/800#artifacts`
    const artifact = { url: page, name: 'load-test-report.tar.gz' }
    for (const name of ['load-test-outcome.json', 'again-outcome.json']) {
      expect(outcomeOf(name, 800).report?.artifact).toEqual(artifact)
    }
    expect(sandbox.github.store.commentsOf(7)[0]?.body).toContain(`(<${page}>)`)
    expect(ran.outputs['report-artifact-url']).toBe(page)
    expect(ran.outputs['report-artifact-id']).toBe(undefined)

    // A run of main.
    await sandbox.run({}, { job: { github: { runId: 802 } } })
    sandbox.github.seed.run({ id: 802 })
    const inputs = { baseline: 'artifact', gates: 'requests p95 <= baseline + 20 %' }
    const next = await sandbox.run(inputs, { job: { github: { ...onPull, runId: 801 } } })
    expect(next.outputs['verdict']).toBe('passed')
    expect(outcomeOf('load-test-outcome.json', 801).comparison?.baseline).toMatchObject({ runs: 1 })
  },
)

daily('if the report cannot be attached, green becomes red', async () => {
  sandbox.github.settings.refusedArtifacts = ['load-test-report.tar.gz']
  const refused = await sandbox.run()
  expect(refused.outputs['verdict']).toBe('error')
  expect(refused.log).toMatch(
    /load-test-report\.tar\.gz could not be attached to the workflow run: The storage quota for artifacts has been hit/,
  )
})
