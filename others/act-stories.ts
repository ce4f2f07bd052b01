import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import {
  ask,
  pullRequest,
  push,
  workflow,
  type Company,
  type Template,
  type Workflow,
} from '../__tests__/recipes/company.js'

/** A workflow and the events that it runs for, one after the other. */
export interface Story {
  from: string
  shown: (company: Company) => Workflow
  /** One event for each run; it may change the company first. */
  happens: readonly ((company: Company) => WorkflowEvent)[]
  /** Expected from all steps of all runs: two runners that fail in the same way prove nothing. */
  verdicts: readonly string[]
  /** Part of `npm run others -- --brief`. */
  brief?: true
}

/** The templates that the documents' workflows name. */
export const templates: readonly Template[] = [
  { number: 17, name: 'Webshop' },
  { number: 23, name: 'checkout' },
  { number: 31, name: 'search' },
]

const merged = () => push
const pulled = () => pullRequest
/** From now on the system under test is slower. */
const pulledSlower = ({ service }: Company) => {
  service.settings.slowdown = 1.5
  return pullRequest
}
/** The head of the pull request is known to GitHub. */
const pushed = ({ github, world }: Company) => {
  const commit = execFileSync('git', ['rev-parse', 'faster'], { cwd: world.origin.folder })
  github.seed.push({ branch: 'faster', commit: commit.toString().trim() })
}
/** A workflow exactly as the documents show it. */
const asShown = (
  from: string,
  happens: Story['happens'],
  verdicts: Story['verdicts'],
  more: Partial<Story> = {},
): Story => ({ from, shown: () => workflow(from), happens, verdicts, ...more })

export const stories: readonly Story[] = [
  asShown('README.md load-test.yml', [merged, pulled], ['passed', 'passed'], { brief: true }),
  asShown('docs/recipes/baseline.yml', [merged, pulledSlower], ['passed', 'failed']),
  asShown(
    'docs/recipes/matrix.yml',
    [merged, pulled],
    Array.from({ length: 8 }, () => 'passed'),
  ),
  asShown(
    'docs/recipes/accept.yml',
    [
      merged,
      (company) => {
        pushed(company)
        return pulledSlower(company)
      },
      ({ github }) => {
        github.seed.role('olga', 'write')
        github.seed.label(7, 'accepted-regression', 'olga', { at: new Date(Date.now() + 60_000) })
        return { ...pullRequest, action: 'labeled', label: 'accepted-regression' }
      },
    ],
    ['passed', 'failed', 'accepted'],
  ),
  {
    ...asShown('docs/recipes/on-demand.yml', [], ['passed', 'passed', 'error']),
    // Its baseline is the run of the workflow that tests main.
    shown: ({ github }) =>
      workflow(github.store.runs.length === 0 ? 'README.md load-test.yml' : 'docs/recipes/on-demand.yml'),
    happens: [
      merged,
      (company) => {
        pushed(company)
        company.github.seed.role('olga', 'write')
        return ask
      },
      () => ({ ...ask, login: 'mallory' }),
    ],
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
          name: load-test-\${{ matrix.template }}
          ${settings}
`
  return {
    from,
    shown: () => ({ from, file: 'handed-on.yml', text }),
    happens: [merged],
    verdicts: ['started', 'passed', 'started', 'passed'],
    brief: true,
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
    brief: true,
  }
}
