import { testReportXml, type SimulatedRun } from '../../sandbox/report/archive.js'
import { all, figure, one, parsed, shortRun, sum, text, type Tree } from './read-back.js'

const kinds = [
  ['transactions', 'transaction'],
  ['actions', 'action'],
  ['requests', 'request'],
  ['pageLoadTimings', 'pageLoadTiming'],
  ['customTimers', 'customTimer'],
] as const

const reports = new Map<string, Tree>()

/** Each run is simulated and read once. */
function report(changes: Partial<SimulatedRun> = {}): Tree {
  const key = JSON.stringify(changes)
  const tree = reports.get(key) ?? parsed(testReportXml({ ...shortRun, ...changes }))
  reports.set(key, tree)
  return tree
}

const faulty = report({ errorRate: 0.02 })

describe.each([
  ['a run with errors', faulty],
  ['a run in which everything fails', report({ errorRate: 1 })],
  ['a partial run', report({ partial: true, errorRate: 0.02 })],
])('the figures of %s fit together', (_, tree) => {
  const duration = figure(tree, 'general/duration')

  test.each(kinds)('%s', (list, tag) => {
    const summary = one(tree, `summary/${list}`)
    const timers = all(tree, `${list}/${tag}`)
    expect(sum(timers, 'count')).toBe(figure(summary, 'count'))
    expect(sum(timers, 'errors')).toBe(figure(summary, 'errors'))
    for (const timer of timers) {
      expect(figure(timer, 'count')).toBeGreaterThan(0)
      expect(figure(timer, 'min')).toBeGreaterThanOrEqual(figure(summary, 'min'))
      expect(figure(timer, 'max')).toBeLessThanOrEqual(figure(summary, 'max'))
    }
    const total = timers.reduce((all, timer) => all + figure(timer, 'count') * figure(timer, 'mean'), 0)
    expect(total / Math.max(1, figure(summary, 'count'))).toBeCloseTo(figure(summary, 'mean'), 2)
    expect(new Set(timers.map((timer) => text(timer, 'name'))).size).toBe(timers.length)

    for (const timer of [summary, ...timers]) {
      const count = figure(timer, 'count')
      const errors = figure(timer, 'errors')
      expect(errors).toBeLessThanOrEqual(count)
      expect(figure(timer, 'errorPercentage')).toBeCloseTo(count === 0 ? 0 : (errors * 100) / count, 3)
      expect(figure(timer, 'countPerSecond')).toBeCloseTo(count / duration, 2)
      expect(figure(timer, 'countPerHour')).toBeCloseTo((count / duration) * 3600, 2)
      const tens = (value: number) => Math.floor(value / 10) * 10
      const ladder = [
        tens(figure(timer, 'min')),
        ...['p50', 'p95', 'p99', 'p99.9'].map((rank) => figure(timer, `percentiles/${rank}`)),
        figure(timer, 'max'),
      ]
      expect(ladder).toEqual([...ladder].sort((low, high) => low - high))
      expect(figure(timer, 'median')).toBe(figure(timer, 'percentiles/p50'))
      for (const step of ladder.slice(0, -1)) expect(step % 10).toBe(0)
      expect(figure(timer, 'mean')).toBeGreaterThanOrEqual(figure(timer, 'min'))
      expect(figure(timer, 'mean')).toBeLessThanOrEqual(figure(timer, 'max'))
      expect(figure(timer, 'deviation')).toBeLessThanOrEqual(figure(timer, 'max') - figure(timer, 'min'))
    }
  })

  test('the figures for bytes, status codes, errors and agents add up', () => {
    const requests = all(tree, 'requests/request')
    const summary = one(tree, 'summary/requests')
    for (const name of ['bytesSent', 'bytesReceived']) {
      expect(sum(requests, `${name}/totalCount`)).toBe(figure(summary, `${name}/totalCount`))
      expect(figure(summary, `${name}/totalCount`)).toBe(figure(tree, `general/${name}`))
    }
    expect(figure(tree, 'general/hits')).toBe(figure(summary, 'count'))
    const codes = all(tree, 'responseCodes/responseCode')
    expect(sum(codes, 'count')).toBe(figure(summary, 'count'))
    const bad = codes.filter((code) => figure(code, 'code') === 0 || figure(code, 'code') >= 500)
    expect(sum(bad, 'count')).toBe(figure(summary, 'errors'))
    expect(sum(all(tree, 'errors/error'), 'count')).toBe(figure(tree, 'summary/transactions/errors'))
    expect(figure(tree, 'summary/actions/errors')).toBe(figure(tree, 'summary/transactions/errors'))
    const agents = all(tree, 'agents/agent')
    expect(sum(agents, 'transactions')).toBe(figure(tree, 'summary/transactions/count'))
    expect(sum(agents, 'transactionErrors')).toBe(figure(tree, 'summary/transactions/errors'))
    for (const rank of ['cpuUsage', 'totalCpuUsage']) {
      const lowest = Math.min(...agents.map((agent) => figure(agent, `${rank}/min`)))
      expect(figure(tree, `summary/agents/${rank}/min`)).toBe(lowest)
    }
  })
})

test('the error rate is the share of failed requests', () => {
  expect(figure(report(), 'summary/requests/errors')).toBe(0)
  const share = figure(faulty, 'summary/requests/errors') / figure(faulty, 'summary/requests/count')
  expect(share).toBeGreaterThan(0.015)
  expect(share).toBeLessThan(0.025)
  const broken = report({ errorRate: 1 })
  expect(figure(broken, 'summary/requests/errorPercentage')).toBe(100)
  expect(figure(broken, 'summary/pageLoadTimings/count')).toBe(0)
})

test('it contains what a reader must never print', () => {
  const properties = all(faulty, 'configuration/properties/property').map((property) => property.attributes)
  expect(properties).toContainEqual({
    name: 'webshop.admin.password',
    value: 'simulated-secret-do-not-print',
  })
  const slowest = all(faulty, 'slowestRequests/request')
  expect(slowest.every((request) => text(request, 'url').includes('?visitor=simulated-visitor-'))).toBe(true)
  expect(slowest.filter((request) => text(request, 'formData').startsWith('email=')).length).toBeGreaterThan(
    0,
  )
})
