import { isGreen, verdicts, type Outcome, type Verdict } from '../../src/outcome/outcome.js'
import { annotations, closingGroups, closingLines } from '../../src/publish/annotations.js'
import { renderComment, renderStartedComment } from '../../src/publish/markdown/comment.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { wordsFor } from '../../src/publish/words/words.js'
import { decode } from './markdown-reader.js'
import {
  accepted,
  cancelled,
  checked,
  compare,
  confirmed,
  cutShort,
  error,
  everyOutcome,
  firstRun,
  green,
  invalid,
  loadTestFailed,
  merged,
  regression,
  started,
  timedOut,
  withoutBaseline,
  withoutPage,
} from './outcomes.js'

/** The rules for everything that is published, whatever the verdict. */

const faces = (outcome: Outcome) => ({
  summary: renderSummary(outcome),
  comment: renderComment(outcome, 'key'),
  digest: outcome.kind === 'load-test' || outcome.kind === 'merge' ? renderDigest(outcome) : '',
})

/** The job's log at its end, group by group. */
const logOf = (outcome: Outcome) => [
  ...closingGroups(outcome).flatMap(({ title, lines }) => [title, ...lines.map(({ line }) => line)]),
  ...annotations(outcome)
    .filter(({ kind }) => kind !== 'notice')
    .map(({ kind, message }) => `${kind}: ${message}`),
  ...closingLines(outcome).map(({ line }) => line),
]

/** The annotations of a step that goes red for what is not green. */
const annotationsOf = (outcome: Outcome) =>
  annotations(outcome, isGreen(outcome.verdict) || outcome.verdict === 'started' ? 'warning' : 'error')

/** The text that a reader sees, without code, addresses and charts. */
function words(face: string): string {
  return (
    face
      // Lines to copy keep their spaces.
      .replace(/```[^]*?```|<pre[^]*?<\/pre>|<style>[^]*?<\/style>|<!--[^]*?-->/g, ' ')
      .replace(/<code>.*?<\/code>|<span class="code">.*?<\/span>|<svg[^]*?<\/svg>/g, ' … ')
      .replace(/\]\(<[^>]*>\)/g, ']')
      .replace(/<[^>]+>/g, '\n')
  )
}

const units = /\d (?:ms|s|min|h|%|\/s|\/min|\/h|points?|kB|MB|GB)(?![\p{L}\p{N}/])/u

