import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { happeningOf, type WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import { readWorkflow } from '../sandbox/runner/workflow-file.js'
import type { ServiceSettings } from '../sandbox/service/settings.js'
import {
  openCompany,
  pullRequest,
  push,
  workflow,
  type Company,
  type Workflow,
} from '../__tests__/recipes/company.js'
import { eventTrials } from './act-events.js'
import { serve } from '../__tests__/step/front.js'
import { runOnAct, type ActOptions } from './act.js'
import { stories, templates, type Story } from './act-stories.js'
import { goProgram } from './cache.js'
import { defined } from '../src/text/fields.js'
import { equal, type Trial } from './trial.js'

/** act, a runner of workflows, compared with the local runner: the same workflows in the same environment. */
export async function actTrials(): Promise<Trial[]> {
  const act = await goProgram('github.com/nektos/act', '0.2.89')
  return [
    ...stories.map((story) => ({
      what: `${story.from}: as on the local runner`,
      thorough: story.brief !== true,
      try: () => asOnLocalRunner(act, story),
    })),
    ...eventTrials(act),
    {
      what: 'a cancelled job says which run is still going, and starts no other',
      try: () => cancelled(act),
    },
    {
      what: 'what the step attached is read back from the local GitHub, byte for byte',
      thorough: true,
      try: () => readBack(act, false),
    },
    {
      what: "what the step attached is read back from act's own artifact server and from its folder, byte for byte",
      try: () => readBack(act, true),
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
  const { machineEnv } = story
  const onLocalRunner: Runner = async (company, shown, event) => {
    const { secrets } = company.world
    const more = defined({ secrets, machineEnv: machineEnv?.(company) })
    const { conclusion, jobs, runId } = await company.run(shown, event, more)
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
    const options = machineEnv === undefined ? {} : { machineEnv: machineEnv(company) }
    const { conclusion, steps, outputs, runId } = await onActIn(act, company, shown, event, options)
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
async function told({ shown, happens, settings }: Story, runner: Runner) {
  return inCompany(async (company) => {
    const runs: Ended[] = []
    const chat = await listener()
    const secrets = { ...company.world.secrets, SLACK_WEBHOOK: chat.url, TEAMS_WEBHOOK: chat.url }
    const world = { ...company.world, secrets }
    try {
      for (const happen of happens) {
        const event = happen(company)
        runs.push(await runner({ ...company, world }, shown(company), event))
      }
    } finally {
      await chat.close()
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
      issues: [...company.github.store.issues.values()].map(({ title, labels }) => [title, labels]),
      posted: chat.posted.map((text) => text.replace(/(?<=\/runs\/)\d+/, 'N')).sort(),
      starts: startsOf(company),
      archives: starts.flatMap(({ archiveId }, index) =>
        archiveId === undefined ? [] : [company.archived(index)],
      ),
    }
  }, settings)
}

/** Slack and Teams. */
async function listener() {
  const posted: string[] = []
  const server = await serve((request, response) => {
    void buffer(request).then((body) => {
      posted.push(body.toString())
      response.end('ok')
    })
  })
  return { ...server, posted }
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
          comments: ['## ⚠️ Load test: cancelled, last seen as RUNNING'],
          artifacts: ['load-test-run'],
        },
      )
    },
    { secondsRunning: 600 },
  )
}

const attached = ['load-test-report.tar.gz', 'load-test-outcome.json']

/** A step of the workflow compares the bytes, like any reader of artifacts. */
async function readBack(act: string, ownArtifacts: boolean): Promise<void> {
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
  await inCompany(async (company) => {
    const options = { ownArtifacts }
    const ran = await onActIn(act, company, { ...shown, text }, push, options)
    const { conclusion, log, outputs, runId, refused } = ran
    const onGithub = artifactsOf(company, runId)
    equal(
      {
        ...{ conclusion, verdict: outputs[0]?.['verdict'], onGithub, refused },
        lines: log.filter((line) => line.startsWith('Read back')),
      },
      {
        ...{ conclusion: 'success', verdict: 'passed' },
        onGithub: ownArtifacts ? [] : [...attached, 'load-test-digest.html', 'load-test-run'].sort(),
        // When act accepts the field, these end, and the bridge can be removed.
        refused: ownArtifacts ? Array.from({ length: 6 }, () => 'CreateArtifact 500') : [],
        lines: [
          ...attached.map((name) => `Read back by the artifact client: ${name}`),
          ...(ownArtifacts ? attached.map((name) => `Read back from act's folder: ${name}`) : []),
        ],
      },
    )
  })
}

/** One run on act, in its own folder. */
async function onActIn(
  act: string,
  company: Company,
  shown: Workflow,
  event: WorkflowEvent,
  { machineEnv, ...options }: Omit<ActOptions, 'folder'> & { machineEnv?: Readonly<Record<string, string>> },
) {
  const { world } = company
  const { on, jobs } = readWorkflow(shown.text)
  const happening = happeningOf(on, event, world.origin)
  if (!happening) throw new Error(`${event.name} does not start ${shown.file}.`)
  const permissions = Object.fromEntries(jobs.flatMap((job) => Object.entries(job.permissions)))
  const folder = mkdtempSync(path.join(tmpdir(), 'act-'))
  try {
    return await runOnAct(
      act,
      { ...world, ...defined({ machineEnv }) },
      { workflow: shown, happening, permissions },
      { folder, ...options },
    )
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
