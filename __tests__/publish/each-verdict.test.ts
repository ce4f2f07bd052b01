import fc from 'fast-check'
import { isGreen, verdicts, type Outcome, type Verdict } from '../../src/outcome.js'
import { annotations } from '../../src/publish/annotations.js'
import { closingGroups, closingLines } from '../../src/publish/closing-lines.js'
import { renderComment, renderStartedComment } from '../../src/publish/comment.js'
import { renderDigest } from '../../src/publish/digest.js'
import { headline } from '../../src/publish/headline.js'
import { renderSummary } from '../../src/publish/summary.js'
import { verdictWords } from '../../src/publish/verdict-words.js'
import { goesOn } from '../../src/start/run-advice.js'
import { arbitraryOutcome } from './arbitrary-outcome.js'
import { historied } from './historied.js'
import { decode } from './markdown-reader.js'
import {
  accepted,
  cancelled,
  checked,
  compared,
  confirmed,
  error,
  everyOutcome,
  firstRun,
  withoutBaseline,
  cutShort,
  green,
  invalid,
  loadTestFailed,
  merged,
  regression,
  started,
  timedOut,
  withoutPage,
} from './outcomes.js'

/** The rules for everything that is published, whatever the verdict. */

const faces = (outcome: Outcome) => ({
  summary: renderSummary(outcome),
  comment: renderComment(outcome, 'key'),
  digest: renderDigest(outcome),
})

/** The job's log at its end, group by group. */
const logOf = (outcome: Outcome) => [
  ...closingGroups(outcome).flatMap(({ title, lines }) => [title, ...lines.map(({ line }) => line)]),
  ...closingLines(outcome).map(({ line }) => line),
]

/** The annotations of a step that goes red for what is not green. */
const annotationsOf = (outcome: Outcome) =>
  annotations(outcome, isGreen(outcome.verdict) || outcome.verdict === 'started' ? 'warning' : 'error')

/** The text that a reader sees, without code, addresses and charts. */
function words(face: string): string {
  return face
    .replace(/```[^]*?```|<style>[^]*?<\/style>|<!--[^]*?-->/g, ' ')
    .replace(/<code>.*?<\/code>|<span class="code">.*?<\/span>|<svg[^]*?<\/svg>/g, ' … ')
    .replace(/\]\(<[^>]*>\)/g, ']')
    .replace(/<[^>]+>/g, '\n')
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
  const outcome = { ...regression(), advice: [...goesOn({ number: 42, url: 'https://load.example.com/42' })] }
  const lines = verdicts.flatMap((verdict) => annotations({ ...outcome, gates: [], verdict }))
  const told = [...lines.map(({ message }) => message), ...outcome.advice]
  expect(told.join('\n')).toContain('https://load.example.com/42 and')
  for (const line of told) expect(line).not.toMatch(/https?:\/\/\S*[.,;:](?:\s|$)/)
})

test('an address of the run is a link in "What to do", and no other address is one', () => {
  const page = 'https://load.example.com/org/shop/load-tests/42'
  const outcome = { ...timedOut(), notes: ['The service says: see https://evil.example.com/42 now.'] }
  const { summary, comment, digest } = faces(outcome)
  for (const face of [summary, comment]) {
    expect(face).toContain(`is still running at [<code>https&#58;//${page.slice(8)}</code>](<${page}>) and`)
    expect(face).not.toContain('](<https://evil')
  }
  expect(digest).toContain(`is still running at <a href="${page}"`)
  expect(digest).not.toContain('href="https://evil')
})

test.each(Object.entries(everyOutcome).filter(([name]) => name !== 'huge'))('%s', (_, make) => {
  holdsForAll(make())
})

test.each(verdicts)('%s, with a run and without, with a page and without', (verdict) => {
  for (const outcome of [regression(), error(), withoutPage(regression())])
    holdsForAll({ ...outcome, verdict })
})

test('generated outcomes', () => {
  fc.assert(fc.property(arbitraryOutcome('/tmp/report.tar.gz'), holdsForAll), { numRuns: 60 })
})

