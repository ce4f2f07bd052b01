import { existsSync, readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import path from 'node:path'
import AdmZip from 'adm-zip'
import type { WorkflowEvent } from '../../sandbox/runner/workflow-event.js'
import type { LoadTestOutcome } from '../../src/outcome/outcome.js'
import {
  ask,
  edited,
  ending,
  loadTests,
  pullRequest,
  push,
  verdicts,
  workflow,
  workflows,
} from './company.js'
import {
  artifact,
  artifacts,
  comments,
  executed,
  fromGit,
  headlines,
  open,
  shop,
  starts,
  suite,
  summaries,
  usual,
} from './opened-company.js'
import { runWorkflow } from '../../sandbox/runner/workflow.js'
import { patternOf } from '../printed.js'
import { serve, type Front } from '../step/front.js'
import { ownEngine, standInEngine } from './stand-in-engine.js'

const anyPage = expect.stringMatching(
  /^https:\/\/github\.com\/sandbox\/project\/actions\/runs\/\d+$/,
) as string

test('the quick start: main makes the baseline, a pull request is compared with it', async () => {
  const { service, run, archived } = await open([shop])
  const shown = workflow('README.md load-test.yml')
  const main = await run(shown, push)
  expect(main).toMatchObject({ conclusion: 'success', concurrency: { group: 'load-test' } })
  expect(verdicts(main)).toEqual(['passed'])
  expect(summaries(main)[0]).toContain('First run: if it is green, it is the baseline of later runs.')

  const same = await run(shown, pullRequest)
  expect(ending(same)).toEqual(['success', 'passed'])
  expect(artifacts(same)).toEqual(usual)
  expect(archived(1)).toEqual(suite)
  expect(comments()).toEqual([expect.stringContaining('the latest run of main')])

  service.settings.slowdown = 1.5
  const slower = await run(shown, pullRequest)
  expect(ending(slower)).toEqual(['failure', 'failed'])
  expect(headlines()).toEqual([expect.stringMatching(/slower|too slow/)])
  expect(starts()).toEqual([17, 17, 17])
})

test('pull-request.yml: green within the limits, red beyond them', async () => {
  const { service, run } = await open([shop])
  const shown = workflow('docs/recipes/pull-request.yml')
  const good = await run(shown, pullRequest)
  expect(good.jobs[0]?.permissions).toEqual({ contents: 'read', actions: 'read', 'pull-requests': 'write' })
  expect(ending(good)).toEqual(['success', 'passed'])
  expect(artifacts(good)).toEqual(usual)
  expect(headlines()).toEqual([expect.stringContaining('within its limits')])

  service.settings.errorRate = 0.2
  const bad = await run(shown, pullRequest)
  expect(ending(bad)).toEqual(['failure', 'failed'])
  expect(headlines()).toEqual([expect.stringContaining('of transactions failed')])
  expect(summaries(bad)[0]).toContain('transactions error-rate')

  expect(starts()).toEqual([17, 17])
})

test('baseline.yml: a pull request slower than main is red, and main itself stays green', async () => {
  const { service, run } = await open([shop])
  const shown = workflow('docs/recipes/baseline.yml')
  await run(shown, push)
  service.settings.slowdown = 1.5
  const slower = await run(shown, pullRequest)
  expect(slower.conclusion).toBe('failure')
  expect(JSON.parse(loadTests(slower)[0]?.outputs['gates'] ?? '')).toContainEqual(
    expect.objectContaining({ gate: 'request "*" mean <= baseline + 10%', result: 'failed' }),
  )
  expect(comments()).toEqual([expect.stringContaining(', compared with [')])
  expect(summaries(slower)[0]).toContain('the latest run of main')
  const merged = await run(shown, push)
  expect(ending(merged)).toEqual(['success', 'failed'])
})

test('accept.yml: a label has the same report judged again, and only the right label makes it green', async () => {
  const { service, github, commitOf, run } = await open([shop])
  const shown = workflow('docs/recipes/accept.yml')
  await run(shown, push)
  service.settings.slowdown = 1.5
  github.seed.push({ branch: 'faster', commit: commitOf('faster') })
  github.seed.role('olga', 'write')
  const slower = await run(shown, pullRequest)
  expect(slower.conclusion).toBe('failure')
  expect(comments()).toEqual([
    expect.stringContaining('set the label "accepted-regression" on pull request 7'),
  ])

  const later = new Date(Date.now() + 60_000)
  const labeled = (label: string, action = 'labeled') => run(shown, { ...pullRequest, action, label })
  github.seed.label(7, 'bug', 'olga', { at: later })
  const other = await labeled('bug')
  expect(ending(other)).toEqual(['failure', 'failed'])
  github.seed.label(7, 'accepted-regression', 'olga', { at: later })
  const right = await labeled('accepted-regression')
  expect(ending(right)).toEqual(['success', 'accepted'])
  expect([right.concurrency?.group, right.jobs[0]?.concurrency?.group]).toEqual([
    'load-test-of-7',
    String(right.runId),
  ])
  expect(headlines()).toEqual([expect.stringMatching(/slow.*, accepted by olga/)])
  expect(summaries(right)[0]).toContain(`of workflow run ${other.runId}`)
  github.seed.label(7, 'accepted-regression', 'olga', { at: later, isRemoved: true })
  expect(verdicts(await labeled('accepted-regression', 'unlabeled'))).toEqual(['failed'])
  // One for main, one for the pull request.
  expect(starts()).toEqual([17, 17])
})

test('accept.yml: what was accepted is the new level with the next run of main', async () => {
  const { service, github, commitOf, run, commit: change } = await open([shop])
  const shown = workflow('docs/recipes/accept.yml')
  await run(shown, push)
  service.settings.slowdown = 1.5
  const later = new Date(Date.now() + 60_000)
  github.seed.push({ branch: 'faster', commit: commitOf('faster') })
  github.seed.role('olga', 'write')
  github.seed.label(7, 'accepted-regression', 'olga', { at: later })
  expect(verdicts(await run(shown, pullRequest))).toEqual(['accepted'])
  change('main', { 'README.md': 'Slower on purpose.\n' })
  github.seed.merge(7, commitOf('main'), new Date(Date.now() + 120_000))
  const merged = await run(shown, push)
  expect(ending(merged)).toEqual(['success', 'accepted'])
  expect(summaries(merged)[0]).toContain('New level: what was merged here was accepted')

  change('faster', { 'pom.xml': '<project>As slow as main.</project>\n' })
  github.seed.pull({
    number: 7,
    head: { branch: 'faster', commit: commitOf('faster'), repository: 'sandbox/project' },
  })
  const next = await run(shown, pullRequest)
  expect(ending(next)).toEqual(['success', 'passed'])
  expect(summaries(next)[0]).toContain('a change of the level was accepted after it')
})

test('merge-queue.yml: the report of the head is judged again, and the label counts; nothing is started', async () => {
  const { service, github, commitOf, run, commit: change } = await open([shop])
  const shown = workflow('docs/recipes/merge-queue.yml')
  await run(shown, push)
  service.settings.slowdown = 1.5
  github.seed.push({ branch: 'faster', commit: commitOf('faster') })
  github.seed.role('olga', 'write')
  expect((await run(shown, pullRequest)).conclusion).toBe('failure')

  const entry = { number: 7, branch: 'faster' }
  const queue = { name: 'merge_group', base: 'main', pulls: [entry] } as const
  const red = await run(shown, queue)
  expect(ending(red)).toEqual(['failure', 'failed'])
  expect(red.jobs[0]?.concurrency?.group).toBe(String(red.runId))
  expect(summaries(red)[0]).toContain('set the label "accepted-regression" on pull request 7')
  github.seed.label(7, 'accepted-regression', 'olga', { at: new Date(Date.now() + 60_000) })
  const green = await run(shown, queue)
  expect(ending(green)).toEqual(['success', 'accepted'])
  expect(summaries(green)[0]).toContain('the latest run of main')

  change('first', { 'README.md': 'The other suite.\n' })
  // Two pull requests: each is judged by itself if each is a group, and neither if both are one.
  github.seed.pull({
    number: 6,
    head: { branch: 'first', commit: 'a'.repeat(40), repository: 'sandbox/project' },
  })
  const pulls = [{ number: 6, branch: 'first' }, entry]
  expect(verdicts(await run(shown, { ...queue, pulls }))).toEqual(['accepted'])
  const both = await run(shown, { ...queue, pulls, isOneGroup: true })
  expect(ending(both)).toEqual(['failure', 'error'])
  expect(summaries(both)[0]).toContain(
    'The merge group has the pull requests 7, 6, which were measured one by one',
  )
  expect(starts()).toEqual([17, 17])
})

test('base-and-head.yml: a label has the base tested, then the head, which is compared with it', async () => {
  const { service, run, commitOf } = await open([shop])
  const shown = workflow('docs/recipes/base-and-head.yml')
  const labeled = { ...pullRequest, action: 'labeled', label: 'compare-with-base' } as const
  const suites = () =>
    service.books.archives.map(({ file }) =>
      new AdmZip(file).readAsText('project/src/main/java/TBrowse.java'),
    )

  const same = await run(shown, labeled)
  expect(ending(same)).toEqual(['success', 'passed', 'passed'])
  expect(suites()).toEqual(['class TBrowse {}\n', 'class TBrowse { int faster; }\n'])
  expect(comments()).toEqual([
    expect.stringContaining(`compared with [the base, <code>${commitOf('main').slice(0, 7)}</code>]`),
  ])
  expect(artifacts(same)).toHaveLength(6)

  const slow = setInterval(() => {
    if (starts().length === 3) service.settings.slowdown = 1.5
  }, 1)
  const slower = await run(shown, labeled)
  clearInterval(slow)
  expect(ending(slower)).toEqual(['failure', 'passed', 'failed'])
  expect(starts()).toEqual([17, 17, 17, 17])
})

test('on-demand.yml: a comment by who may write tests the head, and is answered; nothing else starts anything', async () => {
  const { github, run, commitOf, archived } = await open([shop])
  const shown = workflow('docs/recipes/on-demand.yml')
  const commit = commitOf('faster')
  github.seed.role('olga', 'write')
  github.seed.push({ branch: 'faster', commit })
  await run(workflow('README.md load-test.yml'), push)

  const asked = await run(shown, { ...ask, body: '/loadtest\r\nplease' })
  expect(ending(asked)).toEqual(['success', 'passed'])
  expect(asked.concurrency).toMatchObject({ group: 'load-test', cancelInProgress: false })
  const outcome = JSON.parse(artifact('load-test-outcome.json', asked)) as LoadTestOutcome
  expect(outcome.step).toMatchObject({ event: 'issue_comment', pullRequest: 7, commit, head: commit })
  expect(outcome.comparison?.baseline).toMatchObject({ name: 'the latest run of main' })
  expect(comments()).toEqual([expect.stringContaining(commit.slice(0, 7))])
  expect(archived(1)).toEqual(suite)
  const byHand = await run(shown, { name: 'workflow_dispatch', inputs: { 'pull-request': '7' } })
  expect(verdicts(byHand)).toEqual(['passed'])
  expect(byHand.concurrency?.group).toBe('load-test')
  expect(comments()).toHaveLength(1)
  const due = [17, 17, 17]
  expect(starts()).toEqual(due)

  for (const body of ['Shall we /loadtest this?', '/loadtester', "/loadtest' || 'x"]) {
    const other = await run(shown, { ...ask, body })
    expect([other.conclusion, other.concurrency?.group]).toEqual(['skipped', String(other.runId)])
  }
  const { name, body, login } = ask
  expect((await run(shown, { name, body, login, number: 8 })).conclusion).toBe('skipped')
  await expect(run(shown, { ...ask, action: 'edited' })).rejects.toThrow('does not start on-demand.yml')

  const before = comments()
  const stranger = await run(shown, { ...ask, login: 'mallory' })
  expect(ending(stranger)).toEqual(['failure', 'error'])
  expect(summaries(stranger)[0]).toContain('mallory asked for it')
  expect(comments()).toEqual(before)
  github.seed.push({ branch: 'faster', commit: 'e'.repeat(40) })
  const late = await run(shown, ask)
  expect(verdicts(late)).toEqual(['error'])
  expect(comments()).toEqual([expect.stringMatching(/eeeeeeeeeeee.* now, but .* is checked out/)])
  expect(starts()).toEqual(due)
})

test('nightly.yml: compared with the last good nights, with their trend', async () => {
  // The throughput of a whole night; the first minute does not reach it.
  const { service, run } = await open([shop], { simulatedMinutes: 10 })
  const shown = workflow('docs/recipes/nightly.yml')
  const night = { name: 'schedule', cron: '17 2 * * *' } as const
  const first = await run(shown, night)
  expect(first.conclusion).toBe('success')
  expect(first.jobs[0]?.permissions).toEqual({ contents: 'read', actions: 'read' })
  service.settings.errorRate = 0.2
  const red = await run(shown, night)
  expect(red.conclusion).toBe('failure')
  service.settings.errorRate = 0
  const third = await run(shown, night)

  const last = await run(shown, { name: 'workflow_dispatch' })
  expect(last.conclusion).toBe('success')
  const outcome = JSON.parse(artifact('load-test-outcome.json', last)) as Pick<LoadTestOutcome, 'comparison'>
  expect(outcome.comparison?.baseline).toMatchObject({ name: '2 runs of main', runs: 2 })
  expect(outcome.comparison?.trend?.map(({ url }) => url)).toEqual(
    [first, third].map(({ runId }) => expect.stringMatching(new RegExp(`/runs/${runId}$`)) as string),
  )
  const [, trend = ''] = summaries(last)[0]?.split('### Trend over 3\u00a0runs') ?? []
  const rows = trend.split('\n').filter((line) => /^\| \d{4}\u2011/.test(line))
  expect(rows).toHaveLength(3)
  for (const row of rows) expect(row).toMatch(/ \| \d+\sms \| 0% \| [\d.]+\s\/s \| [\d,]+\sms \|/)
  expect(rows[2]).toContain('this run')
  expect(artifact('load-test-digest.html', last)).toContain('Trend over 3\u00a0runs')
  expect(comments()).toEqual([])
  expect(starts()).toHaveLength(4)
})

test('history.yml: main is tested, and its history is published, even after a red run', async () => {
  const { service, run } = await open([shop])
  const shown = workflow('docs/recipes/history.yml')
  const first = await run(shown, push)
  expect(first.conclusion).toBe('success')
  expect(first.jobs).toMatchObject([
    { id: 'load-test', permissions: { contents: 'read', actions: 'read' } },
    { id: 'history', permissions: { actions: 'read', pages: 'write', 'id-token': 'write' } },
  ])
  expect(verdicts(first)).toEqual(['passed', 'passed'])
  service.settings.errorRate = 0.2
  const red = await run(shown, push)
  expect(ending(red)).toEqual(['failure', 'failed', 'passed'])
  expect(artifacts(red)).toEqual([
    'github-pages-1',
    'load-test-digest.html',
    'load-test-history.html',
    'load-test-outcome.json',
    'load-test-report.tar.gz',
  ])
  expect(artifact('load-test-history.html', red)).toContain(
    '<h1>2\u00a0runs of main, changes show from 5 on</h1>',
  )
  const sites = red.jobs.flatMap(({ steps }) => steps.flatMap(({ outputs }) => outputs['page_url'] ?? []))
  expect(sites).toEqual(['https://sandbox.github.io/project/'])
})

/** Slack and Teams. */
let hook: Front | undefined
afterEach(() => hook?.close())

test('notify.yml: a red run is reported to Slack, to Teams and in one issue, whatever its headline holds', async () => {
  const { github, world, run, folder } = await open([shop])
  const posted: string[] = []
  hook = await serve((request, response) => {
    void buffer(request).then((body) => {
      posted.push(body.toString())
      response.end('ok')
    })
  })
  const secrets = { ...world.secrets, SLACK_WEBHOOK: hook.url, TEAMS_WEBHOOK: hook.url }
  const shown = workflow('docs/recipes/notify.yml')
  expect((await run(shown, push, { secrets })).jobs.map(({ conclusion }) => conclusion)).toEqual([
    ...['success', 'skipped', 'skipped', 'skipped'],
  ])
  const trap = path.join(folder, 'trapped')
  const name = `$(touch ${trap})"<!channel>[a](https://x.test)`
  const hostile = edited(shown.from, { 'load-test: 17': `load-test: '${name}'` })
  for (let times = 0; times < 2; times++) {
    const red = await run(hostile, push, { secrets })
    expect(red.jobs.map(({ conclusion }) => conclusion)).toEqual([
      ...['failure', 'success', 'success', 'success'],
    ])
  }
  expect(existsSync(trap)).toBe(false)
  const headline = expect.stringContaining(`$(touch ${trap})`) as string
  const [slack, teams] = posted.map((text) => JSON.parse(text) as unknown)
  expect(slack).toMatchObject({
    blocks: [{ text: { type: 'plain_text', text: headline } }, { elements: [{ url: anyPage }] }],
  })
  expect(teams).toMatchObject({
    attachments: [{ content: { body: [{ inlines: [{ type: 'TextRun', text: headline }] }] } }],
  })
  expect(posted).toHaveLength(4)
  const [issue, ...others] = github.store.issues.values()
  expect(others).toEqual([])
  expect(issue).toMatchObject({ title: headline, labels: ['load-test'], body: anyPage })
  expect(github.store.commentsOf(issue?.number ?? 0)).toEqual([expect.objectContaining({ body: anyPage })])
})

test('endurance.yml: started on Friday, collected on Saturday, or by hand', async () => {
  const { service, run } = await open([{ number: 40, name: 'Endurance, 24 hours' }])
  const shown = workflow('docs/recipes/endurance.yml')
  const start = await run(shown, { name: 'schedule', cron: '0 20 * * 5' })
  expect(start.jobs).toMatchObject([
    { id: 'start', conclusion: 'success', concurrency: { group: 'load-test' } },
    { id: 'collect', conclusion: 'skipped' },
  ])
  expect(verdicts(start)).toEqual(['started'])
  expect(artifacts(start)).toEqual([])
  // What somebody starts by hand does not take its place.
  expect(verdicts(await run(shown, { name: 'workflow_dispatch' }))).toEqual(['started'])

  const collect = await run(shown, { name: 'schedule', cron: '30 20 * * 6' })
  expect(collect.jobs).toMatchObject([
    { id: 'start', conclusion: 'skipped' },
    { id: 'collect', conclusion: 'success', permissions: {}, concurrency: { group: 'endurance-collect' } },
  ])
  expect(verdicts(collect)).toEqual(['passed'])
  expect(artifacts(collect)).toEqual(usual)
  const number = service.books.starts[0]?.number
  expect(loadTests(collect)[0]?.outputs['run-number']).toBe(String(number))

  const byHand = await run(shown, { name: 'workflow_dispatch', inputs: { 'run-number': String(number) } })
  expect(verdicts(byHand)).toEqual(['passed'])
  expect(starts()).toEqual([40, 40])
})

test('matrix.yml: each leg starts once and has its own artifacts and baseline; one job reports for all', async () => {
  const numbers = { search: 17, checkout: 23, login: 31 }
  const names = Object.keys(numbers)
  const { service, run, again } = await open(
    Object.entries(numbers).map(([name, number]) => ({ name, number })),
  )
  const shown = workflow('docs/recipes/matrix.yml')
  const main = await run(shown, push)
  expect(main.conclusion).toBe('success')
  service.settings.templates = { 'my-project/23': { slowdown: 1.5 } }
  const pull = await run(shown, pullRequest)
  expect(pull).toMatchObject({ conclusion: 'failure', concurrency: { group: 'load-test' } })
  expect(pull.jobs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['load test (search)', 'success'],
    ['load test (checkout)', 'failure'],
    ['load test (login)', 'success'],
    ['load tests', 'failure'],
  ])
  expect(starts()).toEqual([17, 23, 31, 17, 23, 31])
  expect(verdicts(pull)).toEqual(['passed', 'failed', 'passed', 'failed'])
  expect(headlines()).toEqual(['## ❌ Load tests: 1\u00a0of\u00a03 failed: checkout'])
  expect(artifacts(pull)).toEqual(
    [
      ...names.flatMap((name) => [
        `load-test-${name}-outcome.json`,
        `load-test-${name}-digest.html`,
        `load-test-${name}-report.tar.gz`,
      ]),
      'load-test-outcome.json',
      'load-test-digest.html',
    ].sort(),
  )
  const first = JSON.parse(artifact('load-test-search-outcome.json', pull)) as LoadTestOutcome
  expect(first.comparison).toMatchObject({ baseline: { runs: 1 } })
  expect(first.step.leg).toEqual({ job: 'load-test', index: 0, total: 3 })

  service.settings.templates = {}
  const fixed = await again(shown, pull, 'failed')
  expect(ending(fixed)).toEqual(['success', ...Array<string>(4).fill('passed')])
  expect(starts()).toHaveLength(7)
  expect(comments()).toHaveLength(1)
})

