import { commentLimit, renderComment } from '../../src/publish/markdown/comment.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { headline } from '../../src/publish/words/words.js'
import { renderSummary, summaryLimit } from '../../src/publish/markdown/summary.js'
import type { Leg } from '../../src/outcome/outcome.js'
import { daily, thorough } from '../daily.js'
import { green, hostile, huge, leg, merged, missingLeg, regression } from './outcomes.js'

const many = (count: number, make: (index: number) => Leg) =>
  Array.from({ length: count }, (_, index) => make(index))
const comment = (legs?: Leg[]) => renderComment(merged(legs), 'key')

daily('each leg is a row, the worst first; red legs are open below, green ones folded', () => {
  const body = comment()
  expect(body).toMatch(
    /^## ❌ Load tests: 2\u00a0of\u00a03 did not pass: checkout \(failed\), login \(no outcome\)\n/,
  )
  const rows = body
    .split('\n')
    .filter((line) => /^\| (?:✅|❌|⚠️)\u00a0(?:\*\*)?<code>(?:search|checkout|login)</.test(line))
  expect(rows.map((row) => row.split('|')[1]?.trim().split('<br>')[0])).toEqual([
    '❌\u00a0**<code>checkout</code>** (failed)',
    '⚠️\u00a0**<code>login</code>** (no outcome)',
    '✅\u00a0<code>search</code> (passed)',
  ])
  const [checkout = '', login = ''] = rows
  expect(login).toMatch(/<br>\[Workflow run\]\(<[^>]*>\) \| It left no outcome: its job was cancelled\. /)
  expect(checkout).toMatch(
    /\| Requests p95\u00a0550\u00a0ms, \+34%<br>Checkout\..*: \+350\u00a0ms \(\+39%\) \|/,
  )
  expect(checkout).toMatch(/<br>\[Load test 42\].*\[Digest\].*\[Report\]\(<[^>]*>\) \|/)
  const [open = '', folded = ''] = body.split('<details>')
  expect(open).toContain('login measured nothing, which says nothing about the code. ')
  expect(body).not.toContain('<summary>⚠️')
  expect(open).toMatch(
    /<summary>❌ <code>checkout<\/code>: requests 34% slower[^]*\*\*Gates: 2 failed, 1\u00a0warned\*\*[^]*\*\*What else got slower/,
  )
  expect(folded).toMatch(/<summary>✅ <code>search<\/code>: as fast as in 3\u00a0runs of main/)
  expect(folded).toContain('**Key figures**')
  expect(body).not.toMatch(/undefined|Reasons/)
})

daily.each([
  ['all green', [leg('a', green()), leg('b', green())], 'Load tests: all 2 passed'],
  [
    'one of them accepted',
    [leg('a', green()), { ...leg('b', regression()), verdict: 'accepted' as const }],
    'Load tests: all 2 passed, 1 of them accepted',
  ],
  ['failed', [leg('a', green()), leg('b', regression())], 'Load tests: 1 of 2 failed: b'],
  ['the only one', [missingLeg('a')], 'Load tests: 1 of 1 did not pass: a (no outcome)'],
])('headline: %s', (_, legs, line) => {
  expect(headline(merged(legs))).toBe(line)
})

daily('a digest does not lead to itself', () => {
  const { outcome } = leg('checkout', regression())
  const page = outcome?.digest?.url ?? 'none'
  expect(outcome && renderComment(outcome, 'key')).toContain(page)
  expect(outcome && renderDigest(outcome)).not.toContain(page)
})

daily(
  'a hundred legs are shortened with a note, in the comment only, and every red one keeps its row',
  () => {
    const legs = many(100, (index) => leg(`leg-${index}`, index % 3 === 0 ? regression() : green()))
    const body = comment(legs)
    expect(body.length).toBeLessThan(commentLimit)
    expect(body).toMatch(
      /> ⚠️ Left out to fit the size limit: .*load tests?\b.* The outcome file has everything\./,
    )
    const red = legs.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name)
    expect(red.filter((name) => !body.includes(`| ❌\u00a0**<code>${name}</code>** (failed)<br>`))).toEqual(
      [],
    )
    const summary = renderSummary(merged(legs))
    expect(Buffer.byteLength(summary)).toBeLessThan(summaryLimit)
    expect(summary).not.toContain('Left out')
    expect(renderDigest(merged(legs)).match(/<details><summary>/g)?.length).toBeGreaterThan(60)
  },
)

thorough('legs with thousands of gates and hostile names stay within the limits', () => {
  const legs = [leg('huge', huge()), ...many(30, (index) => leg(`|<b>@team ${index} \u202e`, hostile()))]
  expect(comment(legs).length).toBeLessThan(commentLimit)
  const summary = renderSummary(merged(legs))
  expect(Buffer.byteLength(summary)).toBeLessThan(summaryLimit)
  expect(comment(legs)).not.toMatch(/<b>|(?<!<code>|\?)@team/)
  expect(renderDigest(merged(legs))).not.toMatch(/<b>@team|<script/)
})
