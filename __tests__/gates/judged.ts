import { judge, type Judged } from '../../src/gates/gates.js'
import { parseGates } from '../../src/language/language.js'
import { buildBaseline, type Baseline } from '../../src/noise/baseline.js'
import type { Report } from '../../src/report/report.js'

export function baselineOf(...given: Parameters<typeof buildBaseline>): Baseline {
  const baseline = buildBaseline(...given)
  if (!baseline) throw new Error('There is no baseline.')
  return baseline
}

type More = Omit<Parameters<typeof judge>[0], 'gates' | 'report' | 'baseline'>

/** What these lines say of a run, beside the earlier ones. */
export async function judgedBy(
  lines: string,
  report: Report,
  before: readonly Report[] = [],
  more: More = {},
): Promise<Judged> {
  const { gates, faults } = parseGates(lines)
  expect(faults).toEqual([])
  const baseline = buildBaseline(before)
  return judge({ gates, report, ...(baseline && { baseline }), ...more })
}