test("preview.yml: the address of the preview is in the suite's properties, and only in the archive", async () => {
  const { service, run } = await open([shop])
  const pull = await run(workflow('docs/recipes/preview.yml'), pullRequest)
  expect(verdicts(pull)).toEqual(['passed'])
  const archive = service.books.archives.at(-1)?.file ?? ''
  const settings = new AdmZip(archive).readAsText('project/config/project.properties')
  expect(settings).toBe('loadtests = TBrowse\n\n\nwebshop.url=https\\://pr-7.preview.example.com/\n')
  expect(loadTests(pull)[0]?.log).toContain('webshop.url = https://pr-7.preview.example.com/')
  expect(comments()).toHaveLength(1)
})

test('monorepo.yml: only the folder is packed, and only changes in it start the workflow', async () => {
  const { run, archived, commit } = await open([{ number: 6, name: 'Shop' }])
  const shown = workflow('docs/recipes/monorepo.yml')
  await expect(run(shown, pullRequest)).rejects.toThrow('pull_request does not start monorepo.yml')
  commit('faster', {
    'load-tests/shop/pom.xml': '<project/>\n',
    'load-tests/shop/src/TShop.java': 'class TShop {}\n',
    'load-tests/shop/docs/manual.md': 'A manual.\n',
    'load-tests/shop/recorded.har': '{}\n',
    'services/stock/main.ts': 'export {}\n',
  })
  const pull = await run(shown, pullRequest)
  expect(verdicts(pull)).toEqual(['passed'])
  expect(archived(0)).toEqual(['pom.xml', 'src/TShop.java'])
  expect(comments()).toHaveLength(1)
  expect(artifacts(pull)).toEqual(usual.map((name) => name.replace('load-test-', 'load-test-shop-')))
})

