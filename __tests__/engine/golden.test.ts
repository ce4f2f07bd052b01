import path from 'node:path'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { buildXPathWorker } from '../gates/built-worker.js'
import { buildBaseline } from '../../src/noise/baseline.js'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { metricWords } from '../../src/figures/metrics.js'
import { reportAt } from '../report/report-at.js'
import { parseScorecard } from '../../src/report/formats/xlt-scorecard.js'

/** Reports that the engine itself wrote: `npm run engine-reports`. */
const golden = path.resolve('__tests__/engine/golden')
const releases = readdirSync(golden)
const folders = releases.flatMap((release) =>
  readdirSync(path.join(golden, release)).map((name) => `${release}/${name}`),
)
/** Runs that were not as planned, or of which the report covers a part; their figures are like those of the others. */
const unusual = ['agent-lost-late', 'cut', 'iterations', 'only-agent-lost', 'other-periods']
const reports = folders.filter(
  (name) => existsSync(path.join(golden, name, 'testreport.xml')) && !unusual.includes(path.basename(name)),
)

/** Each figure as Python's reader sees it: the gate that only this figure passes. */
const known = new Map(
  (
    JSON.parse(
      execFileSync(
        'python3',
        ['__tests__/gates/oracle.py', ...reports.map((name) => path.join(golden, name, 'testreport.xml'))],
        { encoding: 'utf8', maxBuffer: 500_000_000 },
      ),
    ) as [gate: string, result: string][][]
  ).map((answers, index) => [
    reports[index] ?? '',
    answers.flatMap(([gate, result]) => (result === 'passed' && gate.includes(' = ') ? [gate] : [])),
  ]),
)

test('there are reports of every kind, of a 9.x and of a 10.x release', () => {
  expect(releases.map((release) => release.split('.')[0]).sort()).toEqual(['10', '9'])
  for (const release of releases) {
    expect(readdirSync(path.join(golden, release)).sort()).toEqual([
      ...['aborted', 'agent-lost', 'agent-lost-late', 'cut', 'errors', 'iterations', 'normal'],
      ...['only-agent-lost', 'other-periods', 'scorecard-error', 'scorecard-failed-by-rating'],
      ...['scorecard-failed-by-rule', 'scorecard-invalid', 'scorecard-passed', 'scorecard-skipped-rules'],
      ...['slow', 'visitors'],
    ])
  }
})

test.each([...known])(
  '%s: every figure equals, to the last digit, what Python reads',
  async (name, asked) => {
    const report = await reportAt(path.join(golden, name, 'testreport.xml'))
    expect(asked.length).toBeGreaterThan(200)
    const { gates, faults } = parseGates(asked.join('\n'))
    expect(faults).toEqual([])
    const { results } = await judge({ gates, report })
    // What the built-in rule adds is not what was asked for.
    const passed = results.filter(({ builtIn, result }) => !builtIn && result === 'passed')
    expect(passed.map(({ gate }) => gate)).toEqual(asked)
  },
)

