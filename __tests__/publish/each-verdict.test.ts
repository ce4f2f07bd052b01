import fc from 'fast-check'
import { verdicts, type Outcome } from '../../src/outcome.js'
import { annotations } from '../../src/publish/annotations.js'
import { renderComment, renderStartedComment } from '../../src/publish/comment.js'
import { renderDigest } from '../../src/publish/digest.js'
import { headline } from '../../src/publish/headline.js'
import { renderSummary } from '../../src/publish/summary.js'
import { goesOn } from '../../src/start/run-advice.js'
import { arbitraryOutcome } from './arbitrary-outcome.js'
import {
  accepted,
  checked,
  compared,
  confirmed,
  error,
  everyOutcome,
  firstRun,
  green,
  invalid,
  regression,
  timedOut,
  withoutPage,
} from './outcomes.js'

/** The rules for each face, whatever the verdict. */

const faces = (outcome: Outcome) => ({
  summary: renderSummary(outcome),
  comment: renderComment(outcome, 'key'),
  digest: renderDigest(outcome),
})

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
  const told = annotations(outcome).map(({ title, message }) => `${title} ${message}`)
  expect(told.filter((line) => line.includes('/public/api/'))).toEqual([])
  for (const [name, face] of Object.entries(faces(outcome))) {
    expect([name, face.match(/\/public\/api\//)]).toEqual([name, null])
    expect([name, units.exec(words(face))?.[0]]).toEqual([name, undefined])
    // `fail-on` decides the colour of the step, and no face knows it.
    expect([name, /\b(?:step|job) (?:is|goes|stays|was) (?:red|green)\b/.exec(face)?.[0]]).toEqual([
      name,
      undefined,
    ])
  }
}

/** Lines at 800 px: about 105 letters each; a table row and a folded part count as one. */
function linesOf(comment: string): number {
  const open = comment.replace(/<details>[^]*?<\/details>/g, '(fold)').replace(/<!--.*?-->/g, '')
  const lines = open.split('\n').filter((line) => line.trim() !== '' && !/^\| -{3}/.test(line))
  return lines.reduce((sum, line) => sum + Math.ceil(words(line).length / 105), 0)
}

test('an address can be clicked: nothing is glued to its end', () => {
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
  expect(running).toContain('\n\nLoad test 42 · [Workflow run]')
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

  test('is headline, one line of comparison and links, when nothing changed', () => {
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
  test('has the failed gates first, of which the first is that of the headline and of the sentence below', () => {
    const outcome = regression()
    const comment = renderComment(outcome, 'key')
    const titles = comment.split('\n').filter((line) => line.startsWith('### '))
    expect(titles.slice(0, 3)).toEqual(['### Failed gates', '### Gates that warned', '### Biggest changes'])
    expect(headline(outcome)).toContain('requests p95 550 ms, +34 %')
    expect(comment.split('\n')[2]).toMatch(/^requests p95 is 550\u00a0ms/)
    expect(/^\| ❌ .*$/m.exec(comment)?.[0]).toContain('requests p95 &lt;= baseline + 10 % + 20 ms')
  })

  test.each([
    ['failed', regression(), 'Failed gates'],
    ['failed in both runs', confirmed(), 'Failed gates'],
    ['accepted', accepted(), 'Failed gates'],
    ['invalid', invalid(), 'Gates not measured'],
    ['invalid, in the first run', firstRun(), 'Gates not measured'],
    ['error, of a check', checked(), 'What was checked'],
  ])('%s: its first table is what decided', (_, outcome, title) => {
    for (const face of [renderSummary(outcome), renderComment(outcome, 'key')]) {
      expect(/^### (.*)$/m.exec(face)?.[1]).toBe(title)
    }
  })

  test('is the summary in short', () => {
    const summary = renderSummary(regression())
    const comment = renderComment(regression(), 'key')
    expect(comment.match(/<details>/g)).toHaveLength(1)
    expect(comment.length * 2).toBeLessThan(summary.length)
  })
})