test('git-template.yml: nothing is checked out or uploaded', async () => {
  const { service, run } = await open([{ number: 5, name: 'Shop from Git', source: fromGit }])
  const merged = await run(workflow('docs/recipes/git-template.yml'), push)
  expect(merged.jobs[0]?.permissions).toEqual({ actions: 'read' })
  expect(verdicts(merged)).toEqual(['passed'])
  expect(service.books.archives).toEqual([])
  expect(service.books.tokens.flatMap(({ scopes }) => scopes)).not.toContain('CODEARCHIVE_UPLOAD')
  expect(starts()).toEqual([5])
  expect(artifacts(merged)).toEqual(usual)
})

test('judge.yml: the engine runs on the runner and its report is judged, without a service or a secret', async () => {
  const { service, run, folder } = await open([])
  const engine = path.join(folder, 'engine')
  const shown = edited('docs/recipes/judge.yml', ownEngine(engine))
  const machineEnv = { JAVA_HOME_21_X64: '/usr/lib/jvm/java-21' }
  const once = async (report: string, event: WorkflowEvent) => {
    standInEngine(engine, report)
    return run(shown, event, { machineEnv, secrets: {} })
  }
  const merged = await once('normal', push)
  expect(ending(merged)).toEqual(['success', 'passed'])
  expect(artifacts(merged)).toEqual(usual)
  const slow = await once('slow', pullRequest)
  expect(ending(slow)).toEqual(['failure', 'failed'])
  expect(comments()).toEqual([expect.stringContaining('compared with')])
  standInEngine(engine, 'normal', 'Agent embedded_00@localhost exited unexpectedly (exit code: 143).')
  const lost = await run(shown, pullRequest, { machineEnv, secrets: {} })
  expect(ending(lost)).toEqual(['failure'])
  const said = lost.jobs.flatMap(({ steps }) => steps).flatMap(({ annotations }) => annotations)
  expect(said).toContainEqual(
    expect.objectContaining({
      kind: 'error',
      message: expect.stringMatching(/^A load generator was lost/) as string,
    }),
  )
  expect(service.books.requests).toEqual([])
})

