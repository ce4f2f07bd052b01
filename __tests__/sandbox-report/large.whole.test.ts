import { testReportXml } from '../../sandbox/report/archive.js'
import { expectFiguresOf, parsed, quietRun } from './read-back.js'

test.each([
  ['twenty minutes', 1_200_000, 1200, '1,200'],
  ['three hours', 3 * 3_600_000, 10_800, '10,800'],
])('a run of %s has enough figures to judge, at its own times', (_, length, duration, period) => {
  const tree = parsed(testReportXml({ ...quietRun, endTime: quietRun.startTime + length }))
  expectFiguresOf(tree, duration, period, 10_000)
})