function holdsForAll(outcome: Outcome) {
  const told = [...annotations(outcome).map(({ title, message }) => `${title} ${message}`), ...logOf(outcome)]
  expect(told.filter((line) => line.includes('/public/api/'))).toEqual([])
  for (const [name, face] of Object.entries(faces(outcome))) {
    expect([name, face.match(/\/public\/api\//)]).toEqual([name, null])
    expect([name, units.exec(words(face))?.[0]]).toEqual([name, undefined])
    // `fail-on` decides the colour of the step; what is published must not name a colour.
    expect([name, /\b(?:step|job) (?:is|goes|stays|was) (?:red|green)\b/.exec(face)?.[0]]).toEqual([
      name,
      undefined,
    ])
  }
}

/** Lines at 800 px: about 105 letters each; a table row or a folded part counts as one. */
function linesOf(comment: string): number {
  const open = comment.replace(/<details>[^]*?<\/details>/g, '(fold)').replace(/<!--.*?-->/g, '')
  const lines = open.split('\n').filter((line) => line.trim() !== '' && !/^\| -{3}/.test(line))
  return lines.reduce((sum, line) => sum + Math.ceil(words(line).length / 105), 0)
}

test('an address can be clicked: nothing follows it without a space', () => {
  const { advice } = timedOut()
  const lines = verdicts.flatMap((verdict) => annotations({ ...regression(), advice, gates: [], verdict }))
  const told = [...lines.map(({ message }) => message), ...advice]
  expect(told.join('\n')).toContain('https://load.example.com/org/shop/load-tests/42 if')
  for (const line of told) expect(line).not.toMatch(/https?:\/\/\S*[.,;:](?:\s|$)/)
})

test('an address of the run is a link in "What to do", and no other address is one', () => {
  const page = 'https://load.example.com/org/shop/load-tests/42'
  const outcome = { ...timedOut(), notes: ['The service says: see https://evil.example.com/42 now.'] }
  const { summary, comment, digest } = faces(outcome)
  for (const face of [summary, comment]) {
    expect(face).toContain(`Stop it at [load.example.com](<${page}>) if`)
    expect(face).not.toContain('](<https://evil')
  }
  expect(digest).toContain(`Stop it at <a href="${page}"`)
  expect(digest).not.toContain('href="https://evil')
})

test.each(Object.entries(everyOutcome).filter(([name]) => name !== 'huge'))('%s', (_, make) => {
  holdsForAll(make())
})

test.each(verdicts)('%s, with a run and without, with a page and without', (verdict) => {
  for (const outcome of [timedOut(), error(), withoutPage(regression())]) holdsForAll({ ...outcome, verdict })
})

test('a run whose page is not known is said to be on the list of the service, with a link where that is known', () => {
  const outcome = withoutPage(regression())
  for (const face of Object.values(faces(outcome))) {
    expect(face).toMatch(
      /\[Load test 42 \(in the list of the service\)\]\(<https:\/\/load.example.com\/>\)|<a href="https:\/\/load.example.com\/" [^>]*><bdi>Load test 42 \(in/,
    )
  }
  const { service: _, ...step } = outcome.step
  const running = renderStartedComment({ run: { number: 42 }, step }, 'key')
  expect(running).toContain('\n\nLoad test 42 (in the list of the service)\u00a0· [Workflow run]')
})

describe('a green comment', () => {
  const names = ['Homepage', 'Cart.Add', 'Health', 'Search.Results', 'Account.Login', 'ProductDetail']

  test.each([0, 1, 6])('with %d slower requests takes at most six lines', (count) => {
    const outcome = green()
    for (const name of names.slice(0, count))
      compare(outcome, { name, metric: 'p95' }, { baseline: 500, value: 900 })
    const comment = renderComment(outcome, 'key')
    expect(linesOf(comment)).toBeLessThanOrEqual(6)
    expect(comment).not.toContain('### ')
    expect(comment).not.toContain('```')
  })
})

test('a red comment says which gates failed, what got worse and what to do, in this order', () => {
  const comment = renderComment(regression(), 'key')
  expect(comment.split('\n').filter((line) => line.startsWith('### '))).toEqual([
    '### What to do',
    '### Gates: 2 failed, 1\u00a0warned',
    '### What else got slower, costliest first',
    '### Where the time goes',
    '### Notes',
  ])
  expect(comment.split('\n')[2]).toContain(
    '2\u00a0of\u00a07\u00a0gates (limits) failed: requests p95, request "Checkout.PlaceOrder" p95. 1\u00a0warned: requests p99. The slowdown',
  )
})

/** What is published for each verdict. */
interface Ending {
  outcome: Outcome
  headline: string
  /** The first heading, open or folded, and the columns of the first table; none if nothing was measured. */
  first: string
  columns?: string
  /** Beside the red cross, after the first, which has the headline. */
  errors?: string[]
  /** The log's lines before the verdict, the groups first. */
  log?: (string | RegExp)[]
}

const fits = checked().checks?.filter(({ result }) => result === 'fits') ?? []
const advice = [...timedOut().advice]

/** Each verdict has a row; if one is missing, this does not compile. */
const endings: Record<Verdict, Ending> & Record<string, Ending> = {
  passed: {
    outcome: green(),
    headline: 'Load test: as fast as in 3 runs of main (requests p95 410 → 412 ms)',
    first: 'Key figures',
    columns: 'Figure, Before → now',
  },
  failed: {
    outcome: regression(),
    headline: 'Load test: requests 34% slower (p95 410 → 550 ms), seen in 3 of 12 named requests',
    first: 'What to do',
    columns: 'Gate · Before → now',
    errors: ['Gate failed'],
    log: [
      'Gates',
      ...Array<RegExp>(4).fill(/^passed: /),
      /^warning: warn: requests p99/,
      /^warning: The mean CPU/,
      /^warning: 1 request of the baseline/,
      /^error: requests p95 <= .*value 550 ms, limit ≤ 471 ms/,
      /^error: Checkout stays quick: request "Check\*".*value 1,240 ms, limit ≤ 1,200 ms/,
      /^To rule out the load generators, set more or larger ones for the load test on the service, or ask whoever runs it there\. Then run it again\. https:/,
      /^Look for the cause in what has changed since the baseline\. https:\/\/github\.com\/shop\/shop\/compare\//,
      /^Begin with "Checkout\.PlaceOrder" \(p95 890 → 1,240 ms\)\. https:/,
      /^If this is intended, a label on the pull request can accept it\. https:/,
    ],
  },
  accepted: {
    outcome: accepted(),
    headline: 'Load test: requests 34% slower, accepted by octocat (p95 410 → 550 ms)',
    first: 'Gates: 2 failed, 1\u00a0warned',
    columns: 'Gate · Before → now',
  },
  invalid: {
    outcome: invalid(),
    headline: 'Load test: no verdict. The report has no request "Chekout"',
    first: 'What to do',
    columns: 'Gate and reason',
    log: [
      ...['Gates', /^passed: /, /^error: .*Did you mean "Checkout.Payment"/],
      'Did you mean "Checkout.Payment"? Correct the gate in line 2 of the input "gates" in the workflow file. Then push that: a re-run of the job would still have the old gate.',
      /^To try gates without another load test, give this report to the action "judge"\. https:/,
    ],
  },
  'load-test-failed': {
    outcome: loadTestFailed(),
    headline: 'Load test: no verdict, it ended as ABORTED after 15 min',
    first: 'Reasons',
    log: [
      /^error: Load test 42 ended in ABORTED\. The service only says: the load generators stopped answering\. Look at https:\S+ for why /,
    ],
  },
  'timed-out': {
    outcome: timedOut(),
    headline: 'Load test: no verdict, it had not ended after 5 h 45 min',
    first: 'Reasons',
    log: [
      `error: Load test 42 had not ended after 5 h 45 min; its last state was RUNNING. ${advice[0] ?? ''}`,
      ...advice.slice(1),
    ],
  },
  cancelled: {
    outcome: cancelled(),
    headline: 'Load test: no verdict, the job was cancelled',
    // The sentence below the headline already says that the job was cancelled.
    first: 'What to do',
    log: [`error: The job was cancelled. ${advice[0] ?? ''}`, ...advice.slice(1)],
  },
  error: {
    outcome: error(),
    headline: 'Load test: no verdict. Getting an access token failed: the load-testing service answered 401',
    first: 'What to do',
  },
  started: {
    outcome: started(),
    headline: 'Load test: started, no verdict yet',
    first: 'What to do',
    log: [
      /^Nothing, if a later step of the workflow with mode: collect judges it/,
      /^To judge it later without a new load test, run this step with the inputs mode: collect and run-number: 42/,
    ],
  },
  'failed in both runs': {
    outcome: confirmed(),
    headline:
      'Load test: requests 34% slower (p95 410 → 550 ms) in both runs, seen in 3 of 12 named requests',
    first: 'What to do',
    columns: 'Gate · Before → now',
  },
  'the first run': {
    outcome: firstRun(),
    headline: 'Load test: first run, nothing to compare with yet (requests p95 412 ms)',
    first: 'Gates not compared',
    columns: 'Gate · Now',
    log: ['Gates', /^not compared: requests p95 .* First run: /, /^passed: /],
  },
  'a run that was cut short': {
    outcome: cutShort(),
    headline: 'Load test: no verdict. The run measured 14 s of the planned 10 min',
    first: 'What to do',
    columns: 'Gate and reason',
  },
  'no earlier run': {
    outcome: withoutBaseline(),
    headline: 'Load test: no verdict. There is no baseline to compare with',
    first: 'What to do',
    columns: 'Gate and reason',
    log: [
      'Gates',
      /^passed: /,
      /^warning: There is no baseline yet/,
      /^error: requests p95 .*There is no baseline to compare with\./,
      /^Let this workflow run on main first/,
    ],
  },
  'a check that found a problem': {
    outcome: checked(),
    headline: 'Load test check: a run would fail. The credentials lack the scope LOADTEST_DETAILS',
    first: 'What to do',
    log: [
      /^warning: /,
      /^warning: /,
      /^error: The credentials lack the scope/,
      ...[/ scope LOADTEST_DETAILS \(problem\)/, / operation stop \(in doubt\)/, / comment \(in doubt\)/],
      /^✅ address \(ok\): /,
    ],
  },
  'a check that found none': {
    outcome: { ...checked(), verdict: 'passed', reasons: [], checks: [...fits, ...fits] },
    headline: 'Load test check: all 2 checks passed',
    first: 'What was checked',
  },
  'a matrix': {
    outcome: merged(),
    headline: 'Load tests: 2 of 3 did not pass: checkout (failed), login (no outcome)',
    first: 'What to do',
    columns: 'Load test, Key figure, costliest change',
    errors: ['Load test'],
    log: [
      'Load tests that passed',
      /^Passed: search: /,
      /^error: checkout: /,
      /^error: login: /,
      /^checkout: To rule out/,
      /^checkout: Look for the cause/,
      /^checkout: Begin with/,
      /^checkout: If this is intended/,
      /^login: See the log of its job, then re-run it\. https:/,
    ],
  },
}

describe.each(Object.entries(endings))(
  '%s',
  (_, { outcome, headline: line, first, columns, errors = [], log }) => {
    const { icon, word } = wordsFor(outcome)
    const { summary, comment, digest } = faces(outcome)
    const tableHead = (face: string) => /^\| (.*) \|\n\| -{3}/m.exec(face)?.[1]?.replaceAll(' | ', ', ')

    test.each([
      ['summary', summary],
      ['comment', comment],
    ])('%s: the verdict, then what decided', (_, face) => {
      expect(decode(face.split('\n')[0] ?? '').replace(/<[^>]+>/g, '')).toBe(`## ${icon} ${line}`)
      const heading = /^### (.*)$|^<summary>(.*)<\/summary>$/m.exec(face)
      expect(heading?.[1] ?? heading?.[2]).toBe(first)
      expect(tableHead(face)).toBe(columns)
    })

    if (outcome.kind !== 'check') {
      test('digest: the verdict, then what decided', () => {
        expect(decode(/<h1>(.*)<\/h1>/.exec(digest)?.[1] ?? '').replaceAll('&quot;', '"')).toBe(line)
        expect(/<p class="tag">.*<\/svg>(.*)<\/p>/.exec(digest)?.[1]).toBe(word)
        expect(/<h2>(.*?)<\/h2>/.exec(digest)?.[1]).toBe(first)
      })
    }

    test('annotations: an error for everything that decided, or else a notice with the verdict', () => {
      const all = annotationsOf(outcome)
      const isGood = isGreen(outcome.verdict) || outcome.verdict === 'started'
      const [title, ...others] = all.filter(({ kind }) => kind === 'error').map(({ title }) => title)
      expect(title).toBe(isGood ? undefined : line)
      expect(others).toEqual(errors)
      expect(all.filter(({ kind }) => kind === 'notice').map(({ title }) => title)).toEqual(
        isGood ? [`${icon} ${line}`] : [],
      )
    })

    test('log: gates, then each reason once, what to do, and the verdict last', () => {
      const lines = logOf(outcome)
      expect(lines.pop()?.startsWith(`${line}. The step took `)).toBe(true)
      const due = log?.map((part): unknown => (typeof part === 'string' ? part : expect.stringMatching(part)))
      if (due) expect(lines).toEqual(due)
      expect(closingLines(outcome).at(-1)?.tone).toBe(wordsFor(outcome).tone)
    })
  },
)

test('a sentence of the digest is read from left to right, even if a name that it begins with is not', () => {
  const first = { ...regression(), notes: ['"דף הבית" takes longer.'] }
  expect(renderDigest(first)).toMatch(/<li><bdi dir="ltr">[^<]+ takes longer\.<\/bdi><\/li>/)
})
