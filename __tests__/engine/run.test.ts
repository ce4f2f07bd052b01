import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import AdmZip from 'adm-zip'
import { answers, startAgentController, type StartedController } from '../../sandbox/engine/agents.js'
import { prepareEngine, type EngineSettings } from '../../sandbox/engine/engine.js'
import { freePort } from '../../sandbox/engine/free-port.js'
import { executionState, reportReady, type LoadTest } from '../../sandbox/service/load-test.js'
import { startService, type Service } from '../../sandbox/service/service.js'
import { startShop, type Shop } from '../../sandbox/shop/shop.js'
import { reportAt } from '../report/report-at.js'
import { parseScorecard } from '../../src/report/formats/xlt-scorecard.js'
import type { Report } from '../../src/report/report.js'

/** Load tests with the real engine: `npm run engine-check`. Plain `npm test` leaves them out. */
const withEngine = process.env['ENGINE'] === undefined ? describe.skip : describe

// As the example's load profile has them.
const users = 26
const iterations = 2

withEngine('a load test with the engine', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'engine-test-'))
  const ending = new AbortController()
  const { signal } = ending
  let engine: EngineSettings
  let shop: Shop
  let service: Service

  beforeAll(async () => {
    engine = await prepareEngine({ lines: ['9.x', '10.x'], signal, onProgress: () => undefined })
    shop = await startShop()
  })
  beforeEach(async () => {
    service = await startService({
      engine,
      properties: {
        'webshop.url': shop.url,
        'com.xceptance.xlt.loadtests.default.rampUpPeriod': '1s',
        // Ends with its transactions, however slow the machine: in a few seconds a busy one may not measure any. Users
        // that hang end after the period, so that their count tells.
        'com.xceptance.xlt.loadtests.default.iterations': String(iterations),
        'com.xceptance.xlt.loadtests.default.measurementPeriod': '3m',
      },
    })
  })
  afterEach(() => service.close())
  afterAll(async () => {
    ending.abort()
    await shop.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Uploads the example and starts a copy of the template, over HTTP like the step. */
  async function start(template: number): Promise<LoadTest> {
    const { clientId, clientSecret } = service.credentials('everything')
    const scope = 'LOADTEST_COPY_RUN CODEARCHIVE_UPLOAD'
    const form = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials', scope }
    const answer = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${token}` }
    const zip = new AdmZip()
    zip.addLocalFolder('examples/webshop-suite', 'suite', (name) => !/^(target|results)\//.test(name))
    const upload = await fetch(`${service.url}/public/api/v2/orgs/demo-org/projects/webshop/code-archives`, {
      ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/zip' } },
      body: new Uint8Array(zip.toBuffer()),
    })
    expect(upload.status).toBe(201)
    const v1 = `${service.url}/public/api/v1/orgs/demo-org/projects/webshop/loadTests`
    expect((await fetch(`${v1}/${template}/runCopy`, { headers })).status).toBe(200)
    const started = service.books.loadTests['webshop']?.at(-1)
    if (!started) throw new Error('nothing was started')
    return started
  }

  /** The states that it passed through. */
  async function toItsEnd(loadTest: LoadTest): Promise<string[]> {
    const states: string[] = []
    for (;;) {
      const { state, endTime } = executionState(loadTest, Date.now())
      if (states.at(-1) !== state) states.push(state)
      if (endTime > 0) break
      await pause(50)
    }
    await loadTest.run?.work?.done
    return states
  }

  async function reportOf({ run }: LoadTest): Promise<Report> {
    return reportAt(path.join(run?.work?.report ?? '', 'testreport.xml'))
  }

  test.each([
    [1, '9.'],
    [8, '10.'],
  ])('template %i is built and run by %s', async (template, version) => {
    const loadTest = await start(template)
    const ended = toItsEnd(loadTest)
    const now = () => executionState(loadTest, Date.now())
    while (now().state !== 'RUNNING' && now().endTime === 0) await pause(50)
    // Not on the other networks of this machine; there, this address would answer.
    expect([await answers(8500), await answers(8500, '127.0.0.2')]).toEqual([true, false])
    const states = await ended
    expect(now().message).toBeUndefined()
    expect(states.filter((state) => state !== 'SCHEDULED' && state !== 'PROVISIONING')).toEqual([
      ...['STARTING', 'RUNNING', 'STOPPING', 'FINISHED'],
    ])
    expect(reportReady(loadTest, Date.now())).toBe(true)
    // Trend reports distinguish reports by their folder names.
    expect(path.basename(loadTest.run?.work?.report ?? '')).toMatch(/^\d{8}-\d{6}$/)
    const report = await reportOf(loadTest)
    expect(report.engineVersion).toContain(` ${version}`)
    expect(report.timers.transactions.summary?.count).toBe(iterations * users)
    expect(report.timers.requests.summary?.count).toBeGreaterThan(iterations * users)
    expect(report.timers.requests.summary?.errors).toBe(0)
    // The description is a single comment, with its lines.
    expect(report.comments).toContain(loadTest.description)
    const files = readdirSync(loadTest.run?.work?.report ?? '')
    expect(files).toEqual(expect.arrayContaining(['index.html', 'charts', 'scorecard.xml', 'scorecard.html']))
    const scorecard = await parseScorecard(
      readFileSync(path.join(loadTest.run?.work?.report ?? '', 'scorecard.xml')),
    )
    // Whether each could be evaluated depends on how far a busy machine came; the kept reports test its results.
    expect(scorecard.rules).toHaveLength(3)
  })

  test('two agent controllers share the users', async () => {
    const controllers: StartedController[] = []
    const controlling = new AbortController()
    const { javaHome, releases } = engine
    const release = releases['9.x']
    if (!release) throw new Error('no release')
    for (const name of ['one', 'two']) {
      const place = { release, javaHome, folder: path.join(folder, name), port: await freePort() }
      mkdirSync(place.folder)
      controllers.push(await startAgentController(place, controlling.signal))
    }
    service.settings.engine = { ...engine, agentControllers: controllers.map(({ url }) => ({ url })) }
    try {
      const loadTest = await start(1)
      expect((await toItsEnd(loadTest)).at(-1)).toBe('FINISHED')
      const { agents } = await reportOf(loadTest)
      expect(agents.map(({ name }) => /ac\d+/.exec(name)?.[0]).sort()).toEqual(['ac001', 'ac002'])
    } finally {
      controlling.abort()
      await Promise.all(controllers.map(({ done }) => done))
    }
  })

  test('the scenarios pass as functional tests, too', async () => {
    const suite = path.join(folder, 'functional')
    cpSync('examples/webshop-suite', suite, { recursive: true })
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      JAVA_HOME: engine.javaHome,
    }
    const args = ['-B', 'test', `-Dwebshop.url=${shop.url}`]
    const { stdout } = await promisify(execFile)('./mvnw', args, { cwd: suite, env })
    expect(stdout).toContain('Tests run: 4, Failures: 0, Errors: 0, Skipped: 0')
  })
})
