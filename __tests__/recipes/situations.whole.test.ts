import path from 'node:path'
import type { WorkflowEvent } from '../../sandbox/runner/workflow-event.js'
import type { WorkflowResult } from '../../sandbox/runner/workflow.js'
import { ask, edited, ending, pullRequest, push, workflow, type Company, type Template } from './company.js'
import { comments, open, shop, starts } from './opened-company.js'
import { ownEngine, standInEngine } from './stand-in-engine.js'

/* The recipes in every situation that GitHub has for them: nothing is started twice, or for who may not. */

const events: Readonly<Record<string, WorkflowEvent>> = {
  push,
  'pull request': pullRequest,
  fork: { ...pullRequest, fork: 'somebody/project' },
  Dependabot: { ...pullRequest, actor: 'dependabot[bot]' },
  label: { ...pullRequest, action: 'labeled', label: 'bug' },
  'the label': { ...pullRequest, action: 'labeled', label: 'compare-with-base' },
  'the label of a fork': { ...pullRequest, action: 'labeled', label: 'compare-with-base', fork: 'a/project' },
  queue: { name: 'merge_group', base: 'main', pulls: [{ number: 7, branch: 'faster' }] },
  comment: ask,
  Friday: { name: 'schedule', cron: '0 20 * * 5' },
  Saturday: { name: 'schedule', cron: '30 20 * * 6' },
}

const cancelOn = (line: string) => /Started load test \d+/.test(line)

/**
 * For each situation, one after the other, the conclusion and the verdicts of its run, and how many load tests were
 * started and comments were written by then. `again` is the run before it, by "Re-run failed jobs".
 */
const recipes: [file: string, templates: Template[], endings: string][] = [
  [
    'pull-request.yml',
    [shop],
    `
    fork: skipped; 0, 0
    Dependabot: failure error; 0, 1
    pull request, cancelled: cancelled cancelled; 1, 1
    again: success passed; 2, 1`,
  ],
  [
    'accept.yml',
    [shop],
    `
    push: success passed; 1, 0
    fork: skipped; 1, 0
    pull request: success passed; 2, 1
    label beside pull request: success passed | success passed; 3, 1`,
  ],
  [
    'merge-queue.yml',
    [shop],
    `
    fork: failure; 0, 0
    queue: failure error; 0, 0`,
  ],
  [
    'base-and-head.yml',
    [shop],
    `
    label: skipped; 0, 0
    the label of a fork: skipped; 0, 0
    the label, cancelled: cancelled cancelled; 1, 0
    again: success passed passed; 3, 1`,
  ],
  [
    'on-demand.yml',
    [shop],
    `
    comment, cancelled: cancelled cancelled; 2, 1
    again: success passed; 3, 1`,
  ],
  [
    'endurance.yml',
    [{ number: 40, name: 'Endurance' }],
    `
    Saturday: failure; 0, 0
    Friday: success started; 1, 0
    Friday, cancelled: cancelled cancelled; 2, 0
    Saturday: success passed; 2, 0`,
  ],
  [
    'judge.yml',
    [],
    `
    push: success passed; 0, 0
    fork: success passed; 0, 0`,
  ],
]

test.each(recipes)('%s: each situation ends as it should', async (file, templates, endings) => {
  const company = await open(templates)
  const { github, run, commit, commitOf } = company
  commit('faster', { 'load-tests/shop/pom.xml': '<project/>\n' })
  github.seed.role('olga', 'write')
  github.seed.push({ branch: 'faster', commit: commitOf('faster') })
  if (file === 'on-demand.yml') await run(workflow('README.md load-test.yml'), push)

  const shown = runnable(file, company)
  let last: WorkflowResult | undefined
  const ended: string[] = []
  for (const situation of endings
    .trim()
    .split('\n')
    .map((line) => line.replace(/:.*/, '').trim())) {
    const results = await Promise.all(
      situation.split(' beside ').map((name) => happens(name, shown, company, last)),
    )
    last = results[0]
    const all = results.map((result) => ending(result).join(' ')).join(' | ')
    ended.push(`    ${situation}: ${all}; ${starts().length}, ${comments().length}`)
  }
  expect(`\n${ended.join('\n')}`).toBe(endings)
})

// Their jobs are those of pull-request.yml, with another step or two.
test('a fork starts nothing by the recipes that need a secret', async () => {
  const { run, commit } = await open([shop])
  commit('faster', { 'load-tests/shop/pom.xml': '<project/>\n' })
  for (const file of [
    'baseline.yml',
    'preview.yml',
    'monorepo.yml',
    'own-ca.yml',
    'enterprise.yml',
    'matrix.yml',
  ])
    expect([file, (await run(workflow(`docs/recipes/${file}`), events['fork'] ?? push)).conclusion]).toEqual([
      file,
      'skipped',
    ])
})

/** The recipe with what it says is on the user's machine. */
function runnable(file: string, { folder, world }: Company) {
  if (file !== 'judge.yml') return workflow(`docs/recipes/${file}`)
  const engine = path.join(folder, 'engine')
  standInEngine(engine, 'normal')
  world.machineEnv = { JAVA_HOME_21_X64: '/usr/lib/jvm/java-21' }
  return edited(`docs/recipes/${file}`, ownEngine(engine))
}

/** What one of the lines above names. */
async function happens(
  name: string,
  shown: ReturnType<typeof edited>,
  { service, run, again }: Company,
  last: WorkflowResult | undefined,
): Promise<WorkflowResult> {
  const [what = ''] = name.split(', ')
  const isCancelled = name.endsWith(', cancelled')
  const { settings } = service
  settings.secondsRunning = isCancelled ? 3600 : 0
  const more = isCancelled ? { cancelOn } : {}
  const event = events[what]
  if (event) return run(shown, event, more)
  if (!last) throw new Error(`${name}: no run is before it.`)
  return again(shown, last, 'failed', more)
}
