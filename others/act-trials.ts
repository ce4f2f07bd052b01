import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { happeningOf, type WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import { readWorkflow } from '../sandbox/runner/workflow-file.js'
import type { ServiceSettings } from '../sandbox/service/settings.js'
import {
  openCompany,
  pullRequest,
  push,
  workflow,
  type Company,
  type Template,
  type Workflow,
} from '../__tests__/recipes/company.js'
import { runOnAct, type ActOptions } from './act.js'
import { goProgram } from './cache.js'
import { equal, type Trial } from './trial.js'

/** A workflow and the events that it runs for, one after the other. */
interface Story {
  from: string
  shown: () => Workflow
  /** One event for each run; it may change the company first. */
  happens: readonly ((company: Company) => WorkflowEvent)[]
  /** Expected from all steps of all runs: two runners that fail in the same way prove nothing. */
  verdicts: readonly string[]
}

/** The templates that the documents' workflows name. */
const templates: readonly Template[] = [
  { number: 17, name: 'Webshop' },
  { number: 23, name: 'checkout' },
]

const merged = () => push
const readme = 'README.md load-test.yml'

const stories: readonly Story[] = [
  {
    from: readme,
    shown: () => workflow(readme),
    happens: [merged, () => pullRequest],
    verdicts: ['passed', 'passed'],
  },
  handedOn(),
  withoutService(),
]

/** One step starts a run and the next collects it, once for each leg of a matrix. */
function handedOn(): Story {
  const settings = [
    'base-url: https://loadtest.example.com',
    'client-id: ${{ secrets.LOADTEST_CLIENT_ID }}',
    'client-secret: ${{ secrets.LOADTEST_CLIENT_SECRET }}',
    'organization: my-org',
    'project: my-project',
  ].join('\n          ')
  const from = 'outputs between steps, a matrix and post steps'
  const text = `on: push
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
      - uses: actions/checkout@v7
      - id: start
        uses: load-test-action/load-test-action@v1
        with:
          mode: start
          load-test: \${{ matrix.template }}
          ${settings}
      - uses: load-test-action/load-test-action@v1
        with:
          mode: collect
          run-number: \${{ steps.start.outputs.run-number }}
          name: load-\${{ matrix.template }}
          ${settings}
`
  return {
    from,
    shown: () => ({ from, file: 'handed-on.yml', text }),
    happens: [merged],
    verdicts: ['started', 'passed', 'started', 'passed'],
  }
}

/** The actions in folders of the repository, one after the other. */
function withoutService(): Story {
  const from = 'judge, merge and history in one job'
  const text = `on: push
permissions:
  actions: read
  contents: read
jobs:
  judge:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: load-test-action/load-test-action/judge@v1
        with:
          report: report/testreport.xml
          name: load-test-one
      - uses: load-test-action/load-test-action/merge@v1
        with:
          legs: one
      - uses: load-test-action/load-test-action/history@v1
`
  return {
    from,
    shown: () => ({ from, file: 'without-service.yml', text }),
    happens: [
      ({ commit }) => {
        const report = readFileSync('__tests__/engine/golden/10.0.0-beta-1/normal/testreport.xml', 'utf8')
        commit('main', { 'report/testreport.xml': report })
        return push
      },
    ],
    verdicts: ['passed', 'passed', 'passed'],
  }
}

export const actProgram = () => goProgram('github.com/nektos/act', '0.2.89')

/** act, a runner of workflows, compared with the local runner: the same workflows in the same environment. */
export async function actTrials(): Promise<Trial[]> {
  const act = await actProgram()
  return [
    ...stories.map((story) => ({
      what: `${story.from}: as on the local runner`,
      try: () => asOnLocalRunner(act, story),
    })),
    {
      what: 'a cancelled job says which run is still going, and starts no other',
      try: () => cancelled(act),
    },
  ]
}

/** The results of a workflow run, the same on each runner. */
interface Ended {
  conclusion: string
  steps: string[]
  outputs: Record<string, string>[]
  artifacts: unknown
}
type Runner = (company: Company, shown: Workflow, event: WorkflowEvent) => Promise<Ended>

async function asOnLocalRunner(act: string, story: Story): Promise<void> {
  const onLocalRunner: Runner = async (company, shown, event) => {
    const { conclusion, jobs, runId } = await company.run(shown, event)
    const steps = jobs.flatMap((job) => job.steps)
    return {
      conclusion,
      steps: steps
        .filter(({ outcome }) => outcome !== 'skipped')
        .map(({ stage, outcome }) => `${stage} ${outcome}`),
      outputs: steps.filter(({ stage }) => stage === 'main').map(({ outputs }) => outputs),
      artifacts: artifactsOf(company, runId),
    }
  }
  const onAct: Runner = async (company, shown, event) => {
    const { conclusion, steps, outputs, runId } = await onActIn(act, company, shown, event)
    return {
      conclusion,
      steps: steps.map((step) => step.replace(/ [^]* /, ' ')),
      outputs,
      artifacts: artifactsOf(company, runId),
    }
  }
  const [due, is] = await Promise.all([told(story, onLocalRunner), told(story, onAct)])
  equal(due.verdicts, [...story.verdicts])
  equal(is, due)
}

/** The whole story on one runner, in its own company. */
async function told({ shown, happens }: Story, runner: Runner) {
  return inCompany(async (company) => {
    const runs: Ended[] = []
    for (const happen of happens) {
      const event = happen(company)
      runs.push(await runner(company, shown(), event))
    }
    const { starts } = company.service.books
    return {
      verdicts: runs.flatMap(({ outputs }) => outputs.flatMap(({ verdict = [] }) => verdict)),
      runs: runs.map(({ steps, outputs, ...rest }) => ({
        ...rest,
        steps: steps.sort(),
        outputs: comparable(outputs),
      })),
      comments: commentsIn(company),
      starts: startsOf(company),
      archives: starts.flatMap(({ archiveId }, index) =>
        archiveId === undefined ? [] : [company.archived(index)],
      ),
    }
  })
}

/** At SIGINT, act kills a step without the runner's seconds of grace, and runs its post step. */
async function cancelled(act: string): Promise<void> {
  const shown = workflow('docs/recipes/pull-request.yml')
  await inCompany(
    async (company) => {
      const interruptAt = /is RUNNING/
      const { conclusion, steps, runId } = await onActIn(act, company, shown, pullRequest, { interruptAt })
      equal(
        {
          conclusion,
          steps: steps.map((step) => step.replace(/ [^]* /, ' ')),
          starts: startsOf(company),
          comments: commentsIn(company).map((line) => line?.replace(/\d+/, 'N')),
          artifacts: artifactsOf(company, runId),
        },
        {
          conclusion: 'failure',
          steps: ['main success', 'main failure', 'post success'],
          starts: [17],
          comments: ['## ⚠️ Load test: no verdict, the job was cancelled'],
          artifacts: ['load-test-run'],
        },
      )
    },
    { secondsRunning: 600 },
  )
}

/** One run on act, in its own folder. */
export async function onActIn(
  act: string,
  company: Company,
  shown: Workflow,
  event: WorkflowEvent,
  options: Omit<ActOptions, 'folder'> = {},
) {
  const { world } = company
  const { on, jobs } = readWorkflow(shown.text)
  const happening = happeningOf(on, event, world.origin)
  if (!happening) throw new Error(`${event.name} does not start ${shown.file}.`)
  const permissions = Object.fromEntries(jobs.flatMap((job) => Object.entries(job.permissions)))
  const folder = mkdtempSync(path.join(tmpdir(), 'act-'))
  try {
    return await runOnAct(act, world, { workflow: shown, happening, permissions }, { folder, ...options })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inCompany<T>(
  body: (company: Company) => Promise<T>,
  settings: Partial<ServiceSettings> = {},
): Promise<T> {
  const company = await openCompany(templates, settings)
  try {
    return await body(company)
  } finally {
    await company.close()
  }
}

/** Outputs without what differs from company to company: paths, and moments and commits inside the values. */
function comparable(outputs: readonly Record<string, string>[]): string[] {
  return outputs
    .map((all) => {
      const kept = Object.entries(all).filter(([, value]) => value !== '' && !value.startsWith('/'))
      return JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => a.localeCompare(b))))
        .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'moment')
        .replace(/\b[0-9a-f]{40}\b/g, 'commit')
    })
    .filter((one) => one !== '{}')
    .sort()
}

const artifactsOf = ({ github }: Company, run: number) =>
  github.store
    .artifactsOf(run)
    // The records of a start have names with a digest; the name of a started run's note contains one of the step.
    .filter(({ name }) => !name.startsWith('load-test-start-'))
    .map(({ name }) => name.replace(/^load-test-run-.*/, 'load-test-run'))
    .sort()
const commentsIn = ({ github }: Company) =>
  github.store.commentsOf(7).map(({ body }) => body.split('\n', 1)[0])
const startsOf = ({ service }: Company) => service.books.starts.map(({ template }) => template)