test('each subject and each metric of the gate language is tried with real reports', () => {
  const asked = [...known.values()].flat()
  const subjects = new Set(asked.map((gate) => gate.split(/[ "]/)[0]))
  expect([...subjects].sort()).toEqual([
    ...['action', 'actions', 'agents', 'custom-timer', 'custom-timers', 'page-load', 'page-loads'],
    ...['request', 'requests', 'transaction', 'transactions', 'web-vitals'],
  ])
  const metrics = new Set(asked.map((gate) => gate.replace(/^[a-z-]+( "[^"]*")? /, '').split(' ')[0]))
  // The engines of these lines no longer measure the first input delay.
  expect(metricWords.filter((metric) => !metrics.has(metric))).toEqual(['fid'])
})

describe('gates over real reports', () => {
  const bundle = mkdtempSync(path.join(tmpdir(), 'golden-'))
  const worker = path.join(bundle, 'xpath-worker.mjs')
  beforeAll(() => buildXPathWorker(worker))
  afterAll(() => rmSync(bundle, { recursive: true, force: true }))

  test.each(releases)('%s: scorecard, XPath, wildcards and missing names', async (release) => {
    const folder = path.join(golden, release, 'visitors')
    const file = path.join(folder, 'testreport.xml')
    const { gates, faults } = parseGates(`
scorecard passes
xpath(count(/testreport/transactions/transaction)) = 4
xpath(/testreport/summary/requests/errors) = 0
request "*Cart" count > 0
web-vitals "*" lcp > 0 ms
request "Nowhere" count > 0
web-vitals "Homepage" fid < 1 s`)
    expect(faults).toEqual([])
    const [report, scorecard] = [
      await reportAt(file),
      await parseScorecard(readFileSync(path.join(folder, 'scorecard.xml'))),
    ]
    const { results } = await judge({ gates, report, scorecard, xpath: { file, worker, errorsIn: () => [] } })
    expect(results.map(({ subject, result }) => [subject, result])).toEqual([
      ['scorecard', 'passed'],
      ['xpath', 'passed'],
      ['xpath', 'passed'],
      ['request "AddToCart"', 'passed'],
      ['request "ViewCart"', 'passed'],
      ['web-vitals "Homepage"', 'passed'],
      ['request "Nowhere"', 'not-measured'],
      ['web-vitals "Homepage"', 'not-measured'],
    ])
  })
})

test.each(releases)(
  '%s: gates that compare distinguish the slower shop from an unchanged one',
  async (release) => {
    const read = (kind: string) => reportAt(path.join(golden, release, kind, 'testreport.xml'))
    const baseline = buildBaseline([await read('normal')])
    if (!baseline) throw new Error('no baseline')
    const { gates } = parseGates(`
requests p95 <= baseline + 10 % + 20 ms
transaction "TBrowse" error-rate <= baseline + 1 pp
action "Homepage" mean <= baseline + 10 % + 20 ms`)
    const verdicts = async (kind: string) =>
      (await judge({ gates, report: await read(kind), baseline })).results.map(({ result }) => result)
    expect(await verdicts('slow')).toEqual(['failed', 'passed', 'failed'])
    expect(await verdicts('visitors')).toEqual(['passed', 'passed', 'passed'])
  },
)

test.each(folders)('%s: the verdict of the scorecard is what the engine prints on its page', async (name) => {
  const folder = path.join(golden, name)
  const scorecard = await parseScorecard(readFileSync(path.join(folder, 'scorecard.xml')))
  const printed = readFileSync(path.join(folder, 'printed.txt'), 'utf8')
  const verdict = printed.includes('could not be evaluated')
    ? 'error'
    : /the test failed|qualifies this test as failed/.test(printed)
      ? 'failed'
      : 'passed'
  expect(scorecard.verdict).toBe(verdict)
  const [, points, total, percentage] =
    /got (\d+) out of (\d+) points. The rating result is ([\d.]+)%/.exec(printed) ?? []
  expect([scorecard.points, scorecard.totalPoints, scorecard.pointsPercentage]).toEqual(
    [points, total, percentage].map((text) => (text === undefined ? undefined : Number(text))),
  )
})

test.each(releases)('%s: each result of a scorecard is read correctly', async (release) => {
  const read = async (end: string) =>
    parseScorecard(readFileSync(path.join(golden, release, `scorecard-${end}`, 'scorecard.xml')))
  expect(await read('passed')).toMatchObject({ verdict: 'passed', rating: 'Good' })
  expect(await read('failed-by-rule')).toMatchObject({ verdict: 'failed', pointsPercentage: 90 })
  expect(await read('failed-by-rating')).toMatchObject({ verdict: 'failed', rating: 'Poor' })
  const skipped = await read('skipped-rules')
  expect(skipped.rules.map(({ result }) => result)).toEqual(['passed', 'passed', 'skipped'])
  expect(await read('error')).toMatchObject({ verdict: 'error' })
  expect((await read('invalid')).error).toMatch(/scorecard\.json.*malformed/)
})

test('a run that ended early, was slow or had errors is read as such', async () => {
  for (const release of releases) {
    const read = (kind: string) => reportAt(path.join(golden, release, kind, 'testreport.xml'))
    const [normal, slow, errors, lost] = [
      await read('normal'),
      await read('slow'),
      await read('errors'),
      await read('agent-lost'),
    ]
    const mean = ({ timers }: typeof normal) => timers.requests.summary?.mean ?? 0
    expect(mean(slow)).toBeGreaterThan(mean(normal) * 1.2)
    expect(normal.errors).toEqual([])
    expect(errors.errors.length).toBeGreaterThan(0)
    expect(errors.responseCodes.map(({ code }) => code)).toContain(503)
    expect(lost.agents).toHaveLength(2)
    expect((await read('aborted')).timers.requests.summary?.count).toBeGreaterThan(0)
  }
})

test('they are small, and contain nothing about the machine that made them', () => {
  const files = readdirSync(golden, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name))
  expect(paths.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(3 * 1024 * 1024)
  for (const file of paths) {
    expect(readFileSync(file, 'utf8')).not.toMatch(
      /\/(?:tmp|root|home|usr|var|Users|work)\/|user\.name|java\.home/,
    )
  }
})
