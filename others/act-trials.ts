import { deepStrictEqual } from 'node:assert'
import type { WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import { openCompany, pullRequest, push, workflow, type Company } from '../__tests__/recipes/company.js'
import { actProgram, runOnAct, type Ended } from './act.js'
import type { Trial } from './trial.js'

/** A workflow of the documents, and the events that it runs for, one after the other. */
interface Story {
  from: string
  events: readonly WorkflowEvent[]
  /** Of all steps of all runs: two runners that fail in the same way prove nothing. */
  verdicts: readonly string[]
}

const stories: readonly Story[] = [
  { from: 'README.md load-test.yml', events: [push, pullRequest], verdicts: ['passed', 'passed'] },
  // Outputs between steps and jobs.
  { from: 'docs/recipes/preview.yml', events: [pullRequest], verdicts: ['passed'] },
  // A job for each leg, and one that merges them, which needs those.
  {
    from: 'docs/recipes/matrix.yml',
    events: [push],
    verdicts: ['passed', 'passed', 'passed', 'passed'],
  },
]

/** The templates that these workflows name. */
const templates = [
  { number: 17, name: 'Webshop' },
  { number: 23, name: 'checkout' },
  { number: 31, name: 'login' },
]

/** act, a runner of workflows, compared with the local runner: the same workflows in the same environment. */
export async function actTrials(): Promise<Trial[]> {
  await actProgram()
  return stories.map((story) => ({
    what: `${story.from}: as on the local runner`,
    async try() {
      const [due, is] = await Promise.all([told(story, runLocally), told(story, runOnAct)])
      deepStrictEqual(due.verdicts, story.verdicts)
      deepStrictEqual(is, due)
    },
  }))
}

async function runLocally(
  company: Company,
  shown: ReturnType<typeof workflow>,
  event: WorkflowEvent,
): Promise<Ended> {
  const { conclusion, jobs, runId } = await company.run(shown, event)
  const steps = jobs.flatMap((job) => job.steps).filter(({ outcome }) => outcome !== 'skipped')
  return {
    ...{ runId, conclusion },
    steps: steps.map(({ stage, outcome }) => `${stage} ${outcome}`),
    outputs: steps.filter(({ stage }) => stage === 'main').map(({ outputs }) => outputs),
  }
}

/** The whole story on one runner, in its own company: all that can be seen of it. */
async function told({ from, events }: Story, runner: typeof runOnAct) {
  const company = await openCompany(templates)
  const { service, github } = company
  try {
    const runs: Ended[] = []
    for (const event of events) runs.push(await runner(company, workflow(from), event))
    return {
      verdicts: runs.flatMap(({ outputs }) => outputs.flatMap(({ verdict = [] }) => verdict)),
      runs: runs.map(({ runId, conclusion, steps, outputs }) => ({
        ...{ conclusion, steps: steps.sort(), outputs: comparable(outputs) },
        artifacts: github.store
          .artifactsOf(runId)
          // The records of a start have names with a digest.
          .filter(({ name }) => !name.startsWith('load-test-start-'))
          .map(({ name }) => name)
          .sort(),
      })),
      comments: github.store.commentsOf(pullRequest.number).map(({ body }) => body.split('\n', 1)[0]),
      starts: service.books.starts.map(({ template }) => template),
      archives: service.books.starts.map((_, start) => company.archived(start)),
    }
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
