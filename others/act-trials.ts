import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import type { ServiceSettings } from '../sandbox/service/settings.js'
import {
  openCompany,
  pullRequest,
  push,
  workflow,
  type Company,
  type Workflow,
} from '../__tests__/recipes/company.js'
import { runOnAct } from './act.js'
import { goProgram } from './cache.js'
import { equal, type Trial } from './trial.js'

const templates = [
  { number: 17, name: 'Shop' },
  { number: 23, name: 'Checkout' },
  { number: 31, name: 'Login' },
  {
    number: 5,
    name: 'Shop from Git',
    source: { git: { url: 'https://git.example.com/shop/load-tests.git', branch: 'main' } },
  },
]

/**
 * Workflows of the documents, and the events of each in order; those that need more than a checkout are left to the
 * local runner.
 */
const stories: readonly (readonly [string, readonly WorkflowEvent[]])[] = [
  ['README.md load-test.yml', [push, pullRequest]],
  ['docs/recipes/pull-request.yml', [pullRequest]],
  ['docs/recipes/nightly.yml', [{ name: 'schedule', cron: '17 2 * * *' }]],
  ['docs/recipes/git-template.yml', [push]],
  ['docs/recipes/preview.yml', [pullRequest]],
  ['docs/recipes/matrix.yml', [push]],
]

/** One step starts a run and the next collects it, once for each leg of a matrix. */
const handedOn: Workflow = {
  from: 'a workflow of its own',
  file: 'handed-on.yml',
  text: `on: push
permissions:
  contents: read
jobs:
  load-test:
    runs-on: ubuntu-latest
    strategy:
      max-parallel: 1
      matrix:
        template: [17, 23]
    steps:
      - uses: actions/checkout@v5
      - id: start
        uses: load-test-action/load-test-action@v1
        with:
          mode: start
          load-test: \${{ matrix.template }}
          ${settings()}
      - uses: load-test-action/load-test-action@v1
        with:
          mode: collect
          run-number: \${{ steps.start.outputs.run-number }}
          report-artifact: report-\${{ matrix.template }}
          outcome-artifact: outcome-\${{ matrix.template }}
          ${settings()}
`,
}

function settings(): string {
  return [
    'base-url: https://loadtest.example.com',
    'client-id: ${{ secrets.LOADTEST_CLIENT_ID }}',
    'client-secret: ${{ secrets.LOADTEST_CLIENT_SECRET }}',
    'organization: my-org',
    'project: my-project',
  ].join('\n          ')
}

/** act, a runner of workflows, compared with the local runner: the same workflows in the same surroundings. */
export async function actTrials(): Promise<Trial[]> {
  const act = await goProgram('github.com/nektos/act', '0.2.89')
  return [
    ...stories.map(([from, events]) => ({
      what: `${from} ends as on the local runner`,
      try: () => asOnLocalRunner(act, workflow(from), events),
    })),
    {
      what: 'outputs between steps, a matrix and post steps are as on the local runner',
      try: () => asOnLocalRunner(act, handedOn, [push]),
    },
    {
      what: 'a cancelled job says which run is still going, and starts no other',
      try: () => cancelled(act),
    },
    {
      what: 'the artifact client reads back what the step attached, byte for byte',
      try: () => readBack(act),
    },
  ]
}

async function asOnLocalRunner(
  act: string,
  shown: Workflow,
  events: readonly WorkflowEvent[],
): Promise<void> {
  const onLocalRunner = await inCompany(async (company) => {
    const runs: unknown[] = []
    for (const event of events) {
      const { conclusion, jobs, runId } = await company.run(shown, event)
      const steps = jobs.flatMap((job) => job.steps)
      runs.push({
        conclusion,
        steps: steps
          .filter(({ outcome }) => outcome !== 'skipped')
          .map(({ stage, outcome }) => `${stage} ${outcome}`)
          .sort(),
        outputs: told(steps.filter(({ stage }) => stage === 'main').map(({ outputs }) => outputs)),
        artifacts: artifactsOf(company, runId),
      })
    }
    return { runs, comments: commentsIn(company), starts: startsOf(company) }
  })
  const onAct = await inCompany(async (company, folder) => {
    const runs: unknown[] = []
    for (const event of events) {
      const { conclusion, steps, outputs, runId } = await runOnAct(act, company, shown, event, { folder })
      runs.push({
        conclusion,
        steps: steps.map((step) => step.replace(/ .* /, ' ')).sort(),
        outputs: told(outputs),
        artifacts: artifactsOf(company, runId),
      })
    }
    return { runs, comments: commentsIn(company), starts: startsOf(company) }
  })
  equal(onAct, onLocalRunner)
}