test('enterprise.yml: the service is reached through the proxy, GitHub directly, and main is the baseline', async () => {
  const { service, github, proxy, authority, run } = await open([shop])
  github.settings.enterprise = true
  const shown = edited('docs/recipes/enterprise.yml', { 'http://proxy.example.com:3128': proxy.url })
  const machineEnv = { NODE_EXTRA_CA_CERTS: authority }
  const merged = await run(shown, push, { machineEnv })
  expect(merged.conclusion).toBe('success')
  const pull = await run(shown, pullRequest, { machineEnv })
  expect(ending(pull)).toEqual(['success', 'passed'])
  expect(new Set(proxy.tunnels)).toEqual(new Set(['loadtest.example.com:443']))
  expect(proxy.forwarded).toEqual([])
  expect(service.books.requests.length).toBeGreaterThan(0)
  expect(comments().at(-1)).toContain(', compared with [')
  expect(comments().at(-1)).toContain('https://loadtest.example.com/my-org/my-project/')
  expect(artifacts(pull)).toEqual(usual)
  expect(starts()).toEqual([17, 17])
})

const files = path.resolve('__tests__/report/formats/files')

test.each([
  [
    'k6.yml',
    {
      [`docker run --rm --network host --user "$(id -u)" --volume "$PWD:/work" --workdir /work \\
            grafana/k6:1.8.1 run --out csv=k6.csv.gz loadtest.js || [ $? -eq 99 ]`]:
        // Main and the pull request are not measured at the same time: no run is compared with itself.
        `(cat ${files}/k6.csv; for i in 1 2 3 4; do tail -n +2 ${files}/k6.csv; done) |
            sed "s/,1795/,$([ "$GITHUB_EVENT_NAME" = push ] && echo 1795 || echo 1796)/" | gzip > k6.csv.gz`,
    },
  ],
  [
    'jmeter.yml',
    {
      'curl -fsSL https://archive.apache.org/dist/jmeter/binaries/apache-jmeter-5.6.3.tgz | tar -xz -C "$RUNNER_TEMP"':
        'true',
      [`'"$RUNNER_TEMP/apache-jmeter-5.6.3/bin/jmeter" -n -f -t loadtest.jmx -l results.jtl'`]: `cp ${files}/samples.jtl results.jtl`,
    },
  ],
  [
    'locust.yml',
    {
      'pip install locust==2.47.0': 'true',
      'locust --headless --users 20 --spawn-rate 5 --run-time 10m --csv locust --exit-code-on-error 0': `cp ${files}/locust_stats.csv .`,
    },
  ],
  [
    'gatling.yml',
    {
      'mvn -B -ntp gatling:test -Dgatling.failOnError=false': `mkdir -p target/gatling/shop-1 && cp -r ${files}/gatling/. target/gatling/shop-1`,
    },
  ],
])('%s: the report that its tool writes is judged, without a secret', async (name, instead) => {
  const { service, run } = await open([])
  // Some requests of the kept reports fail.
  const shown = edited(`docs/recipes/${name}`, { ...instead, 'error-rate <= 1%': 'error-rate <= 50%' })
  // A comparison is the same whatever the tool.
  const isCompared = name === 'k6.yml'
  for (const event of isCompared ? [push, pullRequest] : [push]) {
    const ran = await run(shown, event, { secrets: {} })
    expect([name, ran.conclusion, verdicts(ran)]).toEqual([name, 'success', ['passed']])
    expect(artifacts(ran)).toEqual(usual)
  }
  expect(comments()).toEqual(isCompared ? [expect.stringContaining('compared with')] : [])
  expect(service.books.requests).toEqual([])
})

