import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { WorkflowEvent } from '../sandbox/runner/workflow-event.js'
import type { ServiceSettings } from '../sandbox/service/settings.js'
import {
  ask,
  edited,
  pullRequest,
  push,
  workflow,
  type Company,
  type Template,
  type Workflow,
} from '../__tests__/recipes/company.js'
import { ownEngine, standInEngine } from '../__tests__/recipes/stand-in-engine.js'

/** A workflow and the events that it runs for, one after the other. */
export interface Story {
  from: string
  shown: (company: Company) => Workflow
  /** One event for each run; it may change the company first. */
  happens: readonly ((company: Company) => WorkflowEvent)[]
  /** Expected from all steps of all runs: two runners that fail in the same way prove nothing. */
  verdicts: readonly string[]
  settings?: Partial<ServiceSettings>
  /** Instead of the company's own. */
  machineEnv?: (company: Company) => Readonly<Record<string, string>>
  /** Part of `npm run others -- --brief`. */
  brief?: true
}

/** The templates that the documents' workflows name. */
export const templates: readonly Template[] = [
  {
    number: 5,
    name: 'Shop from Git',
    source: { git: { url: 'https://git.example.com/shop/load-tests.git', branch: 'main' } },
  },
  { number: 6, name: 'Shop' },
  { number: 17, name: 'Webshop' },
  { number: 23, name: 'checkout' },
  { number: 31, name: 'search' },
  { number: 40, name: 'Endurance, 24 hours' },
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
const pushedSlower = (company: Company) => {
  pushed(company)
  return pulledSlower(company)
}
const accepted = ({ github }: Company) => {
  github.seed.role('olga', 'write')
  github.seed.label(7, 'accepted-regression', 'olga', { at: new Date(Date.now() + 60_000) })
}
const queue = {
  name: 'merge_group',
  base: pullRequest.base,
  pulls: [{ number: pullRequest.number, branch: pullRequest.branch }],
} as const
const night = () => ({ name: 'schedule', cron: '17 2 * * *' }) as const

/** A workflow exactly as the documents show it. */
const asShown = (
  from: string,
  happens: Story['happens'],
  verdicts: Story['verdicts'],
  more: Partial<Story> = {},
): Story => ({ from, shown: () => workflow(from), happens, verdicts, ...more })

/** Only the local runner runs these; what in them needs more than act has. */
export const leftToLocalRunner: Readonly<Record<string, string>> = {
  'docs/recipes/endurance.yml': 'uses: actions/cache/',
}

export const stories: readonly Story[] = [
  asShown('README.md load-test.yml', [merged, pulled], ['passed', 'passed'], { brief: true }),
  asShown(
    'docs/recipes/pull-request.yml',
    [
      pulled,
      ({ service }) => {
        service.settings.errorRate = 0.2
        return pullRequest
      },
    ],
    ['passed', 'failed'],
  ),
  asShown('docs/recipes/baseline.yml', [merged, pulledSlower], ['passed', 'failed']),
  // The first minute does not reach the throughput of a night.
  asShown('docs/recipes/nightly.yml', [night, night], ['passed', 'passed'], {
    settings: { simulatedMinutes: 10 },
  }),
  asShown('docs/recipes/git-template.yml', [merged], ['passed']),
  asShown('docs/recipes/preview.yml', [pulled], ['passed']),
  asShown(
    'docs/recipes/monorepo.yml',
    [
      ({ commit }) => {
        commit('faster', {
          'load-tests/shop/pom.xml': '<project/>\n',
          'load-tests/shop/docs/manual.md': 'A manual.\n',
          'services/stock/main.ts': 'export {}\n',
        })
        return pullRequest
      },
    ],
    ['passed'],
  ),
  asShown(
    'docs/recipes/matrix.yml',
    [merged, pulled],
    ['passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'passed'],
  ),
  asShown(
    'docs/recipes/accept.yml',
    [
      merged,
      pushedSlower,
      (company) => {
        accepted(company)
        return { ...pullRequest, action: 'labeled', label: 'accepted-regression' }
      },
    ],
    ['passed', 'failed', 'accepted'],
  ),
  asShown(
    'docs/recipes/merge-queue.yml',
    [
      merged,
      pushedSlower,
      () => queue,
      (company) => {
        accepted(company)
        return queue
      },
    ],
    ['passed', 'failed', 'failed', 'accepted'],
  ),
  asShown(
    'docs/recipes/base-and-head.yml',
    [() => ({ ...pullRequest, action: 'labeled', label: 'compare-with-base' })],
    ['passed', 'passed'],
  ),
  asShown(
    'docs/recipes/notify.yml',
    [
      merged,
      ({ service }) => {
        service.settings.errorRate = 0.2
        return push
      },
    ],
    ['passed', 'failed'],
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
  {
    ...asShown('docs/recipes/judge.yml', [], ['passed', 'passed', 'failed']),
    shown: ({ folder }) => edited('docs/recipes/judge.yml', ownEngine(path.join(folder, 'engine'))),
    happens: (
      [
        ['normal', push],
        ['normal', pullRequest],
        ['slow', pullRequest],
      ] as const
    ).map(([report, event]) => ({ folder }) => {
      standInEngine(path.join(folder, 'engine'), report)
      return event
    }),
    machineEnv: () => ({ JAVA_HOME_21_X64: '/usr/lib/jvm/java-21' }),
  },
  {
    ...asShown('docs/recipes/enterprise.yml', [], ['passed', 'passed']),
    shown: ({ proxy }) =>
      edited('docs/recipes/enterprise.yml', { 'http://proxy.example.com:3128': proxy.url }),
    happens: [
      ({ github }) => {
        github.settings.enterprise = true
        return push
      },
      pulled,
    ],
    machineEnv: ({ authority }) => ({ NODE_EXTRA_CA_CERTS: authority }),
  },
  {
    ...asShown('docs/recipes/own-ca.yml', [pulled], ['passed']),
    shown: ({ authority }) =>
      edited('docs/recipes/own-ca.yml', { '/etc/ssl/certs/company-root.pem': authority }),
    machineEnv: ({ proxy }) => ({ HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' }),
  },
  {
    ...asShown('docs/recipes/history.yml', [merged], ['passed', 'passed']),
    // Without the two actions that publish the page.
    shown: () => {
      const { text, ...rest } = workflow('docs/recipes/history.yml')
      return { ...rest, text: text.slice(0, text.indexOf('      - uses: actions/upload-pages-artifact')) }
    },
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
