import fc from 'fast-check'
import { gateOutcomes, type GateResult, verdictOf } from '../../src/gates/result.js'
import { nothingYet, withPart, type Outcome, type Part, type Run } from '../../src/outcome/outcome.js'
import { checked, comparison, gate, report, timer } from './outcomes.js'
import { reasonsAbout } from '../../src/text/reason.js'
import { anyText } from '../any-text.js'

/** Outcomes that a step can have before anything is published; files of report and results are in a folder. */

const sentence = fc.oneof(
  fc.constantFrom('Getting a token failed.', 'The list <b>failed</b> | 404: `x`.', 'Größe: 3 ✓ #17 @all'),
  anyText({ minLength: 1, maxLength: 200 }).map((text) => `It says ${text}`),
)

const run: fc.Arbitrary<Run> = fc
  .record({
    number: fc.integer({ min: 1, max: 999_999 }),
    state: fc.constantFrom('RUNNING', 'FINISHED', 'ABORTED', 'ODD\u202e|STATE'),
    durationSeconds: fc.integer({ min: 1, max: 90_000 }),
    revision: fc.constantFrom('c0ffee1', 'v1 | <b>`x`</b>', 'ab'.repeat(64)),
  })
  .chain((facts) =>
    fc.constantFrom(facts, { ...facts, url: `https://load.example.com/runs/${facts.number}` }),
  )

const gates: fc.Arbitrary<GateResult[]> = fc
  .array(
    fc.record({
      result: fc.constantFrom(...gateOutcomes),
      value: fc.integer({ min: 1, max: 90_000 }),
      limit: fc.integer({ min: 1, max: 90_000 }),
      subject: fc.constantFrom('requests', 'request "Login | <b>"', 'transaction "T`x`"'),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ result, value, ...more }, index) =>
      gate(index + 1, `${more.subject} p95 <= ${more.limit} ms`, {
        ...more,
        result,
        ...(result === 'not-measured' ? { reason: 'It has no figure.' } : { value }),
      }),
    ),
  )

const judged = fc
  .record({
    run,
    gates,
    p95: fc.integer({ min: 1, max: 90_000 }),
    notes: fc.array(sentence, { maxLength: 2 }),
    isCompared: fc.boolean(),
  })
  .map(({ p95, isCompared, ...rest }): Part => {
    const all = report()
    const requests = { ...all.timers.requests, summary: timer('All Requests', p95, 48_000, 61) }
    const figures = { ...all, timers: { ...all.timers, requests } }
    const judgement = { ...rest, ...verdictOf(rest.gates), figures }
    if (!isCompared) return judgement
    const held = comparison()
    const summary = held.rows.find(({ kind, name }) => kind === 'requests' && name === undefined)
    if (summary) summary.baseline['p95'] = 410
    return { ...judgement, comparison: held }
  })

const unjudged = fc.record(
  {
    verdict: fc.constantFrom(
      'load-test-failed' as const,
      'timed-out' as const,
      'error' as const,
      'started' as const,
    ),
    reasons: fc
      .array(sentence, { minLength: 1, maxLength: 12 })
      .map((texts) => reasonsAbout('run', ...texts)),
    advice: fc.array(sentence, { maxLength: 2 }),
    run,
  },
  { requiredKeys: ['verdict', 'reasons', 'advice'] },
)

const step = {
  actionVersion: '1.0.0',
  startedAt: '2026-03-01T14:35:00Z',
  seconds: 12,
  workflowRunUrl: 'https://github.com/sandbox/project/actions/runs/5',
}

const check = fc.constantFrom('passed' as const, 'error' as const).map((verdict): Outcome => {
  const { checks = [] } = checked()
  return withPart(nothingYet('check', step), {
    verdict,
    checks: verdict === 'error' ? checks : checks.filter(({ endsRun }) => !endsRun),
  })
})

/** @param file path of report and results */
export function arbitraryOutcome(file: string): fc.Arbitrary<Outcome> {
  const archive = { number: 1, path: file, ending: '.tar.gz', bytes: 6 }
  const ofRun = fc
    .record({ part: fc.oneof<fc.Arbitrary<Part>[]>(judged, judged, unjudged), results: fc.boolean() })
    .map(({ part, results }): Outcome => {
      const outcome = withPart(nothingYet('run', step), part)
      const files = { report: archive, ...(results ? { results: archive } : {}) }
      return outcome.figures || outcome.verdict === 'load-test-failed' ? withPart(outcome, files) : outcome
    })
  return fc.oneof({ weight: 3, arbitrary: ofRun }, { weight: 1, arbitrary: check })
}
