import { buildBaseline } from '../../src/noise/baseline.js'
import { parseGates } from '../../src/language/language.js'
import { validityNotes } from '../../src/gates/gates.js'
import type { Report, Scorecard } from '../../src/report/report.js'
import { report, requestReport, timer, unused } from './example-report.js'

function notes(now: Report, ...before: Report[]): string[] {
  const baseline = buildBaseline(before)
  return validityNotes(now, baseline ? { baseline } : {})
}

describe('notes', () => {
  it.each([
    [
      'load generators above 80% CPU, the busiest first',
      [
        report({
          agents: [
            { name: 'a', totalMean: 80 },
            { name: 'b', totalMean: 81 },
            { name: 'c', totalMean: 95.5 },
          ],
        }),
      ],
      /^The mean CPU use of 2 load generators was above 80%: c 95\.5%, b 81%\. /,
    ],
    [
      'one of them',
      [report({ agents: [{ name: 'a', totalMean: 80.1 }] })],
      /of 1 load generator was above 80%: a 80\.1%/,
    ],
    [
      'their mean, where none is listed',
      [report({ agentSummary: { totalMean: 90 } })],
      /^The mean CPU use over all/,
    ],
    [
      'a run much shorter than its baseline',
      [report({ general: { duration: 479 } }), report({ general: { duration: 600 } })],
      /^The run was much shorter than its baseline: 7 min 59 s instead of 10 min\.$/,
    ],
    [
      'a request that vanished',
      [requestReport([]), requestReport([timer('A')])],
      /^1 request of the baseline is missing from this run: "A"\.$/,
    ],
    [
      'a request that is no longer made',
      [requestReport([unused('A')]), requestReport([timer('A')])],
      /missing from this run: "A"/,
    ],
    [
      'new requests, five of them by name',
      [requestReport(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => timer(name))), requestReport([])],
      /^7 requests are new since the baseline: "A", "B", "C", "D", "E" and 2 more\.$/,
    ],
    [
      'another engine version',
      [report({ engineVersion: 'Engine 10' }), report({ engineVersion: 'Engine 9' })],
      /^The engine's version differs from the baseline's: Engine 10 instead of Engine 9\.$/,
    ],
    [
      'a baseline that is younger than the run',
      [report({ general: { startTime: 1 } }), report({ general: { startTime: 2 } })],
      /^The baseline is newer than the run\. Better and worse are reversed/,
    ],
  ])('%s', (_what, [now, ...before], expected) => {
    if (!now) throw new Error('no report')
    const found = notes(now, ...before)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(expected)
  })

  it('a run like its baseline has none', () => {
    const made = {
      ...requestReport([timer('A')]),
      agents: [{ name: 'a', totalMean: 80 }],
    }
    expect(notes(made, made)).toEqual([])
    expect(notes(made)).toEqual([])
    const [most, all] = [480, 600].map((duration) => report({ general: { duration } }))
    expect(most && all && notes(most, all)).toEqual([])
  })

  it('what is unknown causes none', () => {
    const bare = report({ general: {} })
    delete bare.engineVersion
    expect(notes(bare, report())).toEqual([])
    expect(notes(report(), bare)).toEqual([])
  })

  it('the length is compared with the median, the rest with the latest baseline run', () => {
    const run = (startTime: number, duration: number, engineVersion: string): Report =>
      report({ general: { startTime, duration }, engineVersion })
    const now = run(9, 500, 'new')
    expect(notes(now, run(1, 10_000, 'old'), run(2, 510, 'old'), run(3, 490, 'new'))).toEqual([])
  })

  it('a scorecard that no gate is about', () => {
    const scorecard = (verdict: Scorecard['verdict']): Scorecard => ({ verdict, rules: [] })
    const { gates } = parseGates('requests p95 <= 1 s')
    const asking = parseGates('scorecard passes').gates
    expect(validityNotes(report(), { scorecard: scorecard('failed'), gates })).toEqual([
      'The report\'s scorecard failed, and no gate asks for it. Add the gate "scorecard passes" to count it.',
    ])
    expect(validityNotes(report(), { scorecard: scorecard('error'), gates })).toHaveLength(1)
    expect(validityNotes(report(), { scorecard: scorecard('passed'), gates })).toEqual([])
    expect(validityNotes(report(), { scorecard: scorecard('failed'), gates: asking })).toEqual([])
    expect(validityNotes(report(), { scorecard: scorecard('failed'), gates: [] })).toEqual([])
  })

  it('foreign names become bounded single lines', () => {
    const odd = `x\n::error::\u202e${'y'.repeat(5000)}`
    const found = notes(
      {
        ...requestReport([timer(odd)]),
        agents: [{ name: odd, totalMean: 99 }],
        engineVersion: odd,
      },
      report(),
    )
    expect(found).toHaveLength(3)
    for (const note of found) {
      expect(note).not.toMatch(/[\n\u202e]/)
      expect(note.length).toBeLessThan(300)
    }
  })
})
