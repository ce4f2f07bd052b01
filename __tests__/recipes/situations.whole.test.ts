import type { WorkflowEvent } from '../../sandbox/runner/workflow-event.js'
import type { WorkflowResult, WorkflowWorld } from '../../sandbox/runner/workflow.js'
import { execFileSync } from 'node:child_process'
import { ask, edited, pullRequest, push, verdicts, workflow, type Template } from './company.js'
import { comments, open, shop, starts } from './opened-company.js'
import path from 'node:path'
import { ownEngine, standInEngine } from './stand-in-engine.js'

/* What becomes of each recipe that a load test waits in, in all the situations that GitHub has for it. */

const events: Readonly<Record<string, WorkflowEvent>> = {
  push,
  'pull request': pullRequest,
  fork: { ...pullRequest, fork: 'somebody/project' },
  Dependabot: { ...pullRequest, actor: 'dependabot[bot]' },
  label: { ...pullRequest, action: 'labeled', label: 'bug' },
  'the label': { ...pullRequest, action: 'labeled', label: 'compare-with-base' },
  queue: { name: 'merge_group', base: 'main', pulls: [{ number: 7, branch: 'faster' }] },
  comment: ask,
  "stranger's comment": { ...ask, login: 'mallory' },
  'by hand': { name: 'workflow_dispatch' },
  'by hand for 7': { name: 'workflow_dispatch', inputs: { 'pull-request': '7' } },
  night: { name: 'schedule', cron: '17 2 * * *' },
  Friday: { name: 'schedule', cron: '0 20 * * 5' },
  Saturday: { name: 'schedule', cron: '30 20 * * 6' },
}

type Ending = [situation: string, ending: string]

const matrix: Template[] = [shop, { number: 23, name: 'Checkout' }, { number: 31, name: 'Login' }]

/** The conclusion and the verdicts of a run, and the numbers of started templates and of comments so far. */
const recipes: [file: string, templates: Template[], endings: Ending[]][] = [
  ['pull-request.yml', [shop], [['fork', ''], ['Dependabot', ''], ['Dependabot with its secrets', ''], ['pull request, cancelled', ''], ['again failed', ''], ['again all', ''], ['pull request beside pull request', '']]],
  ['baseline.yml', [shop], [['push', ''], ['fork', ''], ['Dependabot', ''], ['Dependabot with its secrets', ''], ['pull request, cancelled', ''], ['again failed', ''], ['again all', ''], ['pull request beside pull request', ''], ['slow pull request', ''], ['again failed', '']]],
  ['matrix.yml', matrix, [['push', ''], ['fork', ''], ['Dependabot', ''], ['Dependabot with its secrets', ''], ['pull request with a slow leg', ''], ['again failed', ''], ['again all', ''],['pull request, cancelled', ''], ['again failed', ''],  ['pull request beside push', '']]],
  ['accept.yml', [shop], [['push', ''], ['fork', ''], ['Dependabot', ''], ['Dependabot with its secrets', ''], ['pull request, cancelled', ''], ['again failed', ''], ['label', ''], ['label beside pull request', ''], ['pull request beside label', ''], ['again all', '']]],
  ['merge-queue.yml', [shop], [['push', ''], ['fork', ''], ['Dependabot', ''], ['Dependabot with its secrets', ''], ['pull request, cancelled', ''], ['queue', ''], ['again failed', ''], ['pull request', ''], ['queue', ''], ['again all', ''], ['pull request beside label', ''], ['queue beside push', '']]],
  ['base-and-head.yml', [shop], [['the label', ''], ['label', ''], ['the label, cancelled', ''], ['again failed', ''], ['again all', ''], ['the label beside the label', '']]],
  ['on-demand.yml', [shop], [['comment', ''], ["stranger's comment", ''], ['by hand for 7', ''], ['comment, cancelled', ''], ['again failed', ''], ['again all', ''], ['comment beside by hand for 7', '']]],
  ['nightly.yml', [shop], [['night', ''], ['by hand', ''], ['night, cancelled', ''], ['again failed', ''], ['again all', ''], ['night beside by hand', '']]],
  ['history.yml', [shop], [['push', ''], ['again all', ''], ['slow push', ''], ['again failed', ''], ['push, cancelled', ''], ['again failed', ''], ['push beside push', '']]],
  ['notify.yml', [shop], [['push', ''], ['push, cancelled', ''], ['again failed', ''], ['again all', ''], ['push beside push', '']]],
  ['endurance.yml', [{ number: 40, name: 'Endurance' }], [['Saturday', ''], ['Friday', ''], ['Saturday', ''], ['again all', ''], ['Friday, cancelled', ''], ['again failed', ''], ['by hand beside Saturday', '']]],
  ['preview.yml', [shop], [['pull request', ''], ['fork', ''], ['Dependabot', ''], ['Dependabot with its secrets', ''], ['pull request, cancelled', ''], ['again failed', ''], ['again all', ''], ['pull request beside pull request', '']]],
  ['monorepo.yml', [{ number: 6, name: 'Shop' }], [['fork', ''], ['Dependabot', ''], ['pull request, cancelled', ''], ['again failed', ''], ['pull request beside pull request', '']]],
  ['git-template.yml', [{ number: 5, name: 'Git', source: { git: { url: 'https://git.example.com/a.git', branch: 'main' } } }], [['push', ''], ['push, cancelled', ''], ['again failed', ''], ['push beside push', '']]],
  ['enterprise.yml', [shop], [['push', ''], ['fork', ''], ['Dependabot', ''], ['pull request, cancelled', ''], ['again failed', ''], ['again all', ''], ['pull request beside pull request', '']]],
  ['own-ca.yml', [shop], [['fork', ''], ['Dependabot', ''], ['pull request', ''], ['again all', ''], ['pull request, cancelled', ''], ['again failed', '']]],
  ['judge.yml', [], [['push', ''], ['fork', ''], ['Dependabot', ''], ['again all', ''], ['pull request beside pull request', '']]],
]

