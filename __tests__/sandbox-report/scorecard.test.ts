import { scorecardXml, testReportXml, type SimulatedRun } from '../../sandbox/report/archive.js'
import { all, figure, one, parsed, shortRun, text, type Tree } from './read-back.js'

function scorecard(changes: Partial<SimulatedRun>): Tree {
  const xml = scorecardXml({ ...shortRun, ...changes })
  if (xml === undefined) throw new Error('no scorecard')
  return parsed(xml)
}

const loads: [string, Partial<SimulatedRun>][] = [['faulty', { errorRate: 0.2 }]]

describe.each(loads)('the scorecard of a run that is %s', (_, changes) => {
  const run: SimulatedRun = { ...shortRun, ...changes, scorecard: 'failed' }
  const failed = scorecard(run)

  test('failed: a rule that can fail the test is not met', () => {
    const tree = failed
    const outcome = one(tree, 'outcome')
    expect(outcome.attributes['testFailed']).toBe('true')
    expect(all(outcome, 'error')).toHaveLength(0)
    const failing = results(tree).filter((rule) => rule.attributes['testFailed'] === 'true')
    expect(failing.map((rule) => rule.attributes['ref-id'])).toEqual(['requestP99'])
    expect(failing.map((rule) => text(rule, 'result'))).toEqual(['NOTPASSED'])
    expect(configured(tree, 'requestP99').attributes['failsTest']).toBe('true')
    expect(Number(outcome.attributes['pointsPercentage'])).toBeLessThan(100)
  })

  test('values are those of the test report, results those of the conditions, points those of the results', () => {
    const report = parsed(testReportXml(run))
    const tree = failed
    let points = 0
    for (const result of results(tree)) {
      const rule = configured(tree, result.attributes['ref-id'] ?? '')
      const value = text(result, 'checks/check/value')
      expect(value).toBe(selected(report, text(rule, 'checks/check/selector')))
      const limit = Number(text(rule, 'checks/check/condition').replace(/^<= /, ''))
      expect(text(result, 'result')).toBe(Number(value) <= limit ? 'PASSED' : 'NOTPASSED')
      expect(text(result, 'checks/check/result')).toBe(text(result, 'result'))
      const earned = Number(result.attributes['points'])
      expect(earned).toBe(text(result, 'result') === 'PASSED' ? Number(rule.attributes['points']) : 0)
      points += earned
    }
    const outcome = one(tree, 'outcome')
    expect(Number(outcome.attributes['points'])).toBe(points)
    const total = Number(outcome.attributes['totalPoints'])
    expect(total).toBe(
      all(tree, 'configuration/rules/rule').reduce((sum, rule) => sum + Number(rule.attributes['points']), 0),
    )
    expect(outcome.attributes['pointsPercentage']).toBe(((points / total) * 100).toFixed(1))
    const groups = all(tree, 'outcome/groups/group')
    expect(groups.reduce((sum, group) => sum + Number(group.attributes['points']), 0)).toBe(points)
    expect(groups.map((group) => text(group, 'result'))).toContain('NOTPASSED')
  })
})

function results(tree: Tree): Tree[] {
  return all(tree, 'outcome/groups/group/rules/rule')
}

function configured(tree: Tree, id: string): Tree {
  const rule = all(tree, 'configuration/rules/rule').find((candidate) => candidate.attributes['id'] === id)
  if (!rule) throw new Error(`No rule ${id}`)
  return rule
}

/** The few forms of XPath that the rules use, evaluated independently. */
function selected(report: Tree, selector: string): string {
  const largest = /^max\(\/testreport\/(.*)\)$/.exec(selector)?.[1]
  if (largest !== undefined) {
    return Math.max(...all(report, largest).map((found) => Number(found.text))).toFixed(3)
  }
  const named = /^\/testreport\/(\w+\/\w+)\[name = '(.*)'\]\/(.*)$/.exec(selector)
  if (!named) return text(report, selector.replace('/testreport/', ''))
  const [, list = '', name = '', place = ''] = named
  const timer = all(report, list).find((candidate) => text(candidate, 'name') === name)
  if (!timer) throw new Error(`No ${name}`)
  expect(figure(timer, place)).toBeGreaterThanOrEqual(0)
  return text(timer, place)
}