test('a run whose page is not known is named without a link', () => {
  const outcome = withoutPage(regression())
  for (const face of Object.values(faces(outcome))) {
    expect(face).toContain('Load test 42 Pull request 12')
    expect(face).not.toMatch(/\[Load test 42|<a [^>]*>(?:<bdi>)?Load test 42/)
  }
  const running = renderStartedComment({ run: { number: 42 }, step: outcome.step }, 'key')
  expect(running).toContain('\n\nLoad test 42\u00a0· [Workflow run]')
})

describe('a green comment', () => {
  const slower = (names: readonly string[]) => {
    const outcome = green()
    for (const { name = '', figures } of outcome.comparison?.rows ?? []) {
      if (names.includes(name)) figures['p95'] = compared(900, 500)
    }
    return outcome
  }

  test.each([
    ['that nothing changed in', green()],
    ['with one slower request', slower(['Homepage'])],
    [
      'with six',
      slower(['Homepage', 'Cart.Add', 'Health', 'Search.Results', 'Account.Login', 'ProductDetail']),
    ],
  ])('%s takes at most twelve lines', (_, outcome) => {
    const comment = renderComment(outcome, 'key')
    expect(linesOf(comment)).toBeLessThanOrEqual(12)
    expect(comment.match(/<details>/g)).toHaveLength(1)
    expect(comment).not.toContain('```')
  })

  test('has only headline, one line of comparison and links if nothing changed', () => {
    const blocks = renderComment(green(), 'key').split('\n\n')
    expect(blocks[0]).toMatch(
      /^## ✅ All 7 gates passed: requests p95 412\u00a0ms, \+0\.5\u00a0% \(within noise\)$/,
    )
    expect(blocks[1]).toMatch(/^Compared with 3 runs of main\./)
    expect(blocks[2]).toMatch(/^\[Load test 42 /)
    expect(blocks[3]).toMatch(/^<details>/)
    expect(linesOf(renderComment(green(), 'key'))).toBeLessThanOrEqual(6)
  })
})

describe('a red comment', () => {
  test('has the failed gates first, beginning with that of the headline and of the sentence below it', () => {
    const outcome = regression()
    const comment = renderComment(outcome, 'key')
    const titles = comment.split('\n').filter((line) => line.startsWith('### '))
    expect(titles.slice(0, 3)).toEqual(['### Failed gates', '### Gates that warned', '### Biggest changes'])
    expect(headline(outcome)).toContain('requests p95 550 ms, +34 %')
    expect(comment.split('\n')[2]).toMatch(/^Requests p95 is 550\u00a0ms/)
    expect(/^\| ❌\u00a0.*$/m.exec(comment)?.[0]).toContain('requests p95 &lt;= baseline + 10 % + 20 ms')
  })

  test('is a short form of the summary', () => {
    const summary = renderSummary(regression())
    const comment = renderComment(regression(), 'key')
    expect(comment.match(/<details>/g)).toHaveLength(1)
    expect(comment.length * 2).toBeLessThan(summary.length)
  })
})

/** What is published for each verdict. */
interface Ending {
  outcome: Outcome
  headline: string
  /** The first heading, open or folded, and the columns of the first table; none if nothing was measured. */
  first: string
  columns?: string
  /** Beside the red cross. */
  errors: string[]
  /** The log's lines before the verdict, the groups first. */
  log: (string | RegExp)[]
}

const fits = checked().checks?.filter(({ result }) => result === 'fits') ?? []
const advice = [...timedOut().advice]

/** Each verdict has a row; if one is missing, this does not compile. */
const endings: Record<Verdict, Ending> & Record<string, Ending> = {
  passed: {
    outcome: green(),
    headline: 'All 7 gates passed: requests p95 412 ms, +0.5 % (within noise)',
    first: 'Key figures',
    columns: 'Figure, Change, Baseline → this run',
    errors: [],
    log: ['Gates', ...Array<RegExp>(7).fill(/^passed: /)],
  },
  failed: {
    outcome: regression(),
    headline: '2 of 7 gates failed: requests p95 550 ms, +34 %',
    first: 'Failed gates',
    columns: 'Gate, Value (limit), change',
    errors: ['Gate failed: requests p95 <= baseline + 10 % + 20 ms', 'Gate failed: Checkout stays quick'],
    log: [
      'Gates',
      /^failed: .*value 550 ms, limit ≤ 471 ms/,
      /^failed: .*value 1,240 ms, limit ≤ 1,200 ms/,
      /^warned: /,
      ...Array<RegExp>(4).fill(/^passed: /),
      /^requests p95 is 550 ms; it must be at most 471 ms/,
      /^Checkout stays quick: request "Checkout.PlaceOrder" p95 is 1,240 ms; it must be at most 1,200 ms/,
      /^Look for the cause in what has changed/,
    ],
  },
  accepted: {
    outcome: accepted(),
    headline: 'Accepted by octocat: 2 of 7 gates failed: requests p95 550 ms, +34 %',
    first: 'Failed gates',
    columns: 'Gate, Value (limit), change',
    errors: [],
    log: [
      'Gates',
      /^failed: /,
      /^failed: /,
      /^warned: /,
      ...Array<RegExp>(4).fill(/^passed: /),
      /p95/,
      /p95/,
    ],
  },
  invalid: {
    outcome: invalid(),
    headline: 'Invalid: 1 of 2 gates not measured',
    first: 'Gates not measured',
    columns: 'Gate, Why',
    errors: ['Gate not measured: request "Chekout" p95 <= 600 ms'],
    log: [
      'Gates',
      /^not measured: .*Did you mean "Checkout.Payment"/,
      /^passed: /,
      /Did you mean "Checkout.Payment"/,
    ],
  },
  'load-test-failed': {
    outcome: loadTestFailed(),
    headline: 'Load test 42 ended in ABORTED',
    first: 'Reasons',
    errors: ['Load test failed'],
    log: ['Load test 42 ended in ABORTED: no agent answered.'],
  },
  'timed-out': {
    outcome: timedOut(),
    headline: 'Timed out after 5 h 45 min: load test 42 is still running',
    first: 'Reasons',
    errors: ['Timed out'],
    log: ['Load test 42 had not ended after 5 h 45 min; its last state was RUNNING.', ...advice],
  },
  cancelled: {
    outcome: cancelled(),
    headline: 'Cancelled: load test 42 was last seen as RUNNING',
    // The sentence below the headline already says that the job was cancelled.
    first: 'What to do',
    errors: ['Cancelled'],
    log: ['The job was cancelled.', ...advice],
  },
  error: {
    outcome: error(),
    headline: 'Error: The service refused the credentials (401)',
    first: 'Reasons',
    errors: ['Error'],
    log: ['The service refused the credentials (401). Check client-id and client-secret.'],
  },
  started: {
    outcome: started(),
    headline: 'Load test 42 was started',
    first: 'What to do',
    errors: [],
    log: [/^To follow and judge it later, run this step with mode: collect and run-number: 42/],
  },
  'failed in both runs': {
    outcome: confirmed(),
    headline: '1 of 7 gates failed in both runs: requests p95 550 ms, +34 %',
    first: 'Failed gates',
    columns: 'Gate, Value (limit), change',
    errors: ['Gate failed: requests p95 <= baseline + 10 % + 20 ms'],
    log: ['Gates', /^failed: /, /^warned: /, ...Array<RegExp>(5).fill(/^passed: /), /p95/, /^Look/],
  },
  'the first run': {
    outcome: firstRun(),
    headline: 'First run: 1 of 2 gates passed, 1 not compared yet: requests p95 412 ms',
    first: 'Gates not compared',
    columns: 'Gate, This run',
    errors: [],
    log: ['Gates', /^not compared: requests p95 .* First run: /, /^passed: /],
  },
  'a run that was cut short': {
    outcome: cutShort(),
    headline: 'Invalid: the run measured 14 s of the planned 10 min',
    first: 'Gates not measured',
    columns: 'Gate, Why',
    errors: ['Gate not measured: requests p95 <= baseline + 10 % + 20 ms'],
    log: [
      'Gates',
      /^not measured: /,
      /^passed: /,
      /^requests p95 is 950 ms/,
      /^The run measured 14 s/,
      /^Find out/,
    ],
  },
  'no earlier run': {
    outcome: withoutBaseline(),
    headline: 'Invalid: 1 of 2 gates not measured',
    first: 'Gates not measured',
    columns: 'Gate, Why',
    errors: ['Gate not measured: requests p95 <= baseline + 10 % + 20 ms'],
    log: [
      'Gates',
      /^not measured: /,
      /^passed: /,
      'There is no baseline to compare with.',
      /^Let this workflow run on main first/,
    ],
  },
  'a check that found a problem': {
    outcome: checked(),
    headline: '1 of 4 checks found a problem, 2 to look at',
    first: 'What was checked',
    columns: 'Check, What was found',
    errors: ['Check: scope LOADTEST_LIST'],
    log: [
      /^address .*ok/,
      /^scope LOADTEST_LIST .*problem/,
      /^operation stop .*problem/,
      /^comment .*unknown/,
    ],
  },
  'a check that found none': {
    outcome: { ...checked(), verdict: 'passed', reasons: [], checks: [...fits, ...fits] },
    headline: 'All 2 checks passed',
    first: 'What was checked',
    columns: 'Check, What was found',
    errors: [],
    log: [/^address .*ok/, /^address .*ok/],
  },
  'a matrix': {
    outcome: merged(),
    headline: '2 of 3 load tests did not pass: checkout (failed), login (error)',
    first: 'Load tests',
    columns: 'Load test, Key figure, biggest change',
    errors: ['Load test', 'Load test'],
    log: [
      'Load tests',
      /^Error: login: /,
      /^Failed: checkout: /,
      /^Passed: search: /,
      /^checkout: /,
      /^login: /,
    ],
  },
}

describe.each(Object.entries(endings))(
  '%s',
  (_, { outcome, headline: line, first, columns, errors, log }) => {
    const { icon, word } = verdictWords[outcome.verdict]
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

    test('digest: the verdict, then what decided', () => {
      expect(decode(/<h1>(.*)<\/h1>/.exec(digest)?.[1] ?? '').replaceAll('&quot;', '"')).toBe(line)
      expect(/<p class="tag">.*<\/svg>(.*)<\/p>/.exec(digest)?.[1]).toBe(word)
      if (!outcome.checks) expect(/<h2>(.*?)<\/h2>/.exec(digest)?.[1]).toBe(first)
    })

    test('annotations: an error for everything that decided, and one notice with the verdict', () => {
      const all = annotationsOf(outcome)
      expect(all.filter(({ kind }) => kind === 'error').map(({ title }) => title)).toEqual(errors)
      expect(all.filter(({ kind }) => kind === 'notice').map(({ title }) => title)).toEqual([
        `${icon} ${line}`,
      ])
    })

    test('log: gates and reasons, what to do, and the verdict last', () => {
      const lines = logOf(outcome)
      expect(lines.pop()?.startsWith(`${line} (after `)).toBe(true)
      expect(lines).toEqual(
        log.map((part): unknown => (typeof part === 'string' ? part : expect.stringMatching(part))),
      )
      expect(closingLines(outcome).at(-1)?.tone).toBe(verdictWords[outcome.verdict].tone)
    })
  },
)

test('a history begins with its steps, in summary and log', () => {
  const outcome = historied()
  expect(/^### (.*)$/m.exec(renderSummary(outcome))?.[1]).toBe('The worst 10 of 20 steps')
  expect(logOf(outcome)).toEqual([expect.stringMatching(/^History of main: 40 runs, 2 with a step \(after /)])
})