test('own-ca.yml: only the variable makes the certificate trusted', async () => {
  const { service, proxy, authority, run } = await open([shop])
  const machineEnv = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' }
  const untrusted = await run(
    edited('docs/recipes/own-ca.yml', { NODE_EXTRA_CA_CERTS: 'ANOTHER' }),
    pullRequest,
    {
      machineEnv,
    },
  )
  expect(verdicts(untrusted)).toEqual(['error'])
  expect(service.books.requests).toEqual([])

  const shown = edited('docs/recipes/own-ca.yml', { '/etc/ssl/certs/company-root.pem': authority })
  const pull = await run(shown, pullRequest, { machineEnv })
  expect(verdicts(pull)).toEqual(['passed'])
  expect(artifacts(pull)).toEqual(usual)
  expect(comments()).toHaveLength(1)
  expect(starts()).toEqual([17])
})

test('setup.md: the workflow that checks prints what the page shows', async () => {
  const { service, world } = await open([shop])
  const credentials = service.world.credentials.find(({ name }) => name === 'CI')
  if (!credentials) throw new Error('There are no credentials.')
  credentials.scopes = credentials.scopes.filter((scope) => scope !== 'CODEARCHIVE_UPLOAD')
  const [, workflow = ''] = /```yaml\n(on: [\s\S]*?)^```/m.exec(readFileSync('README.md', 'utf8')) ?? []
  const [, shown = ''] =
    /as does the job summary:\n\n```\n([\s\S]*?)^```/m.exec(readFileSync('docs/setup.md', 'utf8')) ?? []
  const text = workflow.replace('baseline:', 'mode: check\n          baseline:')
  const checked = await runWorkflow('check-load-test.yml', text, pullRequest, world)
  expect(checked && verdicts(checked)).toEqual(['error'])
  const undotted = (line: string) => line.replace(/ \.+ /g, ' . ')
  const printed = undotted((checked && loadTests(checked)[0]?.log) ?? '')
  const missing = shown.split('\n').filter((line) => line !== '' && !patternOf(undotted(line)).test(printed))
  expect(missing).toEqual([])
  expect(shown.split('\n').length).toBeGreaterThan(4)
  expect([starts(), service.books.archives]).toEqual([[], []])
})

test('every workflow of the documents is run by these tests', () => {
  expect([...executed].sort()).toEqual(workflows.map(({ from }) => from).sort())
})
