import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { parseGates } from '../../src/language/language.js'
import { judge } from '../../src/gates/gates.js'
import { reportAt } from '../report/report-at.js'

/** The engine's own reports; GATE_REPORTS can name others, such as yours. */
const golden = readdirSync('__tests__/engine/golden', { recursive: true, encoding: 'utf8' })
  .filter((file) => path.basename(file) === 'testreport.xml')
  .map((file) => path.join('__tests__/engine/golden', file))
const reports =
  process.env['GATE_REPORTS']?.split(path.delimiter) ?? golden.filter((_, index) => index % 8 === 0)

/** The maximum number of gates in one input. */
const most = 500

// One program answers for all, because starting it takes longer than its answer.
const answers = JSON.parse(
  execFileSync('python3', ['__tests__/gates/oracle.py', ...reports], {
    encoding: 'utf8',
    maxBuffer: 200_000_000,
  }),
) as [gate: string, result: string][][]

test.each(reports.map((file, index) => [file, answers[index] ?? []] as const))(
  'every gate with a fixed limit over %s has the result that Python computes',
  async (file, expected) => {
    const report = await reportAt(file)
    const wrong: string[] = []
    for (let from = 0; from < expected.length; from += most) {
      const some = expected.slice(from, from + most)
      const { gates, faults } = parseGates(some.map(([gate]) => gate).join('\n'))
      expect(faults).toEqual([])
      const judged = await judge({ gates, report })
      const results = judged.results.filter(({ builtIn }) => !builtIn)
      expect(results).toHaveLength(some.length)
      results.forEach(({ gate, result }, index) => {
        const [asked, right] = some[index] ?? []
        if (gate !== asked || result !== right) wrong.push(`${asked}: ${result}, not ${right}`)
      })
    }
    expect(expected.length).toBeGreaterThan(300)
    expect(wrong).toEqual([])
  },
)