test.each(recipes)('%s: each situation ends as it should', async (file, templates, endings) => {
  const company = await open(templates)
  const { service, github, run, again, world, folder, commit, proxy, authority } = company
  const engine = path.join(folder, 'engine')
  standInEngine(engine, 'normal')
  const from = `docs/recipes/${file}`
  const changes: Record<string, Record<string, string>> = {
    'enterprise.yml': { 'http://proxy.example.com:3128': proxy.url },
    'own-ca.yml': { '/etc/ssl/certs/company-root.pem': authority },
    'judge.yml': ownEngine(engine),
  }
  const shown = changes[file] ? edited(from, changes[file]) : workflow(from)
  if (file === 'judge.yml') world.machineEnv = { JAVA_HOME_21_X64: '/usr/lib/jvm/java-21' }
  if (file === 'enterprise.yml') github.settings.enterprise = true
  commit('faster', { 'load-tests/shop/pom.xml': '<project/>\n' })
  const head = execFileSync('git', ['rev-parse', 'faster'], { cwd: world.origin.folder, encoding: 'utf8' }).trim()
  github.seed.role('olga', 'write')
  github.seed.push({ branch: 'faster', commit: head })
  if (file === 'on-demand.yml') await run(workflow('README.md load-test.yml'), push)

  let last: WorkflowResult | undefined
  const got: Ending[] = []
  for (const [situation] of endings) {
    const one = async (name: string): Promise<WorkflowResult> => {
      const [, slow, what = '', how] = /^(slow )?(.*?)(?:, (cancelled)| with (.*))?$/.exec(name) ?? []
      const withMore = /with (.*)$/.exec(name)?.[1]
      service.settings.slowdown = slow ? 1.5 : 1
      service.settings.templates = withMore === 'a slow leg' ? { 'my-project/23': { slowdown: 1.5 } } : {}
      service.settings.secondsRunning = how === 'cancelled' ? 3600 : 0
      const more: Partial<WorkflowWorld> = {
        ...(withMore === 'its secrets' ? { dependabotSecrets: world.secrets ?? {} } : {}),
        ...(how === 'cancelled' ? { cancelOn: (line: string) => /Started load test \d+/.test(line) } : {}),
      }
      const event = events[what.replace(/ with .*/, '')]
      if (event) return run(shown, event, more)
      if (!last) throw new Error(`Nothing to run again: ${name}.`)
      return again(shown, last, what === 'again all' ? 'all' : 'failed', more)
    }
    const results = await Promise.all(situation.split(' beside ').map(one))
    last = results[0]
    const said = results.map((result) => [result.conclusion, ...verdicts(result)].join(' ')).join(' | ')
    got.push([situation, `${said}; ${starts().length}, ${comments().length}`])
  }
  if (process.env['SHOW']) (await import('node:fs')).appendFileSync(process.env['SHOW'], JSON.stringify([file, got]) + '\n')
  expect(got).toEqual(endings)
})