/** At SIGINT, act kills a step without the runner's seconds of grace, and runs its post step. */
async function cancelled(act: string): Promise<void> {
  const shown = workflow('docs/recipes/pull-request.yml')
  await inCompany(
    async (company, folder) => {
      const interruptAt = /is RUNNING/
      const { conclusion, steps, runId } = await runOnAct(act, company, shown, pullRequest, {
        ...{ folder, interruptAt },
      })
      equal(
        {
          conclusion,
          steps: steps.map((step) => step.replace(/ .* /, ' ')),
          starts: startsOf(company),
          comments: commentsIn(company).map((line) => line?.replace(/\d+/, 'N')),
          artifacts: artifactsOf(company, runId),
        },
        {
          conclusion: 'failure',
          steps: ['main success', 'main failure', 'post success'],
          starts: [17],
          comments: ['## ⚠️ Cancelled: load test N was last seen as RUNNING'],
          artifacts: ['load-test-run'],
        },
      )
    },
    { secondsRunning: 600 },
  )
}

/** A step of the workflow compares the bytes, like any reader of artifacts. */
async function readBack(act: string): Promise<void> {
  const script = path.resolve('others/read-back.ts')
  const shown = workflow('docs/recipes/git-template.yml')
  const step = `      - run: node ${script} "$REPORT" "$OUTCOME"
        env:
          REPORT: \${{ steps.load-test.outputs.report-path }}
          OUTCOME: \${{ steps.load-test.outputs.outcome }}
`
  const text = shown.text
    .replace('- uses: load-test-action', '- id: load-test\n        uses: load-test-action')
    .concat(step)
  await inCompany(async (company, folder) => {
    const { conclusion, log, outputs } = await runOnAct(act, company, { ...shown, text }, push, { folder })
    const lines = log.filter((line) => line.startsWith('Read back:'))
    equal(
      { conclusion, verdict: outputs[0]?.['verdict'], lines },
      {
        conclusion: 'success',
        verdict: 'passed',
        lines: ['Read back: load-test-report.tar.gz', 'Read back: load-test-outcome.json'],
      },
    )
  })
}

async function inCompany<T>(
  body: (company: Company, folder: string) => Promise<T>,
  settings: Partial<ServiceSettings> = {},
): Promise<T> {
  const company = await openCompany(templates, settings)
  const folder = mkdtempSync(path.join(tmpdir(), 'act-'))
  try {
    return await body(company, folder)
  } finally {
    await company.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Outputs without paths, which differ from runner to runner. */
function told(outputs: readonly Record<string, string>[]): unknown {
  return outputs
    .map((all) => {
      const kept = Object.entries(all).filter(([, value]) => value !== '' && !value.startsWith('/'))
      return JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => a.localeCompare(b))))
    })
    .filter((one) => one !== '{}')
    .sort()
}

const artifactsOf = ({ github }: Company, run: number) =>
  github.store
    .artifactsOf(run)
    // The name of a started run's note contains a digest of the runner's name for the step.
    .map(({ name }) => name.replace(/^load-test-run-.*/, 'load-test-run'))
    .sort()
const commentsIn = ({ github }: Company) =>
  github.store.commentsOf(7).map(({ body }) => body.split('\n', 1)[0])
const startsOf = ({ service }: Company) => service.books.starts.map(({ template }) => template)
