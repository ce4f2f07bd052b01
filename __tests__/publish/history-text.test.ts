import type { ChangePoint } from '../../src/outcome/history.js'
import { annotations } from '../../src/publish/annotations.js'
import { closingLines } from '../../src/publish/log.js'
import { renderHistory } from '../../src/publish/history/history.js'
import { headline } from '../../src/publish/words/words.js'
import { renderSummary } from '../../src/publish/summary/summary.js'
import type { HistoryOutcome } from '../../src/outcome/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import { historied, noHistory, outcomeWith } from './historied.js'
import { hostileNames } from './outcomes.js'

function pageOf(outcome: HistoryOutcome): string {
  if (!outcome.history) throw new Error('There is no history.')
  return renderHistory(outcome, outcome.history).replaceAll('\u00a0', ' ')
}
const summaryOf = (outcome: HistoryOutcome) => renderSummary(outcome).replaceAll('\u00a0', ' ')

const outcome = historied()
const page = pageOf(outcome)

test('the outcome conforms to its schema', () => {
  expect(validateOutcome(JSON.parse(JSON.stringify(outcome)))).toEqual([])
  expect(validateOutcome(JSON.parse(JSON.stringify(noHistory())))).toEqual([])
})

test('the page has key figures, changes, timers and runs, with commits that link to GitHub', () => {
  expect(headline(outcome)).toMatch(/^History of main: 40 runs, 2 with a change$/)
  for (const title of ['Key figures', 'Changes', 'Timers', 'Runs'])
    expect(page).toContain(`<h2>${title}</h2>`)
  expect(page).toMatch(/Requests p95<b>\d+ ms<\/b>/)
  expect(page).toContain('limit 800 ms')
  const change = outcome.history?.changePoints[0]
  const commit = outcome.history?.runs[change?.run ?? 0]?.commit ?? ''
  expect(page).toContain(`href="https://github.com/shop/webshop/commit/${commit}"`)
  expect(page).toContain('href="https://github.com/shop/webshop/actions/runs/1039"')
  expect(page).toContain('accepted by octocat')
  expect(page.match(/<li class="timer">/g)).toHaveLength(15)
})

test('a run that did not measure a timer is a gap in its line', () => {
  const of = (name: string) =>
    page
      .split('<li class="timer">')
      .slice(1)
      .find((part) => part.includes(name)) ?? ''
  const lines = (part: string) => / class="line" d="([^"]*)"/.exec(part)?.[1]?.match(/M/g)?.length
  expect([lines(of('Search.2<')), lines(of('Cart.5<'))]).toEqual([2, 1])
  expect(of('Search.2<')).toContain('in 39 of 40 runs')
})

test('the summary has the latest runs and changes, and a chart that GitHub renders', () => {
  const summary = summaryOf(outcome)
  expect(summary).toContain('### The worst 10 of 20 changes')
  expect(summary).toContain('### The latest 10 of 40 runs')
  expect(summary).toMatch(/xychart-beta\n {4}title "Requests p95"/)
  // Its colour can be seen on white and on black.
  expect(summary).toContain('"plotColorPalette":"#1f6feb"')
  expect(summary).toContain('| Figure | Change (before → after) | From this run on |')
  expect(summary).toContain(
    '| Run, commit | Verdict | Requests p95 | Requests error rate | Requests throughput |',
  )
  expect(summary).toMatch(/\| \[2026\u201109\u201128 02&#58;17 UTC\]/)
  expect(summary).toContain('actions/runs/1039>)')
})

/** A history of 40 runs with these changes of a timer, the first at run 3. */
function changed(factors: readonly number[]): HistoryOutcome {
  const changePoints = factors.map((factor, index): ChangePoint => ({
    ...{ kind: 'requests', name: `Timer.${index}`, metric: 'p95', run: 3 + 2 * Math.floor(index / 7) },
    ...{ before: 100, after: 100 * factor },
  }))
  if (!outcome.history) throw new Error('There is no history.')
  return outcomeWith({ ...outcome.history, changePoints })
}

test('of more than ten changes, the summary has the worst, wherever they are, and says so', () => {
  const small = Array.from({ length: 13 }, () => 1.2)
  const summary = summaryOf(changed([1.66, ...small, 0.1, 1.3]))
  expect(summary).toContain('### The worst 10 of 16 changes')
  const rows = summary.split('\n').filter((line) => line.includes('Timer.'))
  expect(rows).toHaveLength(10)
  expect(summary).toMatch(/Timer\.0<\/code>[^|]*\|[^|]*\+66%/)
  // Later runs come first.
  expect(rows[0]).toMatch(/Timer\.15.*\+30%/)
  expect(rows.join('')).not.toMatch(/−90%|more timer/)
  expect(summaryOf(changed([1.66, 0.5]))).toMatch(/### Changes\n[^]*−50%[^]*\+66%/)
  expect(pageOf(changed([1.66, ...small, 0.1, 1.3]))).toContain('and 2 more timers')
})

test('a history is green only if nothing got worse in it', () => {
  const marks = [changed([]), changed([0.5]), changed([1.5]), changed([0.5, 1.2]), historied()]
  expect(marks.map((one) => summaryOf(one).slice(0, 5))).toEqual([
    '## ✅ ',
    '## ✅ ',
    '## ⚠️',
    '## ⚠️',
    '## ⚠️',
  ])
  expect(marks.map((one) => closingLines(one).at(-1)?.tone)).toEqual([
    'good',
    'good',
    'caution',
    'caution',
    'caution',
  ])
  expect(annotations(changed([1.5])).at(-1)?.title).toMatch(/^⚠️ History of main/)
  // What could not be published is an error.
  expect(summaryOf({ ...changed([1.5]), verdict: 'error' })).toMatch(/^## ❌ /)
})

test('without runs, page and summary say so', () => {
  for (const text of [pageOf(noHistory()), summaryOf(noHistory())]) {
    expect(text).toContain('There is no history of main yet')
    expect(text).toContain('No run of this workflow on main has an outcome with figures.')
  }
})

test('names from a report stay plain text', () => {
  const values = [100, null, 120]
  const series = hostileNames.map((name) => ({
    ...({ kind: 'requests', metric: 'p95' } as const),
    name,
    values,
  }))
  const changePoints = series.map((one) => ({ ...one, run: 2, before: 100, after: 120 }))
  const runs = hostileNames.slice(0, 3).map((text) => ({
    ...{ url: `javascript:${text}`, commit: text, verdict: text, startTime: text, acceptedBy: text },
  }))
  const hostile = outcomeWith({
    branch: hostileNames.join(' '),
    runs,
    series: [{ kind: 'requests', metric: 'p95', values }, ...series],
    changePoints: changePoints.map(({ kind, name, metric, run, before, after }) => ({
      kind,
      name,
      metric,
      run,
      before,
      after,
    })),
  })
  const html = pageOf(hostile)
  expect(html.match(/<script>/g)).toHaveLength(1)
  expect(html.match(/<h1>/g)).toHaveLength(1)
  expect(html).not.toMatch(/<img|<b>x|javascript:[^"]*" rel|\u202e|\ud800/)
  expect(html).not.toMatch(/href="javascript/)
  expect(summaryOf(hostile)).not.toMatch(/<img|<script|^::|javascript:alert\(1\)\)$/m)
})
