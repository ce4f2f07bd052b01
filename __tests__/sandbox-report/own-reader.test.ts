import { Buffer } from 'node:buffer'
import { scorecardXml, testReportXml, type SimulatedRun } from '../../sandbox/report/archive.js'
import { parseScorecard } from '../../src/report/formats/xlt-scorecard.js'
import { parseTestReport } from '../../src/report/formats/xlt-report.js'
import { figure, parsed, shortRun } from './read-back.js'

test('the reader of the step sees the figures that Python sees', async () => {
  const run: SimulatedRun = { ...shortRun, errorRate: 0.02, partial: true, engineVersion: 'ABC 9.2.0' }
  const xml = testReportXml(run)
  const tree = parsed(xml)
  const report = await parseTestReport(Buffer.from(xml))
  expect(report.engineVersion).toBe('ABC 9.2.0')
  expect(report.partial).toContain('Download from 1 of 3 agent controllers failed.')
  expect(report.general).toMatchObject({ startTime: run.startTime, endTime: run.endTime, duration: 120 })
  const lists = [
    ['transactions', 'transactions'],
    ['actions', 'actions'],
    ['requests', 'requests'],
    ['pageLoads', 'pageLoadTimings'],
    ['customTimers', 'customTimers'],
  ] as const
  for (const [kind, list] of lists) {
    const { summary, timers } = report.timers[kind]
    expect(timers.length).toBeGreaterThan(1)
    expect(summary?.count).toBe(figure(tree, `summary/${list}/count`))
    expect(summary?.percentiles['p99.9']).toBe(figure(tree, `summary/${list}/percentiles/p99.9`))
  }
  expect(report.timers.actions.summary?.apdex).toBe(figure(tree, 'summary/actions/apdex/value'))
  expect(report.webVitals.length).toBeGreaterThan(5)
  expect(report.agents).toHaveLength(2)
  expect(report.timers.requests.summary?.parts?.serverBusyTime).toBe(
    figure(tree, 'summary/requests/serverBusyTime/mean'),
  )
  expect(report.events?.map(({ name }) => name)).toContain('Out of stock')
  expect(report.customValues?.map(({ name }) => name)).toEqual(['CartSize'])
  expect(report.loadProfile.map((entry) => entry.name)).toContain('TCheckout')
  const errors = report.errors.reduce((sum, group) => sum + group.count, 0)
  expect(errors).toBe(figure(tree, 'summary/transactions/errors'))
  expect(JSON.stringify(report)).not.toMatch(/simulated-secret|simulated-visitor/)
})

test.each(['passed', 'failed', 'error'] as const)('it reads the verdict %s', async (verdict) => {
  const scorecard = await parseScorecard(Buffer.from(scorecardXml({ ...shortRun, scorecard: verdict }) ?? ''))
  expect(scorecard.verdict).toBe(verdict)
  expect(scorecard.rules.length).toBeGreaterThan(3)
})
