import { daily, thorough } from '../draws.js'
import { testReportXml, type SimulatedRun } from '../../sandbox/report/archive.js'
import {
  all,
  expectFiguresOf,
  figure,
  one,
  parsed,
  quietRun,
  shortRun,
  sum,
  text,
  type Tree,
} from './read-back.js'

const kinds = [
  ['transactions', 'transaction'],
  ['actions', 'action'],
  ['requests', 'request'],
  ['pageLoadTimings', 'pageLoadTiming'],
  ['customTimers', 'customTimer'],
] as const

/** For tests that distinguish two runs by their figures. */
const long = { endTime: quietRun.startTime + 300_000 }

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
  ['a quiet run', report()],
  ['a run with errors', faulty],
  ['a run in which everything fails', report({ errorRate: 1 })],
  ['a run in which every request times out', report({ slowdown: 5000 })],
  ['a partial run', report({ partial: true, errorRate: 0.02 })],
])('the figures of %s fit together', (_, tree) => {
  const duration = figure(tree, 'general/duration')

  daily.each(kinds)('%s', (list, tag) => {
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

  daily('the figures for bytes, status codes, errors and agents add up', () => {
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

  daily('the parts of a request add up to its time', () => {
    for (const request of all(tree, 'slowestRequests/request')) {
      const parts = ['dnsTime', 'connectTime', 'sendTime', 'serverBusyTime', 'receiveTime']
      const added = parts.reduce((total, part) => total + figure(request, part), 0)
      expect(added).toBe(figure(request, 'runtime'))
      expect(figure(request, 'timeToLastBytes')).toBe(figure(request, 'runtime'))
    }
  })
})

thorough('the same seed gives the same text; another seed gives figures a few percent apart', () => {
  const xml = testReportXml(shortRun)
  // Simulated again: the figures of at most four runs are kept.
  for (const seed of [1, 2, 3, 4]) testReportXml({ ...shortRun, endTime: shortRun.startTime, seed })
  expect(testReportXml({ ...shortRun })).toBe(xml)
  const [first, second] = [report({ ...long, seed: 1 }), report({ ...long, seed: 2 })]
  for (const place of ['count', 'mean', 'percentiles/p95']) {
    const [one = 0, other = 0] = [first, second].map((tree) => figure(tree, `summary/requests/${place}`))
    expect(Math.abs(other / one - 1)).toBeLessThan(0.06)
  }
  expect(figure(first, 'summary/requests/mean')).not.toBe(figure(second, 'summary/requests/mean'))
})

thorough('a slowdown makes each request slower and leads to fewer transactions', () => {
  const [usual, slow] = [report(long), report({ ...long, slowdown: 1.4 })]
  for (const request of all(usual, 'requests/request')) {
    const same = all(slow, 'requests/request').find((other) => text(other, 'name') === text(request, 'name'))
    if (!same) throw new Error(`${text(request, 'name')} is gone`)
    expect(figure(same, 'mean') / figure(request, 'mean')).toBeGreaterThan(1.25)
    expect(figure(same, 'mean') / figure(request, 'mean')).toBeLessThan(1.55)
  }
  expect(figure(slow, 'summary/requests/percentiles/p95')).toBeGreaterThan(
    figure(usual, 'summary/requests/percentiles/p95') * 1.25,
  )
  expect(figure(slow, 'summary/transactions/count')).toBeLessThan(figure(usual, 'summary/transactions/count'))
})

daily('the error rate is the share of failed requests', () => {
  expect(figure(report(), 'summary/requests/errors')).toBe(0)
  const share = figure(faulty, 'summary/requests/errors') / figure(faulty, 'summary/requests/count')
  expect(share).toBeGreaterThan(0.015)
  expect(share).toBeLessThan(0.025)
  const broken = report({ errorRate: 1 })
  expect(figure(broken, 'summary/requests/errorPercentage')).toBe(100)
  expect(figure(broken, 'summary/pageLoadTimings/count')).toBe(0)
})

thorough('a partial run says so in its name and lacks one load generator', () => {
  const tree = report({ partial: true })
  expect(all(tree, 'configuration/comments/string')[0]?.text).toBe(
    'Webshop nightly - Download from 1 of 3 agent controllers failed.',
  )
  expect(all(tree, 'agents/agent')).toHaveLength(2)
  expect(figure(tree, 'summary/requests/count')).toBeLessThan(
    figure(report(), 'summary/requests/count') * 0.8,
  )
  expect(testReportXml(shortRun)).not.toContain('agent controllers failed')
})

daily('names and descriptions with any characters are read back unchanged', () => {
  const name = `a|b <img src=x onerror=1> & "q" 'p' ]]> ::error:: @team`
  const description = 'first\n\n  third & <b>last</b>\u00e9 \u{1f680}\r\nafter CRLF'
  const tree = report({ name, description, projectName: '<p>' })
  expect(all(tree, 'configuration/comments/string').map((comment) => comment.text)).toEqual([
    name,
    description.replace('\r\n', '\n'),
    'All figures are simulated by the sandbox. No system was measured.',
  ])
  expect(text(tree, 'configuration/projectName')).toBe('<p>')
  const broken = report({ name: 'bell \u0007 null \u0000 half \ud800 end' })
  expect(all(broken, 'configuration/comments/string')[0]?.text).toBe(
    'bell \ufffd null \ufffd half \ufffd end',
  )
})

daily('it contains what a reader must never print', () => {
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

daily.each([
  ['9.2.0', 'SIM', '9.2.0', true],
  ['ABC 10.0.0-beta', 'ABC', '10.0.0-beta', true],
  ['8.2.0', 'SIM', '8.2.0', true],
  ['8.1.4', 'SIM', '8.1.4', false],
  ['6.0', 'SIM', '6.0', false],
])('engine %s', (engineVersion, logogram, version, withErrorPercentage) => {
  const tree = report({ engineVersion })
  expect(text(tree, 'configuration/version/logogram')).toBe(logogram)
  expect(text(tree, 'configuration/version/version')).toBe(version)
  expect(all(tree, 'summary/requests/errorPercentage')).toHaveLength(withErrorPercentage ? 1 : 0)
})

daily.each([
  ['of seconds', 4_000, 4],
  ['of no time at all', 0, 1],
])('a run %s has enough figures to judge, at its own times', (_, length, duration) => {
  const tree = report({ endTime: quietRun.startTime + length })
  expectFiguresOf(tree, duration, String(duration), 2_000)
})
