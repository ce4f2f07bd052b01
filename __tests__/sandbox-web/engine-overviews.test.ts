import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Work } from '../../sandbox/service/load-test.js'
import { pastRun } from '../../sandbox/service/past-run.js'
import { runSettings } from '../../sandbox/service/settings.js'
import { template } from '../../sandbox/service/world.js'
import { call, type Caller } from './caller.js'

/** Reports by the engine's generators, with a program instead of Java; `npm run engine-check` has the real one. */

const webshop = '/orgs/demo-org/projects/webshop'
let folder: string
let caller: Caller
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'overviews-'))
  const javaHome = path.join(folder, 'jdk')
  mkdirSync(path.join(javaHome, 'bin'), { recursive: true })
  const java = path.join(javaHome, 'bin/java')
  writeFileSync(
    java,
    `#!/bin/sh
while [ "$1" != -o ]; do class=$before; before=$1; shift; done
[ -e '${folder}/broken' ] && echo 'No such report' && exit 1
mkdir -p "$2"; echo "<script>1</script> $before $3 $4 $5" > "$2/index.html"; echo secret > "$2/../outside.html"
`,
  )
  chmodSync(java, 0o755)
  const engine = {
    javaHome,
    maven: '',
    releases: {},
    agentControllers: [],
    charts: true,
    onLine: () => undefined,
  }
  caller = await call({ engine })
})
afterEach(async () => {
  await caller.service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A run of the engine, hours after the last one. */
function engineRun(number: number): void {
  const work: Work = {
    state: () => ({ state: 'FINISHED', startTime: 1, endTime: 2 }),
    progress: undefined,
    reporting: false,
    report: `/reports/${number}`,
    results: undefined,
    home: '/engine',
    done: Promise.resolve(),
  }
  const past = pastRun(runSettings(caller.service.settings, 'webshop', 1), { template: 1, createdAt: number })
  caller.webshop.loadTests.push({ ...template(number, `Run ${number}`, {}), run: { ...past, work } })
}

test('a comparison by the engine is offered if it wrote both reports, and is served unchanged', async () => {
  engineRun(21)
  engineRun(22)
  const pair: [string, string][] = [
    ['first', '9'],
    ['second', '22'],
  ]
  const simulated = await caller.send(`${webshop}/comparisons`, pair)
  expect(await caller.open(simulated.location ?? '')).not.toContain('by the engine')
  const made = await caller.send(`${webshop}/engine-reports?of=21-22`, [])
  expect(made).toMatchObject({ status: 303, location: `${webshop}/engine-reports/1/index.html` })
  const response = await fetch(`${caller.service.url}${made.location ?? ''}`)
  expect(await response.text()).toContain('DiffReportGeneratorMain /reports/21 /reports/22')
  // Its scripts run, but never in the origin of the sandbox's pages.
  expect(response.headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts;/)
  expect(await caller.open(webshop)).toContain('Comparison report 1</a>')
})

test('a trend by the engine covers all its reports, the oldest first', async () => {
  engineRun(21)
  expect(await caller.open(webshop)).not.toContain('Trend report by the engine')
  engineRun(23)
  engineRun(22)
  expect(await caller.open(webshop)).toContain('Trend report by the engine')
  const { location } = await caller.send(`${webshop}/engine-reports`, [])
  expect(await caller.open(location ?? '')).toContain(
    'TrendReportGeneratorMain /reports/21 /reports/22 /reports/23',
  )
})

test.each(['index.xyz', '..%2foutside.html', '%2e%2e%2foutside.html', 'none.html', ''])(
  'no file outside the report is served: "%s"',
  async (name) => {
    engineRun(21)
    engineRun(22)
    await caller.send(`${webshop}/engine-reports`, [])
    await caller.open(`${webshop}/engine-reports/1/index.html`)
    await caller.open(`${webshop}/engine-reports/1/${name}`, 404)
  },
)

test('if the engine cannot make a report, the page shows what it says', async () => {
  engineRun(21)
  engineRun(22)
  writeFileSync(path.join(folder, 'broken'), '')
  const { status, text } = await caller.send(`${webshop}/engine-reports`, [])
  expect(status).toBe(500)
  expect(text).toContain('The engine made no trend report. Its last lines: No such report')
})

test.each(['21-9', '21-77', 'x'])(
  'reports that the engine did not all write are refused: of=%s',
  async (of) => {
    engineRun(21)
    engineRun(22)
    expect((await caller.send(`${webshop}/engine-reports?of=${of}`, [])).status).toBe(409)
  },
)
